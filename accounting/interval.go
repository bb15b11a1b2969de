package accounting

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Interval has bounds on one privacy number, an ε or a δ. It always has an upper bound. It has a
// lower bound and an estimate if the method has them.
//
// Upper is never below the truth and Lower never above it, up to the error in the method's own
// comment. Lower is 0 unless HasLower, and Estimate is 0 unless HasEstimate. If LowerChecked, the
// lower end was checked in outward-rounded arithmetic. A [Certificate] shows that of an upper end.
//
// An Interval comes from [UpperBound], [Certified], [Exact] or JSON. Any other, such as the zero
// one, was not computed. Its String is "not computed", and it has no JSON form.
type Interval struct {
	Lower, Estimate, Upper float64
	HasLower, HasEstimate  bool
	LowerChecked           bool

	computed bool
}

// Computed reports whether the interval is an answer. The interval that goes with an error is not.
func (i Interval) Computed() bool { return i.computed }

// UpperBound returns an Interval with only an upper end.
func UpperBound(upper float64) Interval {
	return Interval{Upper: upper, computed: true}
}

// Certified returns the Interval [lower, upper] with an estimate inside.
// It panics if the three are not in order, or one is NaN.
func Certified(lower, estimate, upper float64) Interval {
	if !(lower <= estimate && estimate <= upper) {
		panic(fmt.Sprintf("accounting: interval %g <= %g <= %g is out of order", lower, estimate, upper))
	}
	return Interval{Lower: lower, Estimate: estimate, Upper: upper, HasLower: true, HasEstimate: true, computed: true}
}

// Exact returns the Interval of a number that is known to rounding.
// It panics if value is NaN.
func Exact(value float64) Interval {
	return Certified(value, value, value)
}

// NoEpsilon is an ε that was not computed, for a result with an error. Its Upper is +Inf. It also
// serves for other numbers that are more private if smaller, such as a µ.
func NoEpsilon() Interval { return Interval{Upper: math.Inf(1)} }

// NoDelta is a δ, or another chance, that was not computed, for a result with an error. Its Upper
// is 1.
func NoDelta() Interval { return Interval{Upper: 1} }

// WithUpper returns the interval with another upper end, which must not be below the lower end.
func (i Interval) WithUpper(upper float64) Interval {
	if i.HasEstimate {
		i.Estimate = math.Min(i.Estimate, upper)
	}
	i.Upper = upper
	return i
}

// WithLower returns the interval with another lower end, which was checked and must not be above
// the upper end.
func (i Interval) WithLower(lower float64) Interval {
	if i.HasEstimate {
		i.Estimate = math.Max(i.Estimate, lower)
	}
	i.Lower, i.HasLower, i.LowerChecked = lower, true, true
	return i
}

// Width returns Upper - Lower. It is +Inf without a lower bound, and 0 if the ends are equal.
func (i Interval) Width() float64 {
	switch {
	case !i.HasLower:
		return math.Inf(1)
	case i.Lower == i.Upper: // infinities too
		return 0
	}
	return i.Upper - i.Lower
}

// String returns the upper bound, or the whole interval if it is known, each end rounded outwards.
// An interval knows no certificate, so whether its ends were checked is in Guarantee.String only.
// It returns "not computed" if the interval was not computed.
func (i Interval) String() string {
	i.LowerChecked = true
	return i.text(true)
}

// text is String of an interval whose upper end was checked, or was not. An end that was not is
// "about" its value.
func (i Interval) text(checked bool) string {
	about := func(is bool) string {
		if is {
			return ""
		}
		return "about "
	}
	switch {
	case !i.computed:
		return "not computed"
	case !i.HasLower:
		return UpperSign(checked) + " " + numeric.Significant(i.Upper, 6, +1)
	}
	return "in [" + about(i.LowerChecked) + numeric.Significant(i.Lower, 9, -1) + ", " + about(checked) + numeric.Significant(i.Upper, 9, +1) + "]"
}

// UpperSign returns the sign before an upper end: that of a bound if it was checked, and otherwise
// the word for an estimate.
func UpperSign(checked bool) string {
	if checked {
		return "<="
	}
	return "about"
}

var errNotComputed = errors.New("accounting: interval: was not computed: must come from UpperBound, Certified or Exact")

type intervalJSON struct {
	Lower    *Number `json:"lower"`
	Estimate *Number `json:"estimate"`
	Upper    *Number `json:"upper"`

	LowerChecked bool `json:"lower_checked,omitempty"`
}

// MarshalJSON writes {"lower":..,"estimate":..,"upper":..}, and "lower_checked":true of a lower end
// that was checked. A missing value is null, and an infinite value is the string "Infinity" or
// "-Infinity". It returns an error if the interval was not computed.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.computed {
		return nil, errNotComputed
	}
	out := intervalJSON{Upper: (*Number)(&i.Upper), LowerChecked: i.LowerChecked}
	if i.HasLower {
		out.Lower = (*Number)(&i.Lower)
	}
	if i.HasEstimate {
		out.Estimate = (*Number)(&i.Estimate)
	}
	return json.Marshal(out)
}

var intervalShape = shape{"interval", []string{"upper"}, []string{"lower", "estimate", "lower_checked"}}

// UnmarshalJSON reads what MarshalJSON writes. An interval without an upper end, with its ends out
// of order, or with an unknown field is an error.
func (i *Interval) UnmarshalJSON(text []byte) error {
	var in intervalJSON
	if err := intervalShape.read(text, &in); err != nil {
		return err
	}
	read := UpperBound(float64(*in.Upper))
	if in.Lower != nil {
		read.Lower, read.HasLower = float64(*in.Lower), true
	}
	if in.Estimate != nil {
		read.Estimate, read.HasEstimate = float64(*in.Estimate), true
	}
	if read.LowerChecked = in.LowerChecked; read.LowerChecked && !read.HasLower {
		return errors.New("accounting: interval.lower_checked true: must have a lower end")
	}
	if read.HasLower && read.Lower > read.Upper {
		return fmt.Errorf("accounting: interval.lower %g: must be <= upper, %g", read.Lower, read.Upper)
	}
	if read.HasEstimate && (read.Estimate > read.Upper || read.HasLower && read.Estimate < read.Lower) {
		return fmt.Errorf("accounting: interval.estimate %g: must be between lower and upper, at most %g", read.Estimate, read.Upper)
	}
	*i = read
	return nil
}

// Number is a float64 with a JSON form for infinite values: the string "Infinity" or "-Infinity".
// NaN is an error.
type Number float64

// MarshalJSON writes the number with all its digits.
func (x Number) MarshalJSON() ([]byte, error) {
	switch {
	case math.IsInf(float64(x), 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(float64(x), -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(x)) // NaN is an error
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"Infinity"`:
		*x = Number(math.Inf(1))
		return nil
	case `"-Infinity"`:
		*x = Number(math.Inf(-1))
		return nil
	}
	var value float64
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("accounting: number %s: must be a number, \"Infinity\" or \"-Infinity\"", text)
	}
	*x = Number(value)
	return nil
}
