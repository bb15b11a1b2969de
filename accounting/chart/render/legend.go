package render

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// legend is a box with a sample and a label for each curve.
type legend struct {
	labels  []string // a label with line breaks has several lines
	looks   []look
	style   text.Style
	columns int
}

const (
	sampleWidth = vg.Length(24)
	legendPad   = vg.Length(4)
)

// newLegend returns the legend of the labeled curves, in one column.
func newLegend(curves []chart.Curve) legend {
	l := legend{style: sans(legendSize, false, ink), columns: 1}
	for i, look := range looks(curves) {
		if curves[i].Label != "" {
			l.labels = append(l.labels, curves[i].Label)
			l.looks = append(l.looks, look)
		}
	}
	return l
}

// within returns the legend in as many columns as fit into the width. Its font becomes smaller if
// needed. Labels that are still too long have several lines.
func (l legend) within(width vg.Length) legend {
	if len(l.labels) == 0 {
		return l
	}
	longest := l.labels[0]
	for _, label := range l.labels {
		if l.style.Width(label) > l.style.Width(longest) {
			longest = label
		}
	}
	room := width - sampleWidth - 4*legendPad
	if style := fitted(l.style, longest, room); style.Width(longest) <= room*1.001 { // up to rounding
		l.style = style
	} else {
		l.labels = slices.Clone(l.labels)
		for i, label := range l.labels {
			l.labels[i] = strings.Join(wrap(l.style, label, room), "\n")
		}
	}
	l.columns = min(max(1, int((width-2*legendPad)/l.cell().X)), len(l.labels))
	rows := l.rows()
	l.columns = (len(l.labels) + rows - 1) / rows // no empty column
	return l
}

func (l legend) rows() int { return (len(l.labels) + l.columns - 1) / l.columns }

// cell returns the size of one entry.
func (l legend) cell() vg.Point {
	var width vg.Length
	lines := 1
	for _, label := range l.labels {
		for _, line := range strings.Split(label, "\n") {
			width = max(width, l.style.Width(line))
		}
		lines = max(lines, strings.Count(label, "\n")+1)
	}
	return vg.Point{X: sampleWidth + width + 3*legendPad, Y: l.style.Font.Size * 1.35 * vg.Length(lines)}
}

// size returns the size of the whole box.
func (l legend) size() vg.Point {
	if len(l.labels) == 0 {
		return vg.Point{}
	}
	cell := l.cell()
	return vg.Point{X: cell.X*vg.Length(l.columns) + legendPad, Y: cell.Y*vg.Length(l.rows()) + 2*legendPad}
}

// draw draws the box with its upper left corner at the point. Entries run down the columns.
func (l legend) draw(c draw.Canvas, at vg.Point) {
	if len(l.labels) == 0 {
		return
	}
	size, cell := l.size(), l.cell()
	box := []vg.Point{at, {X: at.X + size.X, Y: at.Y}, {X: at.X + size.X, Y: at.Y - size.Y}, {X: at.X, Y: at.Y - size.Y}}
	c.FillPolygon(color.NRGBA{0xff, 0xff, 0xff, 0xd8}, box)
	style := l.style
	style.YAlign = draw.YCenter
	for i, label := range l.labels {
		column, row := i/l.rows(), i%l.rows()
		pt := vg.Point{X: at.X + legendPad + vg.Length(column)*cell.X, Y: at.Y - legendPad - (vg.Length(row)+0.5)*cell.Y}
		l.looks[i].sample(c, pt)
		lines := strings.Split(label, "\n")
		for j, line := range lines {
			up := (float64(len(lines)-1)/2 - float64(j)) * 1.35
			c.FillText(style, vg.Point{X: pt.X + sampleWidth + legendPad, Y: pt.Y + 0.7 + vg.Length(up)*style.Font.Size}, line)
		}
	}
}

// sample draws a sample of the curve, from the point to the right.
func (l look) sample(c draw.Canvas, at vg.Point) {
	mid := vg.Point{X: at.X + sampleWidth/2, Y: at.Y}
	switch l.kind {
	case chart.Bars:
		box := []vg.Point{{X: at.X + 6, Y: at.Y - 3}, {X: at.X + 6, Y: at.Y + 3}, {X: at.X + 18, Y: at.Y + 3}, {X: at.X + 18, Y: at.Y - 3}}
		c.FillPolygon(l.faded(0x66), box)
		c.StrokeLines(draw.LineStyle{Color: l.color, Width: 0.8}, append(box, box[0]))
		return
	case chart.Boxes:
		l.box(c, []vg.Point{{X: at.X + 8, Y: at.Y - 3.5}, {X: at.X + 8, Y: at.Y + 3.5}, {X: at.X + 16, Y: at.Y + 3.5}, {X: at.X + 16, Y: at.Y - 3.5}})
		c.StrokeLines(draw.LineStyle{Color: l.color, Width: 1.6}, []vg.Point{{X: at.X + 8, Y: at.Y}, {X: at.X + 16, Y: at.Y}})
		return
	case chart.Points:
	default:
		l.stroke(c, []vg.Point{at, {X: at.X + sampleWidth, Y: at.Y}})
	}
	if l.marked || l.kind == chart.Points {
		l.mark(c, mid)
	}
}

// legendPlotter draws a legend inside the axes, in the place where it hides least.
type legendPlotter struct {
	legend legend
	curves []curvePlotter
}

// Plot implements plot.Plotter.
func (l legendPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	at, _ := l.place(c, p)
	l.legend.draw(c, at)
}

// place returns the upper left corner of the emptiest place, corners first, and the number of
// samples of the curves under it.
func (l legendPlotter) place(c draw.Canvas, p *plot.Plot) (best vg.Point, hidden int) {
	size, area := l.legend.size(), c.Size()
	if size.X+4 > area.X || size.Y+4 > area.Y {
		return vg.Point{X: c.Min.X + 2, Y: c.Max.Y - 2}, math.MaxInt
	}
	samples := l.samples(c, p)
	hidden = math.MaxInt
	for _, f := range []vg.Point{{X: 1, Y: 1}, {X: 0, Y: 1}, {X: 1, Y: 0}, {X: 0, Y: 0},
		{X: 0.5, Y: 1}, {X: 1, Y: 0.5}, {X: 0, Y: 0.5}, {X: 0.5, Y: 0}, {X: 0.5, Y: 0.5}} {
		at := vg.Point{X: c.Min.X + 2 + f.X*(area.X-size.X-4), Y: c.Min.Y + 2 + size.Y + f.Y*(area.Y-size.Y-4)}
		n := 0
		for _, s := range samples {
			if s.X > at.X-3 && s.X < at.X+size.X+3 && s.Y < at.Y+3 && s.Y > at.Y-size.Y-3 {
				n++
			}
		}
		if n < hidden {
			best, hidden = at, n
		}
	}
	return best, hidden
}

// samples returns points along everything that is drawn, at most three points apart.
func (l legendPlotter) samples(c draw.Canvas, p *plot.Plot) (out []vg.Point) {
	for _, k := range l.curves {
		at := k.moved(c)
		x, y := transforms(at, p)
		out = append(out, k.outline(at, x, y)...)
	}
	return out
}
