package figures

import "math"

// lineShare is the width of a drawn line over the longest axis of a figure on the screen, 1.6 of 360 points.
const lineShare = 1.6 / 360

// Coincide reports whether two curves with the same points on one axis lie within the width of a line along an axis from low to
// high, linear or logarithmic: at[i] and other[i] are their places on it. Points of which one is outside of it do not count.
func Coincide(at, other []float64, low, high float64, log bool) bool {
	place := func(v float64) float64 { return v }
	if log {
		place = math.Log
	}
	for i, v := range at {
		inside := v >= low && v <= high && other[i] >= low && other[i] <= high
		if apart := math.Abs(place(v) - place(other[i])); inside && !(apart <= lineShare*(place(high)-place(low))) {
			return false
		}
	}
	return true
}
