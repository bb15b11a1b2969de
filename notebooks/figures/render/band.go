package render

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/notebooks/figures"
)

// hasBand reports whether point i has a low and a high end, and a place on the x axis.
func (k curvePlotter) hasBand(i int) bool {
	return len(k.curve.Low) > 0 && drawable(k.curve.X[i], k.xLog) && !math.IsNaN(k.curve.Low[i]) && !math.IsNaN(k.curve.High[i])
}

// ends returns where the ends of point i are drawn. One that the axis cannot show, as 0 on a log axis, is a little outside
// of the canvas, so that the band reaches the edge.
func (k curvePlotter) ends(i int, c draw.Canvas, y func(float64) vg.Length) (low, high vg.Length) {
	const outside = 10
	end := func(v float64) vg.Length {
		switch {
		case drawable(v, k.yLog):
			return y(v)
		case v > 1:
			return c.Max.Y + outside
		}
		return c.Min.Y - outside
	}
	return end(k.curve.Low[i]), end(k.curve.High[i])
}

// bandPlotter draws the area between Low and High of a line or step, below all curves, with a thin edge, which shows
// where it runs under another band and where it is as thin as a line.
type bandPlotter struct{ curvePlotter }

// Plot implements plot.Plotter.
func (k bandPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	if k.curve.Kind == figures.Points || k.curve.Kind == figures.Bars {
		return
	}
	x, y := transforms(c, p)
	edge := draw.LineStyle{Color: k.look.faded(0x90), Width: 0.6}
	var low, high []vg.Point
	fill := func() {
		if len(low) > 1 {
			lower, upper := k.join(low), k.join(high)
			area := slices.Concat(lower, upper)
			slices.Reverse(area[len(lower):])
			c.FillPolygon(k.look.faded(0x2c), c.ClipPolygonXY(area))
			c.StrokeLines(edge, c.ClipLinesXY(lower, upper)...)
		}
		low, high = nil, nil
	}
	for i := range k.curve.X {
		if !k.hasBand(i) {
			fill()
			continue
		}
		at := x(k.curve.X[i])
		from, to := k.ends(i, c, y)
		low, high = append(low, vg.Point{X: at, Y: from}), append(high, vg.Point{X: at, Y: to})
	}
	fill()
}

// drawErrorBars draws a line with two caps from Low to High of each point.
func (k curvePlotter) drawErrorBars(c draw.Canvas, x, y func(float64) vg.Length) {
	style := draw.LineStyle{Color: k.look.color, Width: 0.9}
	for i := range k.curve.X {
		if !k.hasBand(i) {
			continue
		}
		at := x(k.curve.X[i])
		low, high := k.ends(i, c, y)
		const cap = 2.2
		c.StrokeLines(style, c.ClipLinesXY(
			[]vg.Point{{X: at, Y: low}, {X: at, Y: high}},
			[]vg.Point{{X: at - cap, Y: low}, {X: at + cap, Y: low}},
			[]vg.Point{{X: at - cap, Y: high}, {X: at + cap, Y: high}})...)
	}
}

// drawBars draws a bar around each x, as wide as the least distance between two.
func (k curvePlotter) drawBars(c draw.Canvas, p *plot.Plot) {
	x, y := transforms(c, p)
	base := c.Min.Y
	if !k.yLog {
		base = min(max(y(0), c.Min.Y), c.Max.Y)
	}
	half := k.barWidth(x, c.Size().X) / 2
	for _, pt := range k.points(x, y) {
		bar := c.ClipPolygonXY([]vg.Point{
			{X: pt.X - half, Y: base}, {X: pt.X - half, Y: pt.Y}, {X: pt.X + half, Y: pt.Y}, {X: pt.X + half, Y: base}})
		if len(bar) == 0 {
			continue
		}
		c.FillPolygon(k.look.faded(0x66), bar)
		c.StrokeLines(draw.LineStyle{Color: k.look.color, Width: 0.8}, append(bar, bar[0]))
	}
}

func (k curvePlotter) barWidth(x func(float64) vg.Length, axis vg.Length) vg.Length {
	var at []float64
	for i, v := range k.curve.X {
		if k.drawable(i) {
			at = append(at, float64(x(v)))
		}
	}
	slices.Sort(at)
	width := float64(axis) / 10
	for i := 1; i < len(at); i++ {
		if d := at[i] - at[i-1]; d > 0 {
			width = math.Min(width, d)
		}
	}
	return vg.Length(width)
}
