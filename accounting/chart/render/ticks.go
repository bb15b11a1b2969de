package render

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/chart"
)

// linearTicks marks round values, about four to eight of them, in steps of 1, 2 or 5 times a power
// of ten. If the values differ too little for short labels, labels show the distance from the base.
// An axis whose ends differ only by rounding has one mark.
type linearTicks struct{}

// Ticks returns the marks in [low, high].
func (linearTicks) Ticks(low, high float64) []plot.Tick {
	step := roundStep((high - low) / 5)
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	if flat(low, high) {
		return []plot.Tick{{Value: low + (high-low)/2, Label: chart.Format(low, 0)}}
	}
	from := base(low, high)
	low, high = low-from, high-from
	var ticks []plot.Tick
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	for k := first; k <= last && len(ticks) < 50; k++ {
		v := chart.Round(k*step, 12)
		ticks = append(ticks, plot.Tick{Value: from + v, Label: tickLabel(v, step, math.Max(math.Abs(low), math.Abs(high)))})
	}
	return ticks
}

// base returns the value that the tick labels of a linear axis are relative to. It is 0 if five
// digits distinguish the ends of the axis, and if these are flat. Otherwise it is a value near them
// with few digits.
func base(low, high float64) float64 {
	size := math.Max(math.Abs(low), math.Abs(high))
	if !(high-low < 1e-4*size) || flat(low, high) {
		return 0
	}
	whole := math.Pow(10, math.Ceil(math.Log10(high-low)))
	return chart.Round(math.Round((low+high)/2/whole)*whole, 15)
}

// countedFrom adds the base of the ticks to the label of an axis, if it is not 0.
func countedFrom(label string, low, high float64, log bool) string {
	if log && !linearOnLog(low, high) {
		return label
	}
	switch from := base(low, high); {
	case from == 0:
		return label
	case from < 0:
		return label + " + " + plain(-from)
	default:
		return label + " − " + plain(from)
	}
}

// plain writes a positive value with all its digits.
func plain(v float64) string {
	if v == math.Trunc(v) && v < 1e16 {
		return chart.Grouped(v)
	}
	return chart.Scientific(v)
}

// roundStep returns the value nearest to v on a log scale among 1, 2 or 5 times a power of ten.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	switch m := v / power; {
	case m < math.Sqrt(2):
		return power
	case m < math.Sqrt(10):
		return 2 * power
	case m < math.Sqrt(50):
		return 5 * power
	}
	return 10 * power
}

// tickLabel writes v with the digits that a step of this size needs, on an axis that reaches to
// extreme.
func tickLabel(v, step, extreme float64) string {
	if v == 0 {
		return "0"
	}
	if extreme >= 1e6 || step < 1e-5 {
		return chart.Scientific(chart.Round(v, 5))
	}
	digits := int(math.Max(0, math.Ceil(-math.Log10(step)-1e-9)))
	return chart.Minus(strconv.FormatFloat(v, 'f', digits, 64))
}

// logTicks marks the powers of ten. On less than two decades it also marks 2 and 5 times these. On
// a still shorter axis it marks round values, see linearOnLog.
type logTicks struct{}

// Ticks returns the marks in [low, high]; both are > 0.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	if linearOnLog(low, high) {
		return linearTicks{}.Ticks(low, high)
	}
	decades := math.Log10(high / low)
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	stride := 1 + (last-first)/6 // at most seven labels, as powers are wide
	var ticks []plot.Tick
	add := func(v float64, label string) {
		if v >= low*(1-1e-9) && v <= high*(1+1e-9) {
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	for e := first; e <= last; e++ {
		power := math.Pow(10, float64(e))
		label := ""
		if e%stride == 0 {
			label = powerLabel(e, first, last)
		}
		add(power, label)
		for m := 2.0; m <= 9 && stride <= 2; m++ {
			label := ""
			if decades < 2 && (m == 2 || m == 5) {
				label = tickLabel(m*power, power, high)
			}
			add(m*power, label)
		}
	}
	return ticks
}

// linearOnLog reports whether a log axis is so short that it has the marks of a linear one.
func linearOnLog(low, high float64) bool { return math.Log10(high/low) < 0.7 }

// powerLabel writes 10^e as a decimal if the whole axis is between 0.001 and 100000, else as a
// power.
func powerLabel(e, first, last int) string {
	if first >= -3 && last <= 5 {
		return strconv.FormatFloat(math.Pow(10, float64(e)), 'f', max(0, -e), 64)
	}
	return chart.Power(e)
}

// namedTicks marks the places 1, 2, and so on by names.
type namedTicks []string

// Ticks returns the marks in [low, high].
func (names namedTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for i, name := range names {
		if place := float64(i + 1); place >= low && place <= high {
			ticks = append(ticks, plot.Tick{Value: place, Label: name})
		}
	}
	return ticks
}

// longestName returns the name of a place that is the widest.
func longestName(c chart.Chart) string {
	style := sans(tickSize, false, ink)
	return slices.MaxFunc(c.XNames, func(a, b string) int { return cmp.Compare(style.Width(a), style.Width(b)) })
}

// nameRoom returns the width of one place on an axis with names, for a cell of the given width.
func nameRoom(c chart.Chart, cell vg.Length) vg.Length {
	const axes = 0.8 // the part of the cell that the axis has, at least
	low, high := xRange(c, cell)
	return axes * cell / vg.Length(high-low)
}

// namesStyle returns the style of the names of places: a smaller one if a name is long.
func namesStyle(c chart.Chart, cell vg.Length) text.Style {
	return fitted(sans(tickSize, false, ink), longestName(c), nameRoom(c, cell))
}
