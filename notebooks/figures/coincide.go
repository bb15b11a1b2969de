package figures

import "math"

// lineShare is the width of a drawn line over the longest axis of a figure on the screen, 1.6 of
// 360 points.
const lineShare = 1.6 / 360

// Coincide reports whether two curves are drawn as one line. Their points are at the same places
// on one axis. On the other, which is linear or logarithmic, they are at[i] and other[i]. That axis
// goes from low to high, and no two places differ by more than the width of a line.
//
// What lies outside of the axis counts as at its end. Points with NaN, and those of which both are
// outside, do not count. Without other points nothing is drawn, and the result is false.
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
