package intersected

import (
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
)

// checked returns the combined answer with a certificate of its upper end, from the closed forms if
// the accountant of that end has none. If that raises the end, it raises the end in answers.
//
// A failed check of another method is only a doubt about that method if the closed form holds.
func checked(q ask.Question, out accounting.Guarantee, answers []Answer) accounting.Guarantee {
	if out.Certificate != nil {
		return out
	}
	before := out.Epsilon.Upper
	out = attach.Of(out, closed.Check(q.Node(), q.Relation()))
	if out.Certificate == nil {
		return out
	}
	out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), attach.IsFailure)
	for i, answer := range answers {
		if answer.Guarantee.Epsilon.Upper == before {
			answers[i].Guarantee.Epsilon = withUpper(answer.Guarantee.Epsilon, out.Epsilon.Upper)
		}
	}
	return out
}

// withUpper returns i with a higher upper end.
func withUpper(i accounting.Interval, upper float64) accounting.Interval {
	if i.HasLower && i.HasEstimate {
		return accounting.Certified(i.Lower, i.Estimate, upper)
	}
	return accounting.UpperBound(upper)
}
