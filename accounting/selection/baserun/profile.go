package baserun

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Profile is an upper bound on the privacy profile of one run. At each ε >= 0 it has a δ such that
// the run is (ε, δ)-differentially private, in both directions of the neighboring relation.
type Profile struct {
	Name string // where it comes from
	// DeltaAt does not grow with ε, and is in [0, 1] at every ε >= 0.
	DeltaAt func(epsilon float64) float64
	// EpsilonAt returns an ε >= 0 with DeltaAt(ε) <= delta, or +Inf if there is none. If EpsilonAt
	// is nil, DeltaAt is bisected.
	EpsilonAt func(delta float64) float64

	quick bool // DeltaAt takes microseconds
	// deltasAt is DeltaAt at many non-decreasing ε, in little more time than at one. It is nil if
	// that is not possible.
	deltasAt func(epsilons []float64) []float64
	// warning returns why the profile is looser than it might be, or nil. The function itself may
	// be nil.
	warning func() error
	// prove returns what shows values at epsilons of about deltas, or nil. The function may be nil.
	prove func(epsilons, deltas []float64) *accounting.Proof
	// near returns the Crossing of a quick profile of the same run. It is nil if there is none.
	near func(odds float64) float64
}

// AsLawProfile returns the profile in the form that package law uses.
func (p Profile) AsLawProfile() law.Profile {
	return law.Profile{DeltaAt: p.DeltaAt, Quick: p.quick, Near: p.near}
}

// epsilonAt returns an ε at which δ is at most delta, for delta in (0, 1).
func (p Profile) epsilonAt(delta float64) float64 {
	if p.EpsilonAt != nil {
		return p.EpsilonAt(delta)
	}
	return numeric.LeastTrue(1e-13, func(epsilon float64) bool { return p.DeltaAt(epsilon) <= delta })
}

// clamped returns the profile with δ in [0, 1]; NaN becomes 1.
func (p Profile) clamped() Profile {
	inner := p.DeltaAt
	p.DeltaAt = func(epsilon float64) float64 {
		if delta := inner(epsilon); delta <= 1 {
			return math.Max(delta, 0)
		}
		return 1
	}
	return p
}
