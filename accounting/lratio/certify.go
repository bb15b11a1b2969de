package lratio

import (
	"maps"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
)

// check returns the check of an upper end: by the Gaussians of public steps if they show enough,
// and else by the law above Z that the end is from.
func (p program) check(above splitlaw.Curve) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		if c, ok := p.byShown(epsilon, delta); ok {
			return c, nil
		}
		return above.Check(epsilon, delta)
	}
}

// otherRounding is a share of δ that an upper end leaves. Package verify makes the same law from
// the event, with distances that are rounded otherwise.
const otherRounding = 1e-9

// byShown checks by the composition of all releases as if each example's steps were public.
// Publishing raises δ (joint convexity).
func (p program) byShown(epsilon, delta float64) (c accounting.Certificate, ok bool) {
	all := accounting.Gaussian{NoiseMultiplier: (1 - 0x1p-50) / p.shown()}
	c, err := closed.Check(accounting.Node{Event: all, Count: 1}, accounting.AddOrRemoveOne)(epsilon, delta)
	if c.Given = append(c.Given, "that public steps cost more"); len(p.lower)+len(p.upper) == 0 && !p.replaced {
		c.Given = nil // nothing is hidden
	}
	c.Proof = certificate.Proof(certificate.RulePublic, nil)
	return c, err == nil && c.DeltaUpper <= delta
}

// split returns the program as package splitlaw takes it. Distances are square roots of sums, and
// rates are quotients. They are raised by more than their rounding, which only raises δ.
func (p program) split() (out splitlaw.Program) {
	const raised = 1 + 0x1p-42
	for _, f := range slices.SortedFunc(maps.Keys(p.upper), compareFactors) {
		out.Factors = append(out.Factors, splitlaw.Factor{Distance: f.s * raised, Period: f.period, Rate: math.Min(1, f.rate*(1+0x1p-50)), Count: p.upper[f]})
	}
	out.Gaussian, out.Replaced = math.Sqrt(p.gaussian)*raised, p.replaced
	return out
}
