package render

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// outline returns points along the drawn curve, at most three apart, for the search of an empty
// place.
func (k curvePlotter) outline(c draw.Canvas, x, y func(float64) vg.Length) (out []vg.Point) {
	for _, run := range k.runs(x, y) {
		switch k.curve.Kind {
		case chart.Points, chart.Boxes:
			out = append(out, run...)
		case chart.Bars:
			for _, pt := range run {
				out = append(out, between(vg.Point{X: pt.X, Y: c.Min.Y}, pt)...)
			}
		default:
			joined := k.join(run)
			out = append(out, joined[0])
			for i := 1; i < len(joined); i++ {
				out = append(out, between(joined[i-1], joined[i])...)
			}
		}
	}
	return append(out, k.bandOutline(c, x, y)...)
}

// bandOutline returns points over the area of the band, and along the error bars.
func (k curvePlotter) bandOutline(c draw.Canvas, x, y func(float64) vg.Length) (out []vg.Point) {
	for i := range k.curve.X {
		if !k.hasBand(i) {
			continue
		}
		at := x(k.curve.X[i])
		from, to := k.ends(i, c, y)
		low, high := vg.Point{X: at, Y: from}, vg.Point{X: at, Y: to}
		out = append(out, between(low, high)...)
		if i == 0 || k.curve.Kind != chart.Line && k.curve.Kind != chart.Step || !k.hasBand(i-1) {
			continue
		}
		before := x(k.curve.X[i-1])
		from, to = k.ends(i-1, c, y)
		lower, upper := between(vg.Point{X: before, Y: from}, low), between(vg.Point{X: before, Y: to}, high)
		for j, n := 0, min(len(lower), len(upper)); j < n; j++ {
			out = append(out, between(lower[j*len(lower)/n], upper[j*len(upper)/n])...)
		}
	}
	return out
}

// between returns points from a to b, at most three apart and at most 1,000 of them.
func between(a, b vg.Point) []vg.Point {
	d := b.Sub(a)
	n := int(math.Min(math.Hypot(float64(d.X), float64(d.Y))/3, 1000)) + 1
	out := make([]vg.Point, 0, n+1)
	for i := 0; i <= n; i++ {
		out = append(out, a.Add(d.Scale(vg.Length(i)/vg.Length(n))))
	}
	return out
}
