package canvas

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// path passes a path to fpdf. Arcs become cubic curves.
func (c *PDF) path(p vg.Path) {
	started := false
	var last vg.Point
	for _, step := range p {
		x, y := c.xy(step.Pos)
		switch step.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			c.arc(step, started)
		case vg.CurveComp:
			c.curve(last, step.Control, step.Pos)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
		started, last = step.Type != vg.CloseComp, step.Pos
	}
}

// curve draws a cubic curve, or a quadratic one raised to a cubic.
func (c *PDF) curve(start vg.Point, control []vg.Point, end vg.Point) {
	if len(control) == 1 {
		q := control[0]
		control = []vg.Point{start.Add(q.Sub(start).Scale(2.0 / 3)), end.Add(q.Sub(end).Scale(2.0 / 3))}
	}
	cx0, cy0 := c.xy(control[0])
	cx1, cy1 := c.xy(control[1])
	x, y := c.xy(end)
	c.doc.CurveBezierCubicTo(cx0, cy0, cx1, cy1, x, y)
}

// arc draws an arc as cubic curves of at most a quarter turn each. The control points are on the
// tangents at (4/3) tan(angle/4) radii, the usual choice. The curve is within 0.03% of the radius
// of the circle.
func (c *PDF) arc(a vg.PathComp, started bool) {
	at := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: a.Pos.X + a.Radius*vg.Length(cos), Y: a.Pos.Y + a.Radius*vg.Length(sin)}
	}
	tangent := func(angle, length float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: -vg.Length(sin * length), Y: vg.Length(cos * length)}
	}
	x, y := c.xy(at(a.Start))
	if started {
		c.doc.LineTo(x, y)
	} else {
		c.doc.MoveTo(x, y)
	}
	n := int(math.Ceil(math.Abs(a.Angle)/(math.Pi/2) - 1e-9))
	for i := range n {
		part := a.Angle / float64(n)
		from := a.Start + float64(i)*part
		reach := 4.0 / 3 * math.Tan(part/4) * float64(a.Radius)
		c.curve(at(from), []vg.Point{at(from).Add(tangent(from, reach)), at(from + part).Sub(tangent(from+part, reach))}, at(from+part))
	}
}
