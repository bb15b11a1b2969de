package render

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// cellsPlotter draws the cells of a heat map.
type cellsPlotter struct {
	curve      chart.Curve
	xLog, yLog bool
	colors     colorScale
}

// cellsOf returns the cells of a chart. ok is false if it has none.
func cellsOf(c chart.Chart) (k cellsPlotter, ok bool) {
	i := slices.IndexFunc(c.Curves, func(k chart.Curve) bool { return k.Kind == chart.Cells })
	if i < 0 {
		return cellsPlotter{}, false
	}
	return cellsPlotter{c.Curves[i], c.XLog, c.YLog, colorsOf(c, c.Curves[i].Z)}, true
}

// Plot implements plot.Plotter. It crosses out the places of the grid without a value.
func (k cellsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := transforms(c, p)
	columns, rows := edgesOf(k.curve.X, k.xLog), edgesOf(k.curve.Y, k.yLog)
	box := func(column, row span) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x(column.from), Y: y(row.from)}, Max: vg.Point{X: x(column.to), Y: y(row.to)}}
	}
	known := map[[2]float64]float64{}
	for i, z := range k.curve.Z {
		known[[2]float64{k.curve.X[i], k.curve.Y[i]}] = z
	}
	size := k.textSize(columns, rows, box)
	for _, row := range rows {
		for _, column := range columns {
			r := box(column, row)
			z, ok := known[[2]float64{column.at, row.at}]
			if !ok || math.IsNaN(z) {
				crossOut(c, r)
				continue
			}
			at, middle := k.colors.share(z), r.Min.Add(r.Max).Scale(0.5)
			c.FillPolygon(shade(at), c.ClipPolygonXY(corners(framed(r))))
			if size > 0 && c.Contains(middle) {
				style := sans(size, false, contrast(at))
				style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
				c.FillText(style, middle.Add(textRise), k.colors.text(z))
			}
		}
	}
}

// textRise moves letters up to the middle of their line.
var textRise = vg.Point{Y: 0.7}

// span is a place on an axis, with the ends of its cells.
type span struct{ at, from, to float64 }

// edgesOf returns the different places in growing order. A cell ends halfway to its neighbors. The
// first and the last are symmetric. A single one is 1 wide, or a factor of 4 on a log axis.
func edgesOf(values []float64, log bool) []span {
	scale, back := scale(log)
	var places []float64
	for _, v := range values {
		if drawable(v, log) {
			places = append(places, v)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	spans := make([]span, len(places))
	for i, v := range places {
		half := [2]float64{0.5, 0.5} // to the left and to the right
		if log {
			half = [2]float64{math.Ln2, math.Ln2}
		}
		if i > 0 {
			half[0] = (scale(v) - scale(places[i-1])) / 2
		}
		if i < len(places)-1 {
			half[1] = (scale(places[i+1]) - scale(v)) / 2
		}
		switch {
		case len(places) == 1:
		case i == 0:
			half[0] = half[1]
		case i == len(places)-1:
			half[1] = half[0]
		}
		spans[i] = span{v, back(scale(v) - half[0]), back(scale(v) + half[1])}
	}
	return spans
}

// frame returns the ends of an axis on which cells are at these places. They end the cells, or are
// at low and high if other points are beyond.
func (cellsPlotter) frame(places []float64, log bool, low, high float64) (first, last float64) {
	spans := edgesOf(places, log)
	if len(spans) == 0 {
		return widen(low, high, log, 0.05)
	}
	return min(low, spans[0].from), max(high, spans[len(spans)-1].to)
}

// cellGap is the width of the white line between cells, if they are at least cellGapFrom long.
const cellGap, cellGapFrom = vg.Length(0.6), vg.Length(7)

// framed returns what is filled of a cell: less than its rectangle if there is a white line, or a
// little more. Then no line of the background shows between neighbors.
func framed(r vg.Rectangle) vg.Rectangle {
	air := cellGap / 2
	if min(r.Max.X-r.Min.X, r.Max.Y-r.Min.Y) < cellGapFrom {
		air = -0.4
	}
	r.Min, r.Max = r.Min.Add(vg.Point{X: air, Y: air}), r.Max.Sub(vg.Point{X: air, Y: air})
	return r
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}}
}

