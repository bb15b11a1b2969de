package render

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dplab/dplab/accounting/chart"
)

// withoutRight returns the chart with the curves of its right axis moved to the places of the left
// one, where they are drawn as any other. Both axes get their ends.
func withoutRight(c chart.Chart) chart.Chart {
	if c.RightLabel == "" {
		return c
	}
	left, right := c, chart.Chart{YLog: c.RightLog, YMin: c.RightMin, YMax: c.RightMax}
	left.Curves = nil
	for _, k := range c.Curves {
		if k.Right {
			right.Curves = append(right.Curves, k)
		} else {
			left.Curves = append(left.Curves, k)
		}
	}
	c.YMin, c.YMax = yRange(left)
	c.RightMin, c.RightMax = yRange(right)
	curves := make([]chart.Curve, len(c.Curves))
	for i, k := range c.Curves {
		if k.Right {
			if k.Label != "" {
				k.Label += " (right axis)"
			}
			k.Y, k.Low, k.High = toLeft(c, k.Y), toLeft(c, k.Low), toLeft(c, k.High)
		}
		curves[i] = k
	}
	c.Curves = curves
	return c
}

// toLeft returns the values of the left axis at the places of values of the right one. What has no
// place on the right axis has none on the left one: NaN and infinities stay, and what is not
// positive on a log axis is -Inf. Places far outside of the axes are moved nearer to them, where no
// value overflows.
func toLeft(c chart.Chart, values chart.Series) chart.Series {
	if values == nil {
		return nil
	}
	const far = 10
	at, back := scale(c.YLog)
	low, high := at(c.YMin), at(c.YMax)
	out := make(chart.Series, len(values))
	for i, v := range values {
		share := share(v, c.RightMin, c.RightMax, c.RightLog)
		switch {
		case !math.IsNaN(share):
			out[i] = back(low + min(max(share, -far), far)*(high-low))
		case math.IsNaN(v) || v > 0:
			out[i] = v
		default:
			out[i] = math.Inf(-1)
		}
	}
	return out
}

// rightTicks returns the marks of the right axis.
func rightTicks(c chart.Chart) []plot.Tick {
	if c.RightLog {
		return logTicks{}.Ticks(c.RightMin, c.RightMax)
	}
	return linearTicks{}.Ticks(c.RightMin, c.RightMax)
}

// rightTickRoom returns the width of the ticks of the right axis and their labels.
func rightTickRoom(c chart.Chart) vg.Length {
	style, widest := sans(tickSize, false, ink), vg.Length(0)
	for _, t := range rightTicks(c) {
		widest = max(widest, style.Width(t.Label))
	}
	return rightTick + 2 + widest + 4
}

// rightTick is the length of a labeled tick of the right axis.
const rightTick = vg.Length(5)

// rightRoom returns the width that the right axis takes of a chart's cell. It is 0 without one.
func rightRoom(c chart.Chart) vg.Length {
	if c.RightLabel == "" {
		return 0
	}
	return rightTickRoom(c) + labelSize*1.3
}

// rightLabel returns the label of the right axis, with the base of its ticks.
func rightLabel(c chart.Chart) string {
	return countedFrom(c.RightLabel, c.RightMin, c.RightMax, c.RightLog)
}

// drawRight draws the right axis at the edge of the data, with its ticks and its label.
func drawRight(cell, data draw.Canvas, c chart.Chart) {
	if c.RightLabel == "" {
		return
	}
	edge := data.Max.X
	cell.StrokeLines(draw.LineStyle{Color: paleInk, Width: 0.8}, []vg.Point{{X: edge, Y: data.Min.Y}, {X: edge, Y: data.Max.Y}})
	style := sans(tickSize, false, ink)
	style.YAlign = draw.YCenter
	for _, t := range rightTicks(c) {
		length := rightTick
		if t.IsMinor() {
			length /= 2
		}
		y := data.Min.Y + data.Size().Y*vg.Length(share(t.Value, c.RightMin, c.RightMax, c.RightLog))
		cell.StrokeLines(draw.LineStyle{Color: paleInk, Width: 0.6}, []vg.Point{{X: edge, Y: y}, {X: edge + length, Y: y}})
		cell.FillText(style, vg.Point{X: edge + rightTick + 2, Y: y}.Add(textRise), t.Label)
	}
	verticalLabel(cell, data, edge+rightTickRoom(c), rightLabel(c))
}
