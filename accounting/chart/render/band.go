package render

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// hasBand reports whether point i has a low and a high end, and a place on the x axis.
func (k curvePlotter) hasBand(i int) bool {
	return len(k.curve.Low) > 0 && drawable(k.curve.X[i], k.xLog) && !math.IsNaN(k.curve.Low[i]) && !math.IsNaN(k.curve.High[i])
}

// ends returns the places of the two ends at point i. An end that the axis cannot show, such as 0
// on a log axis, is a little outside of the canvas. Then the band reaches the edge.
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

// bandPlotter draws the area between Low and High of a line or step, below all curves. Its thin
// edge stays visible under another band, and where the band is as thin as a line. A point between
// two points without a band has an error bar.
type bandPlotter struct{ curvePlotter }

// Plot implements plot.Plotter.
func (k bandPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	if k.curve.Kind != chart.Line && k.curve.Kind != chart.Step {
		return
	}
	x, y := transforms(c, p)
	edge := draw.LineStyle{Color: k.look.faded(0x90), Width: 0.6}
	var low, high []vg.Point
	fill := func() {
		switch {
		case len(low) == 1: // its neighbors have no band
			k.drawErrorBar(c, low[0].X, low[0].Y, high[0].Y)
		case len(low) > 1:
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
	for i := range k.curve.X {
		if k.hasBand(i) {
			low, high := k.ends(i, c, y)
			k.drawErrorBar(c, x(k.curve.X[i]), low, high)
		}
	}
}

func (k curvePlotter) drawErrorBar(c draw.Canvas, at, low, high vg.Length) {
	const cap = 2.2
	c.StrokeLines(draw.LineStyle{Color: k.look.color, Width: 0.9}, c.ClipLinesXY(
		[]vg.Point{{X: at, Y: low}, {X: at, Y: high}},
		[]vg.Point{{X: at - cap, Y: low}, {X: at + cap, Y: low}},
		[]vg.Point{{X: at - cap, Y: high}, {X: at + cap, Y: high}})...)
}

// drawBars draws a bar around each x, as wide as the least distance between two.
func (k curvePlotter) drawBars(c draw.Canvas, p *plot.Plot) {
	x, y := transforms(c, p)
	base := c.Min.Y
	if !k.yLog {
		base = min(max(y(0), c.Min.Y), c.Max.Y)
	}
	half := c.Size().X * vg.Length(k.barShare(p.X.Min, p.X.Max)/2)
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

// drawBoxes draws a box around each x, from Low to High, with a line at Y. It hides what is below,
// as the whiskers of a box plot.
func (k curvePlotter) drawBoxes(c draw.Canvas, p *plot.Plot) {
	const share = 0.6 // of the room of a bar
	x, y := transforms(c, p)
	half := share * c.Size().X * vg.Length(k.barShare(p.X.Min, p.X.Max)/2)
	for i := range k.curve.X {
		if !k.hasBand(i) {
			continue
		}
		at := x(k.curve.X[i])
		low, high := k.ends(i, c, y)
		box := c.ClipPolygonXY([]vg.Point{{X: at - half, Y: low}, {X: at - half, Y: high}, {X: at + half, Y: high}, {X: at + half, Y: low}})
		if len(box) == 0 {
			continue
		}
		k.look.box(c, box)
		if k.drawable(i) {
			mid := y(k.curve.Y[i])
			c.StrokeLines(draw.LineStyle{Color: k.look.color, Width: 1.6}, c.ClipLinesXY([]vg.Point{{X: at - half, Y: mid}, {X: at + half, Y: mid}})...)
		}
	}
}

// box draws a box over white.
func (l look) box(c draw.Canvas, box []vg.Point) {
	c.FillPolygon(color.White, box)
	c.FillPolygon(l.faded(0x66), box)
	c.StrokeLines(draw.LineStyle{Color: l.color, Width: 0.8}, append(box, box[0]))
}

// barHalf is the largest width of half a bar, as a share of the axis.
const barHalf = 0.05

// barShare returns the width of a bar over that of the axis from low to high.
func (k curvePlotter) barShare(low, high float64) float64 {
	at, _ := scale(k.xLog)
	return math.Min(leastDistance(k.curve, k.xLog)/(at(high)-at(low)), 2*barHalf)
}

// leastDistance returns the least distance of two places of the curve on the x axis. It is +Inf if
// all places are the same.
func leastDistance(k chart.Curve, log bool) float64 {
	place, _ := scale(log)
	var places []float64
	for _, v := range k.X {
		if drawable(v, log) {
			places = append(places, place(v))
		}
	}
	slices.Sort(places)
	least := math.Inf(1)
	for i := 1; i < len(places); i++ {
		if d := places[i] - places[i-1]; d > 0 {
			least = math.Min(least, d)
		}
	}
	return least
}
