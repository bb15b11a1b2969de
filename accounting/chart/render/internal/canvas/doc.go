// Package canvas has what a figure is drawn on: an SVG document, a PDF page, and an image in at
// most 256 colors. The first two implement vg.Canvas of gonum/plot.
package canvas
