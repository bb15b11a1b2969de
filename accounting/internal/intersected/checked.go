package intersected

import (
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
)

// checked returns the combined answer with a certificate of its upper end and a check of its lower
// end, from the closed forms if the accountants of these ends have none. If that raises the upper
// end, it raises the end in answers.
//
// A failed check of another method is only a doubt about that method if the closed form holds.
func checked(q ask.Question, out accounting.Guarantee, answers []Answer) accounting.Guarantee {
	out = attach.Lower(out, closed.Below(q.Node(), q.Relation()))
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
			answers[i].Guarantee.Epsilon = answer.Guarantee.Epsilon.WithUpper(out.Epsilon.Upper)
		}
	}
	return out
}
