// Package canvas has what a figure is drawn on: an SVG document and a PDF page. Both implement
// vg.Canvas of gonum/plot.
package canvas
