package lattice

// Effort is how finely the losses of a composition are kept.
type Effort int

// The efforts. Quick takes about a thirtieth of the time of Fine, and its lower ends are mostly
// less than a percent below.
const (
	Quick Effort = coarseGrid
	Fine  Effort = grid
)

// composed returns the losses of repeats periods, with the record against without it, or the other
// way round.
func (p Pair) composed(repeats int, added bool, drop float64, effort Effort) losses {
	a, b := p.p, p.q
	if added {
		a, b = b, a
	}
	drop = max(drop/float64(repeats), least)
	return newLosses(a, b, drop, int(effort)).times(repeats, drop, int(effort))
}

// dropped is the share of δ that is given up for outcomes that are left out.
const dropped = 1e-7

// EpsilonAt returns lower ends of ε, in nats, of repeats >= 1 independent periods at delta in
// (0, 1): for a removed record and for an added one. They are at most 600.
func (p Pair) EpsilonAt(repeats int, delta float64, effort Effort) (remove, add float64) {
	return p.composed(repeats, false, delta*dropped, effort).epsilon(delta), p.composed(repeats, true, delta*dropped, effort).epsilon(delta)
}

// DeltaAt returns lower ends of δ of repeats >= 1 independent periods at epsilon >= 0, which are 0
// above ε = 600. Outcomes with a chance below drop in all may be left out.
func (p Pair) DeltaAt(repeats int, epsilon, drop float64, effort Effort) (remove, add float64) {
	if !(epsilon <= mostEpsilon) {
		return 0, 0
	}
	return p.composed(repeats, false, drop, effort).delta(epsilon), p.composed(repeats, true, drop, effort).delta(epsilon)
}
