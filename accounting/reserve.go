package accounting

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// WithDeltaReserve is an accountant that keeps a part of every δ for what the event does not
// describe, for instance truncated noise. Use it for a mechanism that is (ε, δ + Delta)-private
// whenever its event is (ε, δ)-private.
type WithDeltaReserve struct {
	Accountant Accountant // of the event. Required.
	Delta      float64    // in [0, 1]; 0 changes nothing
}

// A reserve of Delta is enough for a mechanism M' if each pair of neighbors has a flag as follows.
// M is the event's mechanism.
//
//   - The flag is a function of the output of M, the same for both data sets.
//   - On either data set it is up with chance at most Delta.
//   - Among outputs with the flag down, M has no set of outputs with a larger chance than M'.
//
// Proof. Let P and Q be the laws of M on the two data sets, and P' and Q' those of M'. Let F be the
// outputs with the flag up, and S any set of outputs. Outside of F, P is at most P', and the total
// of P' is 1. So P'(S) - P(S-F) is at most 1 - P(not F) <= Delta, and
//
//	P'(S) <= P(S-F) + Delta <= e^ε Q(S-F) + δ + Delta <= e^ε Q'(S) + δ + Delta.
//
// The same holds for everything computed from M'. For the best of a random number K of runs,
// replace Delta by the chance that any of the K flags is up. In the proof a flagged run has the
// output "flagged" and the best score of all. That is computed from M, and costs what the best of K
// runs costs.

// Validate returns every fault, joined.
func (r WithDeltaReserve) Validate() error {
	f := check.In("accounting: WithDeltaReserve.")
	f.That(r.Accountant != nil, "Accountant", "is nil", "must be an accountant")
	f.Number("Delta", r.Delta, check.Unit)
	return f.Err()
}

// Name returns the accountant's name.
func (r WithDeltaReserve) Name() string {
	if r.Accountant == nil {
		return ""
	}
	return r.Accountant.Name()
}

// Neighboring returns the accountant's relation.
func (r WithDeltaReserve) Neighboring() Neighboring {
	if r.Accountant == nil {
		return 0
	}
	return r.Accountant.Neighboring()
}

// EpsilonAt returns the ε of the event at delta - Delta. It is +Inf if nothing is left of delta.
// It has no lower bound unless Delta is 0.
func (r WithDeltaReserve) EpsilonAt(event Event, delta float64) (Guarantee, error) {
	if err := r.Validate(); err != nil {
		return NoGuarantee(), err
	}
	if r.Delta == 0 {
		return safe(r.Accountant.EpsilonAt(event, delta))
	}
	if err := ValidateDelta(delta); err != nil {
		return NoGuarantee(), err
	}
	left := r.Left(delta)
	if left == 0 {
		// The event is priced all the same: it may be unknown, or not valid.
		g, err := r.Accountant.EpsilonAt(event, delta)
		if err != nil {
			return NoGuarantee(), err
		}
		g.Epsilon, g.Delta, g.Certificate = UpperBound(math.Inf(1)), delta, nil
		return g, nil
	}
	g, err := r.Accountant.EpsilonAt(event, left)
	if err != nil {
		return NoGuarantee(), err
	}
	g.Epsilon, g.Delta = UpperBound(g.Epsilon.Upper), delta
	if g.Certificate != nil { // δ of the event is at most left, and left + r.Delta is at most delta
		c := *g.Certificate
		c.DeltaUpper = min(delta, math.Nextafter(c.DeltaUpper+r.Delta, 1))
		c.Given = append(append([]string{}, c.Given...), fmt.Sprintf("a reserve of %g of δ", r.Delta))
		if c.Proof != nil {
			p := *c.Proof
			p.Step = Step{"reserve", fmt.Appendf(nil, `{"delta":%g}`, r.Delta), []Step{p.Step}}
			c.Proof = &p
		}
		g.Certificate = &c
	}
	return g, nil
}

// Options returns those of the accountant.
func (r WithDeltaReserve) Options() Options { return OptionsOf(r.Accountant) }

// WithOptions returns the accountant with other options.
func (r WithDeltaReserve) WithOptions(o Options) Accountant {
	if r.Accountant != nil {
		r.Accountant = WithOptions(r.Accountant, o)
	}
	return r
}

// DeltaAt returns the δ of the event at epsilon plus Delta, at most 1. It has no lower bound
// unless Delta is 0.
func (r WithDeltaReserve) DeltaAt(event Event, epsilon float64) (Interval, error) {
	if err := r.Validate(); err != nil {
		return NoDelta(), err
	}
	delta, err := r.Accountant.DeltaAt(event, epsilon)
	if err != nil {
		return NoDelta(), err
	}
	if r.Delta == 0 {
		return delta, nil
	}
	return UpperBound(min(1, math.Nextafter(delta.Upper+r.Delta, 1))), nil
}

// Left returns delta minus the reserve, rounded down. It is 0 if nothing is left.
func (r WithDeltaReserve) Left(delta float64) float64 {
	if r.Delta == 0 {
		return delta
	}
	return max(0, math.Nextafter(delta-r.Delta, 0))
}

// Note returns what the reserve did to a guarantee, for Statement.Included. what is what takes the
// reserve, for instance "truncated noise". without is the ε of the whole δ, and with the ε that is
// stated.
func (r WithDeltaReserve) Note(what string, without, with float64) string {
	effect := "no visible change in ε"
	if from, to := FormatUpper(without), FormatUpper(with); from != to {
		effect = fmt.Sprintf("ε rises from %s to %s", from, to)
	}
	return fmt.Sprintf("%s (%s of δ; %s)", what, numeric.Significant(r.Delta, 2, +1), effect)
}
