package render

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// axesOf returns the axes and the curves for a cell of the given width, without title and labels.
// The layout draws these itself. gonum/plot would put a label at the arithmetic mean of a log axis,
// with a wide gap next to it.
func axesOf(c chart.Chart, withLegend bool, cell vg.Length) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle = sans(titleSize, true, ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = 5
	p.X.Min, p.X.Max = xRange(c, cell)
	p.Y.Min, p.Y.Max = yRange(c)
	styleAxis(&p.X, c.XLog)
	styleAxis(&p.Y, c.YLog)
	if len(c.XNames) > 0 {
		p.X.Tick.Marker = namedTicks(c.XNames)
		p.X.Tick.Label = namesStyle(c, cell)
	}
	cells, hasCells := cellsOf(c)
	if hasCells {
		cells.ticks(c, p)
	}
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
	p.Add(grid{})
	if hasCells {
		p.Add(cells)
	}
	curves := plotters(c)
	for _, k := range curves {
		p.Add(bandPlotter{k})
	}
	for _, k := range curves {
		p.Add(k)
	}
	if withLegend {
		p.Add(legendPlotter{newLegend(c.Curves), curves})
	}
	return p
}

// plotters returns the curves in the order of drawing: references first, those on top last.
func plotters(c chart.Chart) (out []curvePlotter) {
	styles := looks(c.Curves)
	depth := func(k chart.Curve) int {
		switch {
		case k.Reference:
			return 0
		case k.OnTop:
			return 2
		}
		return 1
	}
	for i, k := range c.Curves {
		if k.Kind != chart.Cells { // cellsPlotter draws them
			out = append(out, curvePlotter{k, styles[i], c.XLog, c.YLog})
		}
	}
	slices.SortStableFunc(out, func(a, b curvePlotter) int { return depth(a.curve) - depth(b.curve) })
	return out
}

func styleAxis(a *plot.Axis, log bool) {
	handler := a.Label.TextStyle
	a.Label.TextStyle = sans(labelSize, false, ink)
	a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = handler.XAlign, handler.YAlign
	a.Label.Padding = 3
	a.Tick.Label = sans(tickSize, false, ink)
	a.Tick.Length = 5
	a.Tick.LineStyle = draw.LineStyle{Color: paleInk, Width: 0.6}
	a.LineStyle = draw.LineStyle{Color: paleInk, Width: 0.8}
	a.Padding = 0
	a.Tick.Marker = linearTicks{}
	if log {
		a.Tick.Marker = logTicks{}
		a.Scale = plot.LogScale{}
	}
}

// grid draws a pale line at each labeled tick.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := transforms(c, p)
	style := draw.LineStyle{Color: gridInk, Width: 0.6}
	line := func(a, b vg.Point) { c.StrokeLines(style, c.ClipLinesXY([]vg.Point{a, b})...) }
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			line(vg.Point{X: x(t.Value), Y: c.Min.Y}, vg.Point{X: x(t.Value), Y: c.Max.Y})
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			line(vg.Point{X: c.Min.X, Y: y(t.Value)}, vg.Point{X: c.Max.X, Y: y(t.Value)})
		}
	}
}
