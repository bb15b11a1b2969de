package render

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// colorScale maps values from low to high to colors.
type colorScale struct{ low, high float64 }

// colorsOf returns the scale of a chart whose cells have these values.
func colorsOf(c chart.Chart, values []float64) colorScale {
	if c.ZMin != 0 || c.ZMax != 0 {
		return colorScale{c.ZMin, c.ZMax}
	}
	low, high := extend(math.Inf(1), math.Inf(-1), values, false)
	if low >= high { // one value, or none
		low, high = widen(low, high, false, 0)
	}
	return colorScale{low, high}
}

// share returns the place of a value on the scale, from 0 to 1.
func (s colorScale) share(z float64) float64 {
	return min(max(z/(s.high-s.low)-s.low/(s.high-s.low), 0), 1)
}

// colorLevels is the number of different colors of cells. It is below areaColors, so an image
// in a palette keeps each of them.
const colorLevels = 64

// viridis has equally spaced colors of the scale of this name, by Nathaniel Smith and Stéfan van
// der Walt (matplotlib, CC0). Its lightness grows evenly, for any color vision and without color.
var viridis = [...][3]float64{
	{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b}, {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c},
	{0x28, 0xae, 0x80}, {0x5e, 0xc9, 0x62}, {0xad, 0xdc, 0x30}, {0xfd, 0xe7, 0x25},
}

// shade returns the color at a place of the scale, from 0 to 1, in one of colorLevels steps.
func shade(at float64) color.NRGBA {
	at = math.Min(math.Floor(at*colorLevels), colorLevels-1) / (colorLevels - 1) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	mixed := func(channel int) uint8 {
		a, b := viridis[i][channel], viridis[i+1][channel]
		return uint8(math.Round(a + (b-a)*(at-float64(i))))
	}
	return color.NRGBA{mixed(0), mixed(1), mixed(2), 0xff}
}

// contrast returns the color of letters on the shade at a place of the scale.
func contrast(at float64) color.Color {
	if at < 0.5 {
		return color.White
	}
	return ink
}

// The color bar is barWidth wide, and barAir right of the axes. Its ticks have the length barTick.
const barWidth, barAir, barTick = vg.Length(9), vg.Length(8), vg.Length(3)

// barRoom returns the width that the color bar takes of a chart's cell. It is 0 without cells.
func barRoom(c chart.Chart) vg.Length {
	k, ok := cellsOf(c)
	if !ok {
		return 0
	}
	return barAir + barWidth + k.colors.tickRoom() + labelSize*1.3
}

// ticks returns the marks of the color bar.
func (s colorScale) ticks() []plot.Tick { return linearTicks{}.Ticks(s.low, s.high) }

// tickRoom returns the width of the ticks and their labels.
func (s colorScale) tickRoom() vg.Length {
	style, widest := sans(tickSize, false, ink), vg.Length(0)
	for _, t := range s.ticks() {
		widest = max(widest, style.Width(t.Label))
	}
	return barTick + 2 + widest + 4
}

// drawColorBar draws the color bar right of the axes, with its ticks and its label.
func drawColorBar(cell, data draw.Canvas, c chart.Chart) {
	k, ok := cellsOf(c)
	if !ok {
		return
	}
	left := data.Max.X + barAir
	bar := vg.Rectangle{Min: vg.Point{X: left, Y: data.Min.Y}, Max: vg.Point{X: left + barWidth, Y: data.Max.Y}}
	height := bar.Size().Y
	for i := range colorLevels { // each level reaches to the top, so no gap shows between two
		from := bar
		from.Min.Y += height * vg.Length(i) / colorLevels
		cell.FillPolygon(shade((float64(i)+0.5)/colorLevels), corners(from))
	}
	line := draw.LineStyle{Color: paleInk, Width: 0.6}
	cell.StrokeLines(line, append(corners(bar), bar.Min))
	style := sans(tickSize, false, ink)
	style.YAlign = draw.YCenter
	for _, t := range k.colors.ticks() {
		y := bar.Min.Y + height*vg.Length(k.colors.share(t.Value))
		cell.StrokeLines(line, []vg.Point{{X: bar.Max.X, Y: y}, {X: bar.Max.X + barTick, Y: y}})
		cell.FillText(style, vg.Point{X: bar.Max.X + barTick + 2, Y: y}.Add(textRise), t.Label)
	}
	verticalLabel(cell, data, bar.Max.X+k.colors.tickRoom(), countedFrom(c.ZLabel, k.colors.low, k.colors.high, false))
}
