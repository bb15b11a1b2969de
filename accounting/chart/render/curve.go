package render

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// curvePlotter draws one curve. A NaN leaves a gap. An infinity is an arrow at the edge of the
// axes, to show that it is not missing. On a log axis a value that is not positive counts as -Inf.
type curvePlotter struct {
	curve      chart.Curve
	look       look
	xLog, yLog bool
}

// Plot draws the line or bars, then the markers.
func (k curvePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	c = k.moved(c)
	x, y := transforms(c, p)
	switch k.curve.Kind {
	case chart.Bars:
		k.drawBars(c, p)
	case chart.Boxes:
		k.drawBoxes(c, p)
	case chart.Points:
		k.drawErrorBars(c, x, y)
		k.drawMarkers(c, k.points(x, y), 0)
	default:
		for _, run := range k.runs(x, y) {
			k.look.stroke(c, c.ClipLinesXY(k.join(run))...)
			if k.look.marked {
				k.drawMarkers(c, run, k.markerGap())
			}
		}
	}
	k.drawArrows(c, x)
}

// dodgeStep is one step of Curve.Dodge: a little more than a marker.
const dodgeStep = vg.Length(5)

// moved returns the canvas moved to the side by Dodge.
func (k curvePlotter) moved(c draw.Canvas) draw.Canvas {
	c.Min.X += vg.Length(k.curve.Dodge) * dodgeStep
	c.Max.X += vg.Length(k.curve.Dodge) * dodgeStep
	return c
}

// transforms returns the functions from data to the canvas. They stop far outside of it, where
// clipping would overflow.
func transforms(c draw.Canvas, p *plot.Plot) (x, y func(float64) vg.Length) {
	const far = 1e6
	toX, toY := p.Transforms(&c)
	return func(v float64) vg.Length { return min(max(toX(v), -far), far) },
		func(v float64) vg.Length { return min(max(toY(v), -far), far) }
}

// drawable reports whether point i has a place on the axes.
func (k curvePlotter) drawable(i int) bool {
	return drawable(k.curve.X[i], k.xLog) && drawable(k.curve.Y[i], k.yLog)
}

// runs returns the drawn points, in runs that end at a point that is not drawn.
func (k curvePlotter) runs(x, y func(float64) vg.Length) (runs [][]vg.Point) {
	open := false
	for i := range k.curve.X {
		if !k.drawable(i) {
			open = false
			continue
		}
		if !open {
			runs = append(runs, nil)
			open = true
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], vg.Point{X: x(k.curve.X[i]), Y: y(k.curve.Y[i])})
	}
	return runs
}

func (k curvePlotter) points(x, y func(float64) vg.Length) (all []vg.Point) {
	for _, run := range k.runs(x, y) {
		all = append(all, run...)
	}
	return all
}

// join adds the corners of a step.
func (k curvePlotter) join(run []vg.Point) []vg.Point {
	if k.curve.Kind != chart.Step {
		return run
	}
	var out []vg.Point
	for i, pt := range run {
		if i > 0 {
			out = append(out, vg.Point{X: pt.X, Y: run[i-1].Y})
		}
		out = append(out, pt)
	}
	return out
}

// markerGap returns the least distance of the markers of a dense line. A line of few points shows
// them all.
func (k curvePlotter) markerGap() vg.Length {
	if len(k.curve.X) <= 15 {
		return 0
	}
	return 42
}

// drawMarkers draws a marker at the points, leaving out those nearer than gap to the last one
// drawn.
func (k curvePlotter) drawMarkers(c draw.Canvas, points []vg.Point, gap vg.Length) {
	c.SetLineDash(nil, 0)
	last := vg.Point{X: -1e9}
	for _, pt := range points {
		if d := pt.Sub(last); vg.Length(math.Hypot(float64(d.X), float64(d.Y))) < gap || !c.Contains(pt) {
			continue
		}
		k.look.mark(c, pt)
		last = pt
	}
}

// beyond returns 1 if point i has a place on the x axis and is above all values that the y axis can
// show. It returns -1 if the point is below them, as a value that is not positive on a log axis.
// Otherwise it returns 0.
func (k curvePlotter) beyond(i int) int {
	switch y := k.curve.Y[i]; {
	case !drawable(k.curve.X[i], k.xLog) || math.IsNaN(y) || drawable(y, k.yLog):
		return 0
	case y > 1:
		return 1
	}
	return -1
}

// drawArrows draws an arrow at the upper or lower edge for each point beyond the axis. No curve has
// such a marker.
func (k curvePlotter) drawArrows(c draw.Canvas, x func(float64) vg.Length) {
	const apart = 10
	var last vg.Point
	for i := range k.curve.Y {
		side := k.beyond(i)
		if side == 0 {
			continue
		}
		tip := vg.Point{X: x(k.curve.X[i]), Y: c.Max.Y}
		if side < 0 {
			tip.Y = c.Min.Y
		}
		if crowded := tip.Y == last.Y && tip.X-last.X < apart && tip.X > last.X; c.ContainsX(tip.X) && !crowded {
			k.drawArrow(c, tip, vg.Length(side))
			last = tip
		}
	}
}

// drawArrow draws an arrow that points up to the tip, or down if side is -1.
func (k curvePlotter) drawArrow(c draw.Canvas, tip vg.Point, side vg.Length) {
	const stem, head, width = 10, 5, 2.6
	c.StrokeLines(draw.LineStyle{Color: k.look.color, Width: 1.2}, []vg.Point{{X: tip.X, Y: tip.Y - side*stem}, {X: tip.X, Y: tip.Y - side*head}})
	c.FillPolygon(k.look.color, []vg.Point{tip, {X: tip.X - width, Y: tip.Y - side*head}, {X: tip.X + width, Y: tip.Y - side*head}})
}
