package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// Order is how the scores of an audit rank: Order[i] tells whether the i-th largest score
// is a member's. It is all that a statistic may see, so that its law under a claim does not
// depend on the scale of the scores.
type Order []bool

// Statistic is a function of the order of the scores that never falls when a member moves
// up past a non-member. [TwoTailStatistic] and [AUCStatistic] are examples.
type Statistic func(Order) float64

// Order ranks the scores, largest first; ties are broken at random, see [Scores.BreakTies].
func (s Scores) Order() (Order, error) {
	ranked, err := newRanked(s, 0)
	if err != nil {
		return nil, err
	}
	return ranked.order(), nil
}

func (s sample) order() Order {
	order := make(Order, 0, len(s.member)+len(s.nonMember))
	i, j := len(s.member)-1, len(s.nonMember)-1
	for i >= 0 || j >= 0 {
		if i >= 0 && (j < 0 || s.member[i] > s.nonMember[j]) {
			order = append(order, true)
			i--
		} else {
			order = append(order, false)
			j--
		}
	}
	return order
}

// AUCStatistic is the share of pairs in which the member ranks above the non-member; 0 if
// there are none.
func AUCStatistic(order Order) float64 {
	var wins, members, nonMembers float64
	for _, member := range order {
		if member {
			members++
		} else {
			wins += members
			nonMembers++
		}
	}
	return wins / math.Max(1, members*nonMembers)
}

// TwoTailStatistic returns the statistic that counts members above the (k+1)-th largest
// non-member plus non-members below the (k+1)-th smallest member: that of [RankTwoTail].
func TwoTailStatistic(k int) Statistic {
	return func(order Order) float64 {
		var hits int
		for i, others := 0, 0; i < len(order); i++ {
			if order[i] {
				hits++
			} else if others++; others > k {
				break
			}
		}
		for i, others := len(order)-1, 0; i >= 0; i-- {
			if !order[i] {
				hits++
			} else if others++; others > k {
				break
			}
		}
		return float64(hits)
	}
}

// SimulatedP returns a p-value of a claim for any monotone statistic of the order of
// the scores, from repeats simulated audits:
//
//	p = (1 + #{b: T_b >= T}) / (repeats+1)
//
// The claim's least favorable pair has non-members with u uniform and members with
// u = G^-1(uniform), smaller u ranking higher; no other law within the claim makes the
// statistic larger. p is at least 1/(repeats+1), and valid for every number of repeats on average
// over the states of rng: with one state for many audits their alarms have the spread of the
// simulation in common. rng may not be nil.
func SimulatedP(scores Scores, claim Curve, statistic Statistic, repeats int, rng *rand.Rand) (float64, error) {
	s, err := newRanked(scores, 0)
	if err = errors.Join(err, checkSimulation(claim, statistic, repeats, rng)); err != nil {
		return 0, err
	}
	observed := statistic(s.order())
	if math.IsNaN(observed) {
		return 0, errors.New("audit: the statistic of the scores is NaN")
	}
	sim := newSimulation(len(s.member), len(s.nonMember))
	count := 1
	for range repeats {
		sim.draw(rng)
		if !(statistic(sim.order(claim)) < observed) {
			count++
		}
	}
	return float64(count) / float64(repeats+1), nil
}

// SimulatedBound returns the lower bound on ε for any monotone statistic: the ε at which
// [SimulatedP] passes the significance, with the same draws for all ε, so that p grows in
// ε; the confidence holds on average over the states of rng. name labels the bound.
func SimulatedBound(scores Scores, name string, statistic Statistic, repeats int, level Level, rng *rand.Rand) (Bound, error) {
	s, err := newRanked(scores, 0)
	if err = errors.Join(err, level.Validate(), checkSimulation(EpsilonDelta{}, statistic, repeats, rng)); err != nil {
		return Bound{}, err
	}
	n1, n0 := len(s.member), len(s.nonMember)
	seeds := make([]uint64, repeats)
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	bound := func(observed float64) float64 {
		return largestRefutedBySimulation(level, func(eps float64) bool {
			return simulationRefutes(EpsilonDelta{eps, level.Delta}, statistic, observed, n1, n0, seeds, level.Significance())
		})
	}
	b := NewBound(name, AssumeNothing, level, "least favorable pair of the claim's ROC ceiling, simulated (derived in this package)")
	b.Fixed = fmt.Sprintf("the statistic, fixed beforehand; %d simulated audits", repeats)
	b.Epsilon = bound(statistic(s.order()))
	perfect := slices.Concat(slices.Repeat(Order{true}, n1), make(Order, n0))
	b.Ceiling = math.Max(b.Epsilon, bound(statistic(perfect)))
	return b, nil
}

// largestRefutedBySimulation returns the largest ε that is refuted, with a tolerance that suits a simulation.
func largestRefutedBySimulation(level Level, refuted func(float64) bool) float64 {
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

// simulationRefutes tells whether p <= significance, and stops as soon as it is decided.
func simulationRefutes(claim Curve, statistic Statistic, observed float64, n1, n0 int, seeds []uint64, significance float64) bool {
	sim := newSimulation(n1, n0)
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

func checkSimulation(claim Curve, statistic Statistic, repeats int, rng *rand.Rand) error {
	f := check.In("audit: ")
	f.Add(ValidateClaim(claim))
	f.That(statistic != nil, "statistic", "is nil", "must be a function of the order")
	f.Count("repeats", repeats, 1)
	f.That(rng != nil, "rng", "is nil", "must be a random stream")
	return f.Err()
}

// simulation holds the draws of one audit, to be ranked under any claim. The uniforms are
// made in ascending order, which saves sorting: a claim's G^-1 keeps the order.
type simulation struct {
	member, nonMember []float64
	out               Order
}

func newSimulation(n1, n0 int) *simulation {
	return &simulation{make([]float64, n1), make([]float64, n0), make(Order, 0, n1+n0)}
}

func (s *simulation) draw(rng *rand.Rand) {
	ascendingUniforms(s.member, rng)
	ascendingUniforms(s.nonMember, rng)
}

// ascendingUniforms fills xs with uniform order statistics: ratios of sums of exponentials.
func ascendingUniforms(xs []float64, rng *rand.Rand) {
	var sum float64
	for i := range xs {
		sum += rng.ExpFloat64()
		xs[i] = sum
	}
	sum += rng.ExpFloat64()
	for i := range xs {
		xs[i] /= sum
	}
}

// order merges the draws, smallest u first; equal u (members that the claim puts above
// every non-member have u = 0) rank members first, as the least favorable pair does.
func (s *simulation) order(claim Curve) Order {
	s.out = s.out[:0]
	j := 0
	for _, t := range s.member {
		u := claim.FPR(t)
		for j < len(s.nonMember) && cmp.Less(s.nonMember[j], u) {
			s.out = append(s.out, false)
			j++
		}
		s.out = append(s.out, true)
	}
	for ; j < len(s.nonMember); j++ {
		s.out = append(s.out, false)
	}
	return s.out
}
