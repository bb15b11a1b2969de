package intersected

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
)

// ErrContradiction, wrapped, reports that two accountants contradict each other: the lower end of
// one is above the upper end of the other. One of the two is wrong, which is a fault of this
// module. Please report it.
var ErrContradiction = errors.New("accountants contradict each other")

// Ends may cross by rounding, relative to the larger, without being a contradiction.
const rounding = 1e-9

// narrow reports whether an answer is as narrow as its accountant promises.
func narrow(g accounting.Guarantee) bool { return g.Epsilon.HasLower && len(g.Warnings) == 0 }

// settled reports whether an answer needs no second opinion: it is narrow, and it is exactly 0 or
// lies above 0. An infinite end, or a width of 0 elsewhere, may come from a fault and needs one.
func settled(g accounting.Guarantee) bool {
	e := g.Epsilon
	return narrow(g) && !math.IsInf(e.Upper, 1) && (e.Lower > 0 && e.Lower < e.Upper || e.Upper == 0)
}

// combineAll intersects the answers. There must be at least one. If two contradict each other, the
// error names both.
func combineAll(answers []Answer) (accounting.Guarantee, error) {
	if err := contradiction("ε", answers); err != nil {
		return accounting.NoGuarantee(), err
	}
	out := answers[0].Guarantee
	for _, b := range answers[1:] {
		out = combine(out, b.Guarantee)
	}
	return out, nil
}

// contradiction returns the error of all pairs of answers that have no number in common.
func contradiction(what string, answers []Answer) error {
	var errs []error
	for i, b := range answers {
		for _, a := range answers[:i] {
			if contradict(a.Guarantee.Epsilon, b.Guarantee.Epsilon) {
				errs = append(errs, fmt.Errorf("intersected: %w: %s %v by %s, %v by %s", ErrContradiction, what, a.Guarantee.Epsilon, a.Name, b.Guarantee.Epsilon, b.Name))
			}
		}
	}
	return errors.Join(errs...)
}

// combine intersects two answers. The method names the sources of both ends. Warnings of an answer
// stay unless the other answer is narrow. An upper end whose check failed is left out if the other
// one has a certificate and is about as low.
func combine(a, b accounting.Guarantee) accounting.Guarantee {
	switch {
	case attach.Replaces(b, a):
		a.Epsilon = a.Epsilon.WithUpper(math.Max(a.Epsilon.Upper, b.Epsilon.Upper))
	case attach.Replaces(a, b):
		b.Epsilon = b.Epsilon.WithUpper(math.Max(a.Epsilon.Upper, b.Epsilon.Upper))
	}
	ofB := b.Epsilon.Upper < a.Epsilon.Upper || b.Epsilon.Upper == a.Epsilon.Upper && a.Certificate == nil && b.Certificate != nil
	out := a
	if ofB {
		out = b
	}
	out.Epsilon = intersect(a.Epsilon, b.Epsilon)
	if a.Epsilon.HasLower && b.Epsilon.HasLower {
		upper, lower := a, b
		if ofB {
			upper = b
		}
		if a.Epsilon.Lower >= b.Epsilon.Lower {
			lower = a
		}
		if upper.Method != lower.Method {
			out.Method = upper.Method + "; lower end: " + lower.Method
		}
	}
	switch {
	case narrow(b):
		out.Warnings = nil
	case !narrow(a) && b.Epsilon.HasLower:
		out.Warnings = append(append([]error{}, a.Warnings...), b.Warnings...)
	default:
		out.Warnings = a.Warnings
	}
	// The doubt about a check belongs to the answer with the upper end.
	chosen := a
	if ofB {
		chosen = b
	}
	out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), attach.IsFailure)
	for _, w := range chosen.Warnings {
		if attach.IsFailure(w) {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out
}

// contradict reports whether two intervals have no number in common, by more than rounding.
func contradict(a, b accounting.Interval) bool {
	above := func(lower, upper accounting.Interval) bool {
		return lower.HasLower && lower.Lower*(1-rounding) > upper.Upper
	}
	return above(a, b) || above(b, a)
}

// intersectAll intersects the answers about a δ, which is in Epsilon of each answer here.
func intersectAll(known []Answer) (accounting.Interval, error) {
	if err := contradiction("δ", known); err != nil {
		return accounting.NoDelta(), err
	}
	out := known[0].Guarantee.Epsilon
	for _, b := range known[1:] {
		out = intersect(out, b.Guarantee.Epsilon)
	}
	return out, nil
}

// intersect returns the intersection of two intervals that hold the same number. Ends that cross by
// rounding are exchanged.
func intersect(a, b accounting.Interval) accounting.Interval {
	upper := math.Min(a.Upper, b.Upper)
	if !a.HasLower && !b.HasLower {
		return accounting.UpperBound(upper)
	}
	lower, estimate := math.Max(a.Lower, b.Lower), upper
	switch {
	case a.HasEstimate && (!b.HasEstimate || a.Width() <= b.Width()):
		estimate = a.Estimate
	case b.HasEstimate:
		estimate = b.Estimate
	}
	checked := a.LowerChecked && a.Lower == lower || b.LowerChecked && b.Lower == lower
	low, upper := math.Min(lower, upper), math.Max(lower, upper)
	out := accounting.Certified(low, math.Min(math.Max(estimate, low), upper), upper)
	out.LowerChecked = checked && low == lower
	return out
}
