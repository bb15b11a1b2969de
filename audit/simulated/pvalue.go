package simulated

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
)

// P returns a p-value of a claim for any monotone statistic of the order of the scores. It comes
// from repeats simulated audits:
//
//	p = (1 + #{b: T_b >= T}) / (repeats+1)
//
// The claim's least favorable pair has non-members with u uniform and members with u =
// G^-1(uniform), smaller u ranking higher. No other law within the claim makes the statistic
// larger. p is at least 1/(repeats+1), and valid for every number of repeats on average over the
// states of rng. If many audits share one state, their alarms share the spread of the simulation.
//
// P breaks ties at random too. rng must not be nil. With an error it returns 1.
func P(scores audit.Scores, claim audit.Curve, statistic Statistic, repeats int, rng *rand.Rand) (float64, error) {
	if err := errors.Join(scores.Validate(), validate(claim, statistic, repeats, rng)); err != nil {
		return 1, err
	}
	s, err := scores.BreakTies(rng.Uint64())
	if err != nil {
		return 1, err
	}
	observed := statistic(orderOf(s))
	if math.IsNaN(observed) {
		return 1, errors.New("simulated: the statistic of the scores is NaN: must be a number")
	}
	sim := newSimulation(len(s.Member), len(s.NonMember))
	count := 1
	for range repeats {
		sim.draw(rng)
		if !(statistic(sim.order(claim)) < observed) {
			count++
		}
	}
	return float64(count) / float64(repeats+1), nil
}

// Bound returns the lower bound on ε for any monotone statistic: the ε at which [P] passes the
// significance. All ε use the same draws, and p grows in ε. The confidence holds on average over
// the states of rng. name labels the bound.
func Bound(scores audit.Scores, name string, statistic Statistic, repeats int, cfg audit.Config, rng *rand.Rand) (audit.Bound, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate(), validate(audit.EpsilonDelta{}, statistic, repeats, rng)); err != nil {
		return audit.Bound{}, err
	}
	s, err := scores.BreakTies(rng.Uint64())
	if err != nil {
		return audit.Bound{}, err
	}
	n1, n0 := len(s.Member), len(s.NonMember)
	seeds := make([]uint64, repeats)
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	sim := newSimulation(n1, n0)
	bound := func(observed float64) float64 {
		return largestRefuted(func(eps float64) bool {
			return refutes(audit.EpsilonDelta{Epsilon: eps, Delta: cfg.Delta}, statistic, observed, sim, seeds, cfg.Significance())
		})
	}
	b := audit.NewBound(name, audit.AssumeNothing, cfg, "least favorable pair of the claim's ROC ceiling, simulated (derived in this package)")
	b.ChosenBefore = fmt.Sprintf("the statistic, stated as fixed beforehand; %d simulated audits", repeats)
	b.Epsilon = bound(statistic(orderOf(s)))
	perfect := slices.Concat(slices.Repeat(Order{true}, n1), make(Order, n0))
	b.Ceiling = math.Max(b.Epsilon, bound(statistic(perfect)))
	return b, nil
}

// largestRefuted returns the largest ε that is refuted, with a tolerance that suits a simulation.
func largestRefuted(refuted func(float64) bool) float64 {
	if !refuted(0) {
		return 0
	}
	lo, hi := 0.0, 1.0
	for ; hi < 64 && refuted(hi); hi *= 2 {
		lo = hi
	}
	for hi-lo > 1e-3 {
		if mid := (lo + hi) / 2; refuted(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// refutes reports whether p <= significance, and stops as soon as that is decided. It draws into
// sim.
func refutes(claim audit.Curve, statistic Statistic, observed float64, sim *simulation, seeds []uint64, significance float64) bool {
	allowed := int(significance*float64(len(seeds)+1)+1e-9) - 1
	if allowed < 0 || math.IsNaN(observed) {
		return false
	}
	for _, seed := range seeds {
		sim.draw(rand.New(rand.NewPCG(seed, 0)))
		if !(statistic(sim.order(claim)) < observed) {
			if allowed--; allowed < 0 {
				return false
			}
		}
	}
	return true
}

func validate(claim audit.Curve, statistic Statistic, repeats int, rng *rand.Rand) error {
	f := check.In("simulated: ")
	f.Add(audit.ValidateClaim(claim))
	f.That(statistic != nil, "statistic", "is nil", "must be a function of the order")
	f.Count("repeats", repeats, 1)
	f.That(rng != nil, "rng", "is nil", "must be a random stream")
	return f.Err()
}
