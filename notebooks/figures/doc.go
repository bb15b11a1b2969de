// Package figures holds what a reproduced figure or table is made of. Package render, below it, draws charts and panels in one style.
//
//   - Chart: curves on a pair of axes. Panels: several charts in one image.
//   - Comparison: our numbers beside the published ones, with the difference and how well the published
//     number can be read.
//   - Table: rows of text.
//
// Each paper has a package below this one. A figure there is a pure function from a config to a typed
// result, and the result has a Chart method (or Charts, or Panels) and a Compare method:
//
//	c := figures.Chart{
//		Name: "author2022-figure4", Title: "Price of tuning",
//		XLabel: "mean number of runs E[K]", YLabel: "ε at δ = 1e-6", XLog: true,
//		Curves: []figures.Curve{{Label: "geometric (η = 1)", X: runs, Y: epsilon}},
//	}
//	if err := c.Validate(); err != nil { ... }
//	png, err := render.PNG(c)
//
// A chart keeps its numbers, so the same value is drawn (PNG, SVG, PDF), saved as data (CSV, JSON) and
// compared with a stored run.
package figures
