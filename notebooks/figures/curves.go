package figures

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
)

// lineShare is the width of a drawn line over the longest axis of a figure on the screen, 1.6 of
// 360 points.
const lineShare = 1.6 / 360

// Coincide reports whether two curves are drawn as one line. Their points are at the same places
// on one axis. On the other, which is linear or logarithmic, they are at[i] and other[i]. That axis
// goes from low to high, and no two places differ by more than the width of a line.
//
// What lies outside of the axis counts as at its end. Points with NaN, and points at which both
// curves are outside, do not count. Without other points nothing is drawn, and the result is false.
func Coincide(at, other []float64, low, high float64, log bool) bool {
	place := func(v float64) float64 { return v }
	if log {
		place = math.Log
	}
	inside := func(v float64) bool { return v >= low && v <= high }
	onAxis := func(v float64) float64 { return place(min(max(v, low), high)) }
	seen := false
	for i, v := range at {
		if w := other[i]; math.IsNaN(v) || math.IsNaN(w) || !inside(v) && !inside(w) {
			continue
		}
		seen = true
		if math.Abs(onAxis(v)-onAxis(other[i])) > lineShare*(place(high)-place(low)) {
			return false
		}
	}
	return seen
}

// Falls reports where curves that should not fall do so by more than their errors, as an accuracy
// over ε. A curve falls if Low at one X is above High at a larger X.
//
// The result is one sentence with the largest fall of each curve, or none. A point without Low and
// High, or with NaN, is left out. The quantity is what, as "test accuracy". X is along, and Low and
// High are errors, as "its error".
func Falls(what, along, errors string, curves ...chart.Curve) []string {
	var said []string
	for _, k := range curves {
		from, to := largestFall(k)
		if from >= 0 {
			said = append(said, fmt.Sprintf("“%s” from %s at %s to %s at %s", k.Label,
				Short(k.Y[from]), Short(k.X[from]), Short(k.Y[to]), Short(k.X[to])))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The %s falls as %s grows, by more than %s: %s.", what, along, errors, strings.Join(said, "; "))}
}

// largestFall returns the two points between which Low exceeds a later High by the most. Without a
// fall both are -1.
func largestFall(k chart.Curve) (from, to int) {
	from, to = -1, -1
	most := 0.0
	for i := range k.Low {
		for j := range k.High {
			if gap := k.Low[i] - k.High[j]; k.X[i] < k.X[j] && gap > most && !math.IsInf(gap, 1) {
				from, to, most = i, j, gap
			}
		}
	}
	return from, to
}

// Short writes x with three digits.
func Short(x float64) string { return chart.Format(chart.Round(x, 3), 0) }
