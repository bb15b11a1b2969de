// Package render draws charts and panels in one style: as PNG, SVG and PDF, for a screen or at the
// width of a paper's page.
//
//	png, err := render.PNG(chart)
//	pdf, err := render.PDF(render.Print{Figure: chart, Paper: render.Column})
//
// A figure goes through four steps. newLayout measures it and places its legends (layout.go). draw
// puts titles, axes and notes on the page (draw.go). gonum/plot draws the axes. The plotters of
// this package draw the curves (curve.go, band.go). The bytes of every format depend only on the
// figure, not on the clock or the machine. The only font is the embedded one.
//
// It promises nothing to other modules.
package render
