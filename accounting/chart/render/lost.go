package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

// loss is a way in which a part of a curve is not drawn.
type loss struct {
	what string // what the curve has
	why  string
}

// The losses, in the order in which they are listed.
const (
	notNumbers = iota
	outside
	cutBars
	bandNotNumbers
	cutBands
	losses
)

// ways name the losses. The first three count points, the others ranges.
var ways = [losses]loss{
	notNumbers:     {"points", "not numbers"},
	outside:        {"points", "outside of the axes"},
	cutBars:        {"bars", "cut at the frame"},
	bandNotNumbers: {"ranges", "not numbers"}, // a band's or an error bar's, at one point
	cutBands:       {"ranges", "cut at the frame"},
}

// tally counts the points, the ranges and the losses of the curves of one label.
type tally struct {
	label          string
	points, ranges int
	lost           [losses]int
}

// lostIn counts the parts of a curve that are not drawn in a chart with these ends of its axes.
func (k curvePlotter) lostIn(xLow, xHigh, yLow, yHigh float64) (t tally) {
	t.label, t.points, t.ranges = k.curve.Label, len(k.curve.X), len(k.curve.Low)
	half, base := 0.0, 0.0 // of bars: half a width, and the lower end
	if k.curve.Kind == chart.Bars {
		half = k.barShare(xLow, xHigh) / 2
		if !k.yLog {
			base = share(0, yLow, yHigh, false)
		}
	}
	for i, x := range k.curve.X {
		y := k.curve.Y[i]
		at, height := share(x, xLow, xHigh, k.xLog), share(y, yLow, yHigh, k.yLog)
		arrow := k.beyond(i) != 0
		switch bars := k.curve.Kind == chart.Bars; {
		case math.IsNaN(x) || math.IsNaN(y):
			t.lost[notNumbers]++
		case !within(at) && !(bars && at > -half && at < 1+half):
			t.lost[outside]++
		case arrow || within(height) && (!bars || within(at-half) && within(at+half)):
		case bars && max(height, base) > 0 && min(height, base) < 1:
			t.lost[cutBars]++
		default:
			t.lost[outside]++
		}
		if t.ranges == 0 || !within(at) {
			continue
		}
		low, high := k.curve.Low[i], k.curve.High[i]
		switch {
		case math.IsNaN(low) || math.IsNaN(high):
			t.lost[bandNotNumbers]++
		case !within(share(low, yLow, yHigh, k.yLog)) || !within(share(high, yLow, yHigh, k.yLog)):
			t.lost[cutBands]++
		}
	}
	return t
}

// share returns the distance of v from the low end of an axis, over the length of the axis. It is
// NaN if v has no place on the axis.
func share(v, low, high float64, log bool) float64 {
	if !drawable(v, log) {
		return math.NaN()
	}
	at, _ := scale(log)
	return (at(v) - at(low)) / (at(high) - at(low))
}

// within reports whether a share of an axis is on it, up to rounding.
func within(share float64) bool { return share >= -1e-9 && share <= 1+1e-9 }

// lost returns the tallies of the labels with a loss, in the order of the curves.
func (l *layout) lost() (list []tally) {
	for _, c := range l.charts {
		for _, t := range lostOf(c, l.cell.X) {
			at := slices.IndexFunc(list, func(known tally) bool { return known.label == t.label })
			if at < 0 {
				list = append(list, t)
				continue
			}
			list[at] = list[at].and(t)
		}
	}
	return slices.DeleteFunc(list, func(t tally) bool { return t.lost == [losses]int{} })
}

// lostOf returns the tally of each curve.
func lostOf(c chart.Chart, cell vg.Length) (list []tally) {
	xLow, xHigh := xRange(c, cell)
	yLow, yHigh := yRange(c)
	for _, curve := range c.Curves {
		list = append(list, curvePlotter{curve: curve, xLog: c.XLog, yLog: c.YLog}.lostIn(xLow, xHigh, yLow, yHigh))
	}
	return list
}

func (t tally) and(other tally) tally {
	t.points, t.ranges = t.points+other.points, t.ranges+other.ranges
	for i, n := range other.lost {
		t.lost[i] += n
	}
	return t
}

// empty reports whether the axes show no part of the curves, although some points are numbers.
func empty(c chart.Chart, cell vg.Length) bool {
	for _, t := range lostOf(c, cell) {
		if t.lost[notNumbers]+t.lost[outside] < t.points {
			return false
		}
	}
	var drawn recorder.Canvas
	canvas, p := draw.NewCanvas(&drawn, 100, 100), axesOf(c, false, cell)
	numbers := false
	if cells, ok := cellsOf(c); ok {
		cells.Plot(canvas, p)
		numbers = true
	}
	for _, k := range plotters(c) {
		bandPlotter{k}.Plot(canvas, p)
		k.Plot(canvas, p)
		numbers = numbers || slices.ContainsFunc(k.curve.Y, func(y float64) bool { return !math.IsNaN(y) })
	}
	return numbers && !slices.ContainsFunc(drawn.Actions, func(a recorder.Action) bool {
		_, stroke := a.(*recorder.Stroke)
		_, fill := a.(*recorder.Fill)
		return stroke || fill
	})
}

// said returns the remark on the parts that are not drawn, if there are any.
func said(list []tally) []string {
	const most = 3 // curves by name
	if len(list) > most {
		all := list[0]
		for _, t := range list[1:] {
			all = all.and(t)
		}
		return []string{fmt.Sprintf("Not drawn, of %d curves: %s.", len(list), all.parts())}
	}
	var curves []string
	for _, t := range list {
		name := "the curves without a label"
		if t.label != "" {
			name = "“" + t.label + "”"
		}
		curves = append(curves, fmt.Sprintf("of %s %s", name, t.parts()))
	}
	if len(curves) == 0 {
		return nil
	}
	return []string{"Not drawn: " + strings.Join(curves, "; ") + "."}
}

// parts lists the losses: "1 of 4 points (not numbers), 2 of 4 points (outside of the axes)".
func (t tally) parts() string {
	var list []string
	for i, n := range t.lost {
		of := t.points
		if i >= bandNotNumbers {
			of = t.ranges
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d of %d %s (%s)", n, of, ways[i].what, ways[i].why))
		}
	}
	return strings.Join(list, ", ")
}

// remarks lists the parts that are not drawn, and explains the arrows.
func (l *layout) remarks() []string {
	out := said(l.lost())
	above, below := false, false
	for _, c := range l.charts {
		low, high := xRange(c, l.cell.X)
		if cells, ok := cellsOf(c); ok {
			out = append(out, cells.remark()...)
		}
		for _, curve := range c.Curves {
			k := curvePlotter{curve: curve, xLog: c.XLog, yLog: c.YLog}
			for i, x := range k.curve.X {
				if x >= low && x <= high && !math.IsNaN(k.curve.Y[i]) {
					above = above || k.beyond(i) > 0
					below = below || k.beyond(i) < 0
				}
			}
		}
	}
	if above {
		out = append(out, "An arrow at the upper edge marks a value above all that the axis can show.")
	}
	if below {
		out = append(out, "An arrow at the lower edge marks a value below all that the axis can show.")
	}
	return out
}
