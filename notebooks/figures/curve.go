package figures

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curvePlotter draws one curve. A NaN leaves a gap; an infinity is a triangle at the edge of the axes, so
// that it is not mistaken for missing. On a log axis a value that is not positive counts as -Inf.
type curvePlotter struct {
	curve      Curve
	look       look
	xLog, yLog bool
}

// Plot draws the band, then the line or bars, then the markers.
func (k curvePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	c = k.moved(c)
	x, y := transforms(c, p)
	k.drawBand(c, x, y)
	switch k.curve.Kind {
	case Bars:
		k.drawBars(c, p)
	case Points:
		k.drawErrorBars(c, x, y)
		k.drawMarkers(c, k.points(x, y), 0)
	default:
		for _, run := range k.runs(x, y) {
			c.StrokeLines(k.look.line(), c.ClipLinesXY(k.join(run))...)
			if k.look.marked {
				k.drawMarkers(c, run, k.markerGap())
			}
		}
	}
	k.drawInfinities(c, x)
}

// moved returns the canvas as far to the side as the curve is drawn.
func (k curvePlotter) moved(c draw.Canvas) draw.Canvas {
	const step = 5 // a marker is 4.6 wide
	c.Min.X += vg.Length(k.curve.Dodge) * step
	c.Max.X += vg.Length(k.curve.Dodge) * step
	return c
}

// transforms returns the functions from data to the canvas. They stop far outside of it, where clipping would
// overflow.
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

// runs returns the points that are drawn, cut where one is not.
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
	if k.curve.Kind != Step {
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

// markerGap keeps the markers of a dense line apart; a line of few points shows them all.
func (k curvePlotter) markerGap() vg.Length {
	if len(k.curve.X) <= 15 {
		return 0
	}
	return 42
}

// drawMarkers draws a marker at the points, leaving out those nearer than gap to the last one drawn.
func (k curvePlotter) drawMarkers(c draw.Canvas, points []vg.Point, gap vg.Length) {
	c.SetLineDash(nil, 0)
	last := vg.Point{X: -1e9}
	for _, pt := range points {
		if d := pt.Sub(last); vg.Length(math.Hypot(float64(d.X), float64(d.Y))) < gap || !c.Contains(pt) {
			continue
		}
		c.SetLineStyle(draw.LineStyle{Color: k.look.color, Width: 0.9})
		c.DrawGlyphNoClip(k.look.glyph(), pt)
		last = pt
	}
}

// drawInfinities draws a triangle at the upper or lower edge for each infinite value.
func (k curvePlotter) drawInfinities(c draw.Canvas, x func(float64) vg.Length) {
	const radius = 3.5
	glyph := draw.GlyphStyle{Color: k.look.color, Radius: radius}
	var last vg.Point
	for i, v := range k.curve.Y {
		if !drawable(k.curve.X[i], k.xLog) || math.IsNaN(v) || drawable(v, k.yLog) {
			continue
		}
		pt := vg.Point{X: x(k.curve.X[i]), Y: c.Max.Y - radius}
		glyph.Shape = draw.PyramidGlyph{}
		if v <= 0 { // -Inf, or nothing that a log axis can show
			pt.Y = c.Min.Y + radius
			glyph.Shape = downTriangle{}
		}
		if crowded := pt.Y == last.Y && pt.X-last.X < 3*radius && pt.X > last.X; c.ContainsX(pt.X) && !crowded {
			c.DrawGlyphNoClip(glyph, pt)
			last = pt
		}
	}
}

// downTriangle is a filled triangle that points down.
type downTriangle struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (downTriangle) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, pt vg.Point) {
	r := style.Radius
	c.SetColor(style.Color)
	var path vg.Path
	path.Move(vg.Point{X: pt.X - r*0.87, Y: pt.Y + r/2})
	path.Line(vg.Point{X: pt.X + r*0.87, Y: pt.Y + r/2})
	path.Line(vg.Point{X: pt.X, Y: pt.Y - r})
	path.Close()
	c.Fill(path)
}
