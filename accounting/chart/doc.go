// Package chart has the data of figures. Package render, below it, draws charts and panels in one
// style.
//
//   - Chart: curves on a pair of axes.
//   - Panels: several charts in one image.
//   - Series: numbers whose JSON form keeps infinities and NaN.
//
// A chart keeps its numbers. The same value is drawn (PNG, SVG, PDF) and saved as data (CSV, JSON).
//
//	c := chart.Chart{
//		Name: "tuning", Title: "Price of tuning",
//		XLabel: "mean number of runs E[K]", YLabel: "ε at δ = 1e-6", XLog: true,
//		Curves: []chart.Curve{{Label: "geometric (η = 1)", X: runs, Y: epsilon}},
//	}
//	if err := c.Validate(); err != nil { ... }
//	png, err := render.PNG(c)
//
// It does not depend on papers or notebooks. The commands draw with it too.
package chart
