// Package bounds scales numbers by public bounds.
package bounds

import "math"

// WhyPublic is the end of an error on bounds that are not given.
const WhyPublic = "bounds must be public, and are never computed here: the records' own bounds would reveal records"

// Rule returns the rule that two bounds break, or "".
func Rule(low, high float64) string {
	switch {
	case low > high:
		return "must be Low < High: the ends are exchanged"
	case !(Finite(low) && Finite(high) && low < high && Finite(high-low)):
		return "must be Low < High, finite"
	}
	return ""
}

// Scaled moves x into the bounds and returns it in [-1, 1].
//
//	2 (x - low)/(high - low) - 1
func Scaled(x, low, high float64) float64 {
	return min(1, max(-1, 2*((min(max(x, low), high)-low)/(high-low))-1)) // doubled last: twice the distance may overflow
}

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
