// Package chart has the data of figures. Package render, below it, draws charts and panels in one
// style.
//
//   - Chart: curves on a pair of axes. New makes one of curves or points, Histogram and Box
//     of samples, Heat of a matrix.
//   - Panels: several charts in one image.
//   - Series: numbers whose JSON form keeps infinities and NaN.
//
// A chart keeps its numbers. The same value is drawn (PNG, SVG, PDF) and saved as data (CSV, JSON).
//
//	c, err := chart.New("Price of tuning", "mean number of runs E[K]", "ε at δ = 1e-6",
//		chart.Curve{Label: "geometric (η = 1)", X: runs, Y: epsilon})
//	c.XLog = true
//	png, err := render.PNG(c)
//
// It does not depend on papers or notebooks. The commands draw with it too.
//
// It promises nothing to other modules.
package chart
