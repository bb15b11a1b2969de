package accounting

import (
	"encoding/json"
	"fmt"
	"math"
)

// Interval is what a method knows of one privacy number (an ε or a δ): an upper bound
// always, and a lower bound and an estimate where the method has them.
//
// Upper is never below the truth and Lower never above it, up to the error that the
// method's own comment states. Lower is meaningful only if HasLower, Estimate only if
// HasEstimate; both are 0 otherwise.
type Interval struct {
	Lower, Estimate, Upper float64
	HasLower, HasEstimate  bool
}

// UpperBound returns an Interval of which only the upper end is known.
func UpperBound(upper float64) Interval {
	return Interval{Upper: upper}
}

// Certified returns the Interval [lower, upper] with an estimate inside.
// It panics if the three are not in order.
func Certified(lower, estimate, upper float64) Interval {
	if !(lower <= estimate && estimate <= upper) {
		panic(fmt.Sprintf("accounting: interval %g <= %g <= %g is out of order", lower, estimate, upper))
	}
	return Interval{Lower: lower, Estimate: estimate, Upper: upper, HasLower: true, HasEstimate: true}
}

// Exact returns the Interval of a number that is known to rounding.
func Exact(value float64) Interval {
	return Certified(value, value, value)
}

// Width returns Upper - Lower; +Inf if no lower bound is known.
func (i Interval) Width() float64 {
	if !i.HasLower {
		return math.Inf(1)
	}
	return i.Upper - i.Lower
}

// String shows the upper bound, and the whole interval where it is known.
func (i Interval) String() string {
	if !i.HasLower {
		return fmt.Sprintf("<= %.6g", i.Upper)
	}
	return fmt.Sprintf("in [%.9g, %.9g]", i.Lower, i.Upper)
}

// MarshalJSON writes {"lower":..,"estimate":..,"upper":..}. What the method does not
// give is null, and an infinite value is the string "Infinity".
func (i Interval) MarshalJSON() ([]byte, error) {
	out := struct {
		Lower    any `json:"lower"`
		Estimate any `json:"estimate"`
		Upper    any `json:"upper"`
	}{Upper: jsonNumber(i.Upper)}
	if i.HasLower {
		out.Lower = jsonNumber(i.Lower)
	}
	if i.HasEstimate {
		out.Estimate = jsonNumber(i.Estimate)
	}
	return json.Marshal(out)
}

func jsonNumber(x float64) any {
	if math.IsInf(x, 1) {
		return "Infinity"
	}
	return x
}
