package render

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// beyond returns 1 if point i has a place on the x axis and lies above all that the y axis can show, -1 if below, as
// what is not positive does on a log axis. Otherwise it returns 0.
func (k curvePlotter) beyond(i int) int {
	switch y := k.curve.Y[i]; {
	case !drawable(k.curve.X[i], k.xLog) || math.IsNaN(y) || drawable(y, k.yLog):
		return 0
	case y > 1:
		return 1
	}
	return -1
}

// drawArrows draws an arrow at the upper or lower edge for each point beyond. No curve has such a marker.
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
