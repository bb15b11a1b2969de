package accounting

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// WithDeltaReserve is an accountant that keeps a part of every δ for what the event does not
// describe, for instance that the noise is truncated. It is for mechanisms of which is known: if
// the event is (ε, δ)-private, then they are (ε, δ + Delta)-private.
type WithDeltaReserve struct {
	Accountant Accountant // of the event. Required.
	Delta      float64    // in [0, 1]; 0 changes nothing
}

// A reserve of Delta is enough for every mechanism M' for which a flag exists, for each pair of
// neighbors, with the following.
//
//   - It is a function of what the event's mechanism M puts out, the same for both data sets.
//   - It is up with chance at most Delta on either.
//   - Where it is down, M puts out no set of outputs with a larger chance than M'.
//
// Proof: let P and Q be the laws of M on the two, P' and Q' those of M', and S a set of outputs,
// without the flagged ones F in what follows. Outside of F P is at most P', whose total is 1, so
// that P'(S) - P(S-F) is at most 1 - P(not F) <= Delta, and
//
//	P'(S) <= P(S-F) + Delta <= e^ε Q(S-F) + δ + Delta <= e^ε Q'(S) + δ + Delta.
//
// The same holds for what is computed from M' and for the best of a random number K of runs, each
// with a flag of its own. The chance that any of K flags is up is then in the place of Delta. A
// flagged run counts as one that put out "flagged" with the best score of all, which is computed
// from M and costs what the best of K runs costs.

// Validate returns every fault, joined.
func (r WithDeltaReserve) Validate() error {
	f := check.In("accounting: WithDeltaReserve.")
	f.That(r.Accountant != nil, "Accountant", "is nil", "must be an accountant")
	f.Number("Delta", r.Delta, check.Unit)
	return f.Err()
}

// Name returns that of the accountant.
func (r WithDeltaReserve) Name() string {
	if r.Accountant == nil {
		return ""
	}
	return r.Accountant.Name()
}

// Neighboring returns that of the accountant.
func (r WithDeltaReserve) Neighboring() Neighboring {
	if r.Accountant == nil {
		return 0
	}
	return r.Accountant.Neighboring()
}

// EpsilonAt returns the ε of the event at delta - Delta, which is +Inf where nothing is left.
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
		// The event is asked about all the same: it may be unknown, or not valid.
		g, err := r.Accountant.EpsilonAt(event, delta)
		if err != nil {
			return NoGuarantee(), err
		}
		g.Epsilon, g.Delta = UpperBound(math.Inf(1)), delta
		return g, nil
	}
	g, err := r.Accountant.EpsilonAt(event, left)
	if err != nil {
		return NoGuarantee(), err
	}
	g.Epsilon, g.Delta = UpperBound(g.Epsilon.Upper), delta
	return g, nil
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

// Left returns delta less the reserve, rounded down; 0 if nothing is left.
func (r WithDeltaReserve) Left(delta float64) float64 {
	if r.Delta == 0 {
		return delta
	}
	return max(0, math.Nextafter(delta-r.Delta, 0))
}

// Note reports in a few words what the reserve did to a guarantee, for Statement.Included. without
// is the ε of the whole δ, and with the one that is stated.
func (r WithDeltaReserve) Note(what string, without, with float64) string {
	effect := "which raises ε by less than is printed"
	if from, to := FormatUpper(without), FormatUpper(with); from != to {
		effect = fmt.Sprintf("which raises ε from %s to %s", from, to)
	}
	return fmt.Sprintf("%s, for which %s of δ is set aside, %s", what, significant(r.Delta, 2, +1), effect)
}
