package certified

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// ErrContradiction is the warning, wrapped, on an answer for which one accountant's lower end
// is above another's upper end: one of the two is wrong.
var ErrContradiction = errors.New("accountants contradict each other")

// rounding is how far, relative to the larger, ends may cross without being a contradiction.
const rounding = 1e-9

// narrow reports whether an answer is all that its accountant promises.
func narrow(g accounting.Guarantee) bool { return g.Epsilon.HasLower && len(g.Warnings) == 0 }

// combineAll intersects the answers, of which there is at least one. If two contradict each
// other, the largest upper end counts, with a warning and no lower end.
func combineAll(answers []Answer) accounting.Guarantee {
	out, largest := answers[0].Guarantee, answers[0].Guarantee
	var all, contradictions []error
	for i, b := range answers {
		all = append(all, b.Guarantee.Warnings...)
		if i == 0 {
			continue
		}
		for _, a := range answers[:i] {
			if contradict(a.Guarantee.Epsilon, b.Guarantee.Epsilon) {
				contradictions = append(contradictions, fmt.Errorf("certified: %w: ε %v by %s, %v by %s; the larger upper end counts", ErrContradiction, a.Guarantee.Epsilon, a.Name, b.Guarantee.Epsilon, b.Name))
			}
		}
		if b.Guarantee.Epsilon.Upper > largest.Epsilon.Upper {
			largest = b.Guarantee
		}
		out = combine(out, b.Guarantee)
	}
	if len(contradictions) > 0 {
		largest.Epsilon = accounting.UpperBound(largest.Epsilon.Upper)
		largest.Warnings = append(contradictions, all...)
		return largest
	}
	return out
}

// combine intersects two answers. The method names both ends' sources. Warnings of an
// answer count while the other has not made good for it.
func combine(a, b accounting.Guarantee) accounting.Guarantee {
	out := a
	if b.Epsilon.Upper < a.Epsilon.Upper {
		out = b
	}
	out.Epsilon = intersect(a.Epsilon, b.Epsilon)
	if a.Epsilon.HasLower && b.Epsilon.HasLower {
		upper, lower := a, b
		if b.Epsilon.Upper < a.Epsilon.Upper {
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
	return out
}

// contradict reports whether two intervals have no number in common, by more than rounding.
func contradict(a, b accounting.Interval) bool {
	above := func(lower, upper accounting.Interval) bool {
		return lower.HasLower && lower.Lower*(1-rounding) > upper.Upper
	}
	return above(a, b) || above(b, a)
}

// intersectAll returns what intervals that hold the same number say of it. Of intervals that
// contradict each other the largest upper end alone is left: one of them is wrong, and which is
// not known.
func intersectAll(known []accounting.Interval) accounting.Interval {
	out, largest, agree := known[0], known[0].Upper, true
	for i, b := range known {
		for _, a := range known[:i] {
			agree = agree && !contradict(a, b)
		}
		out, largest = intersect(out, b), math.Max(largest, b.Upper)
	}
	if !agree {
		return accounting.UpperBound(largest)
	}
	return out
}

// intersect returns what two intervals that hold the same number say of it. Where ends cross
// by rounding, both are kept.
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
	lower, upper = math.Min(lower, upper), math.Max(lower, upper)
	return accounting.Certified(lower, math.Min(math.Max(estimate, lower), upper), upper)
}