// crossOut draws a white cell with a cross.
func crossOut(c draw.Canvas, r vg.Rectangle) {
	c.FillPolygon(color.White, c.ClipPolygonXY(corners(r)))
	r = framed(r)
	c.StrokeLines(draw.LineStyle{Color: paleInk, Width: 0.5}, c.ClipLinesXY(
		[]vg.Point{r.Min, r.Max}, []vg.Point{{X: r.Min.X, Y: r.Max.Y}, {X: r.Max.X, Y: r.Min.Y}})...)
}

// textSize returns the size of the letters of the values in the cells: that of ticks, or down to
// 0.7 of it. It is 0 if they do not fit into each cell.
func (k cellsPlotter) textSize(columns, rows []span, box func(column, row span) vg.Rectangle) vg.Length {
	width, height := vg.Length(math.Inf(1)), vg.Length(math.Inf(1))
	for _, column := range columns {
		for _, row := range rows {
			size := box(column, row).Size()
			width, height = min(width, size.X), min(height, size.Y)
		}
	}
	style, widest := sans(tickSize, false, ink), vg.Length(1)
	for _, z := range k.curve.Z {
		if !math.IsNaN(z) {
			widest = max(widest, style.Width(k.colors.text(z)))
		}
	}
	size := tickSize * min(1, 0.85*width/widest, 0.7*height/tickSize)
	if size < 0.7*tickSize {
		return 0
	}
	return size
}

// placesTicks marks the places of cells, each with its value.
type placesTicks []span

// Ticks returns the marks in [low, high].
func (places placesTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for _, s := range places {
		if s.at >= low && s.at <= high {
			ticks = append(ticks, plot.Tick{Value: s.at, Label: chart.Format(s.at, 0)})
		}
	}
	return ticks
}

// ticks marks the places of the cells, if there are few on an axis.
func (k cellsPlotter) ticks(c chart.Chart, p *plot.Plot) {
	if places := edgesOf(k.curve.X, k.xLog); len(places) <= mostPlaces && len(c.XNames) == 0 {
		p.X.Tick.Marker = placesTicks(places)
	}
	if places := edgesOf(k.curve.Y, k.yLog); len(places) <= mostPlaces {
		p.Y.Tick.Marker = placesTicks(places)
	}
}

// mostPlaces is the largest number of places of cells with a tick each.
const mostPlaces = 12

// remark explains crosses and colors that are not on the scale, if there are any.
func (k cellsPlotter) remark() []string {
	missing, beyond := 0, 0
	places := len(edgesOf(k.curve.X, false)) * len(edgesOf(k.curve.Y, false))
	for _, z := range k.curve.Z {
		switch {
		case math.IsNaN(z):
			missing++
		case !within(share(z, k.colors.low, k.colors.high, false)): // values at an end may be off it by rounding
			beyond++
		}
	}
	missing += places - len(k.curve.Z)
	var out []string
	if missing > 0 {
		out = append(out, fmt.Sprintf("A cross marks a cell without a value: %d of %d.", missing, places))
	}
	if beyond > 0 {
		out = append(out, fmt.Sprintf("Values beyond the ends of the color bar have the color of the end: %d of %d.", beyond, places))
	}
	return out
}

// text writes a value with the digits that distinguish 500 parts of the scale. If these are too
// many, it has four significant ones.
func (s colorScale) text(z float64) string {
	if math.IsInf(z, 0) {
		return chart.Format(z, 0)
	}
	digits := int(math.Ceil(-math.Log10(roundStep((s.high - s.low) / 500))))
	size := math.Max(math.Abs(s.low), math.Abs(s.high))
	if digits < 0 || digits > 5 || size >= 1e6 {
		return chart.Format(chart.Round(z, 4), 0)
	}
	return chart.Minus(strconv.FormatFloat(z, 'f', digits, 64))
}
