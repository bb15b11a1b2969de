package render

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// draw draws the figure onto a canvas of the layout's size.
func (l layout) draw(c draw.Canvas) {
	if l.picture != nil {
		l.drawPicture(c)
		return
	}
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	y := c.Max.Y
	if len(l.title) > 0 {
		y -= margin
		y = textLines(c, y, titleSize+1, true, ink, l.title)
	}
	for i := range l.charts {
		column, room := vg.Length(i%l.columns), l.rooms[i/l.columns]
		if i > 0 && i%l.columns == 0 {
			y -= l.cell.Y + l.rooms[i/l.columns-1]
		}
		l.drawChart(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X + column*l.cell.X, Y: y - l.cell.Y - room},
			Max: vg.Point{X: c.Min.X + (column+1)*l.cell.X, Y: y},
		}}, i)
	}
	y -= l.cell.Y + l.rooms[len(l.rooms)-1]
	if size := l.legend.size(); size.Y > 0 {
		l.legend.draw(c, vg.Point{X: c.Center().X - size.X/2, Y: y})
		y -= size.Y
	}
	textLines(c, y, noteSize, false, paleInk, l.notes)
}

// drawChart draws chart i into its cell, with its legend inside or below.
func (l layout) drawChart(c draw.Canvas, i int) {
	below := l.below[i].size()
	room := l.rooms[i/l.columns]
	l.below[i].draw(c, vg.Point{X: c.Center().X - below.X/2, Y: c.Min.Y + room})
	c.Min.Y += room
	outside := below.Y > 0 || l.legend.size().Y > 0
	p := axesOf(l.charts[i], !outside, l.cell.X)
	area := l.axes(c, i, p)
	data := p.DataCanvas(area)
	l.drawWords(c, data, i)
	p.Draw(area)
	drawColorBar(c, data, l.charts[i])
	drawRight(c, data, l.charts[i])
	if empty(l.charts[i], l.cell.X) {
		style := sans(labelSize, true, paleInk)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		c.FillText(fitted(style, nothingDrawn, data.Size().X), data.Center(), nothingDrawn)
	}
}

// nothingDrawn is the text in axes that show no part of their curves.
const nothingDrawn = "nothing lies within these axes"

// axes returns the part of a cell for the axes, without the title and the labels.
func (l layout) axes(cell draw.Canvas, i int, p *plot.Plot) draw.Canvas {
	label := labelSize * 1.5
	top := vg.Length(len(l.chartTitle(i)))*titleSize*1.25 + margin
	return draw.Crop(cell, margin+label, -margin-barRoom(l.charts[i])-rightRoom(l.charts[i]), margin/2+label, -top-margin/2)
}

func (l layout) chartTitle(i int) []string {
	if l.charts[i].Title == "" {
		return nil
	}
	return wrap(sans(titleSize, true, ink), l.charts[i].Title, l.cell.X-2*margin)
}

// drawWords draws the title over the cell, and the labels at the middle of the axes.
func (l layout) drawWords(cell, data draw.Canvas, i int) {
	textLines(cell, cell.Max.Y-margin/2, titleSize, true, ink, l.chartTitle(i))
	style := sans(labelSize, false, ink)
	style.XAlign = draw.XCenter
	label := l.xLabel(l.charts[i])
	x := fitted(style, label, cell.Size().X-2*margin)
	at := min(data.Center().X, cell.Max.X-margin-x.Width(label)/2)
	at = max(at, cell.Min.X+margin+x.Width(label)/2)
	cell.FillText(x, vg.Point{X: at, Y: cell.Min.Y + margin}, label)
	verticalLabel(cell, data, cell.Min.X+margin/2, yLabel(l.charts[i]))
}

// verticalLabel draws a label that reads upwards, from x to the right, at the middle of the axes.
func verticalLabel(cell, data draw.Canvas, x vg.Length, label string) {
	style := fitted(sans(labelSize, false, ink), label, min(cell.Size().Y-2*margin, data.Size().Y*1.15))
	at := max(data.Center().Y, cell.Min.Y+margin+style.Width(label)/2)
	at = min(at, max(cell.Max.Y-margin-style.Width(label)/2, cell.Center().Y))
	style.Rotation = math.Pi / 2
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	cell.FillText(style, vg.Point{X: x, Y: at}, label)
}

// xLabel returns the label of the x axis, with the base of its ticks.
func (l layout) xLabel(c chart.Chart) string {
	low, high := xRange(c, l.cell.X)
	return countedFrom(c.XLabel, low, high, c.XLog)
}

// yLabel returns the label of the y axis, with the base of its ticks.
func yLabel(c chart.Chart) string {
	low, high := yRange(c)
	return countedFrom(c.YLabel, low, high, c.YLog)
}

// textLines draws lines from y down, and returns the y of the next line.
func textLines(c draw.Canvas, y, size vg.Length, bold bool, ink color.Color, lines []string) vg.Length {
	style := sans(size, bold, ink)
	style.YAlign = draw.YTop
	x := c.Min.X + margin
	if bold {
		style.XAlign, x = draw.XCenter, c.Center().X
	}
	for _, line := range lines {
		c.FillText(fitted(style, line, c.Size().X-2*margin), vg.Point{X: x, Y: y}, line)
		y -= size * 1.25
	}
	return y
}
