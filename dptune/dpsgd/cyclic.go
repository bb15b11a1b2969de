package dpsgd

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// CyclicPoisson samples from k = Period groups in turn. The example at index i is in group i mod k.
// Step t draws from group t mod k, and each example of it joins independently with chance Rate. So
// an example has a coin in at most ⌈T/k⌉ steps, which are k steps apart: the event is ⌈T/k⌉
// Poisson-sampled releases. It assumes that it stays secret which examples joined. The groups may
// be known.
//
// The scheme is for [CorrelatedNoise] of at most k bands. With independent noise, [Poisson] at the
// rate Rate/k has batches of the same mean size and costs less.
//
// Neighboring data sets differ in one example, and its place is empty in one of them, as with
// [FixedBatches]. The order of the rows must not depend on the data.
type CyclicPoisson struct {
	Period int     // k >= 1
	Rate   float64 // q in (0, 1], the chance of an example to join when its group has its turn
}

// Proof of the event with correlated noise of b <= k bands and norm 1 (Choquette-Choo et al.
// (2023), arXiv:2306.08153v2, Theorem 4). Let x have its coins at the steps i, i+k, ... The run
// releases C G + Z row by row. A participation at step i adds c_(t-i) g to the rows i to i+b-1.
// Here g is fixed at row i, and ‖g‖ <= 1. Over these rows that is a vector u of norm r <= 1. The
// rows of different participations are disjoint.
//
// Reveal which of the others joined. For each turn of x, draw w from (1-q)N(0,σ²)+qN(1,σ²), or from
// N(0,σ²) without x. Let the noise of the turn's rows be r w + √(1-r²) σ ξ along u/r, and fresh
// normals across u/r, with ξ a fresh normal. Given the coin, this is Z + u or Z. The others' sums
// in these rows are functions of the rows before. So the run is a function of the w of all turns,
// and of draws that are the same with and without x. It is post-processing of ⌈T/k⌉ sampled
// Gaussians. In the last turn, rows may be cut off, and r is smaller. If none is, g of norm 1 in a
// fixed direction attains the price.
//
// For a replaced example, u becomes another vector u' of norm at most 1, fixed at the same row. A
// turn is then post-processing of Z + u, Z + u' or Z, as a sampled sum of clipped vectors is. ∎

// String names the scheme with its period and rate.
func (p CyclicPoisson) String() string {
	return fmt.Sprintf("CyclicPoisson(period %d, q %v)", p.Period, p.Rate)
}

// Validate returns an error unless the period is at least 1 and the rate in (0, 1].
func (p CyclicPoisson) Validate(int) error {
	f := check.In("CyclicPoisson.")
	f.Count("Period", p.Period, 1)
	f.Number("Rate", p.Rate, check.Rate)
	return f.Err()
}

// groups returns k.
func (p CyclicPoisson) groups() int { return p.Period }

func (p CyclicPoisson) inTurn() inTurn {
	return inTurn{scheme: p, groups: p.Period, within: Poisson{Rate: p.Rate}}
}

// Event returns ⌈T/k⌉ Poisson-sampled releases. The event is not valid if T or k is not positive.
func (p CyclicPoisson) Event(release accounting.Event, steps int) accounting.Event {
	return p.inTurn().event(release, steps)
}

// Chosen is a sampled release for each of the steps. It is an upper bound if some of them are not
// steps of the example's group.
func (p CyclicPoisson) Chosen(release accounting.Event, count int) accounting.Event {
	return Poisson{Rate: p.Rate}.Event(release, count)
}

// Secret returns true.
func (CyclicPoisson) Secret() bool { return true }

// Assumptions are about the coins and the order of the examples.
func (CyclicPoisson) Assumptions() []string {
	return append([]string{"each example joined each step of its group by its own coin", "the batches stay secret"}, FixedBatches{}.Assumptions()...)
}

// Share returns q/k.
func (p CyclicPoisson) Share() float64 { return p.inTurn().share() }

// LikelyBatch returns the mean size plus two standard deviations of the largest group's batch, at
// most the size of that group.
func (p CyclicPoisson) LikelyBatch(examples int) float64 { return p.inTurn().likelyBatch(examples) }

// Batch returns the examples of the step's group that join.
func (p CyclicPoisson) Batch(coins streams.Root, step, n int) ([]int32, error) {
	return p.inTurn().batch(coins, step, n)
}

// Canaries returns the canaries of the step's group that join, by their own coins.
func (p CyclicPoisson) Canaries(coins streams.Root, step, n, m int) ([]int32, error) {
	return p.inTurn().canaries(coins, step, n, m)
}

func (CyclicPoisson) sealed() {}

// CyclicAllocation is [RandomAllocation] inside k = Period groups that have their turns in
// order. The example at index i is in group i mod k. Step t is a turn of group t mod k. Of each
// Turns turns of its group, an example joins one, drawn uniformly, afresh each time and
// independently of all other examples. So it joins one step of each k·Turns steps, and two such
// steps are at least k steps apart. The last of these periods may be cut. The event is a random
// allocation over the ⌈T/k⌉ turns of a group. It assumes that the batches and their sizes stay
// secret. The groups may be known.
//
// The scheme is for [CorrelatedNoise] of at most k bands. It usually costs less than
// [CyclicPoisson] at the rate 1/Turns, which has batches of the same mean size. With
// independent noise, RandomAllocation of the period k·Turns costs less.
//
// Neighboring data sets differ in one example, and its place is empty in one of them, as with
// [FixedBatches]. The order of the rows must not depend on the data.
type CyclicAllocation struct {
	Period int // k >= 1 groups
	Turns  int // from 2 to 2^31-1; an example joins one of so many turns of its group
}

// Proof of the event with correlated noise of b <= k bands and norm 1. It is that of
// CyclicPoisson, with all turns of an example x drawn together. Let c be the vector that has 1
// for each turn that x joins. Its law is that of a random allocation, and it is independent of
// the others' places. Draw w from N(c, σ²I), or from N(0, σ²I) without x. In the rows of turn j
// the noise along u_j/r_j is r_j w_j + √(1-r_j²) σ ξ, and fresh normals elsewhere. Here u_j is
// what x adds if it joins the turn, fixed at the turn's first row, of norm r_j <= 1. Given c
// this is Z + c_j u_j, since the rows of different turns are disjoint. The others' sums are
// functions of the rows before. So the run is the same random function of w in both worlds.
// N(c, σ²I) averaged over c, against N(0, σ²I), is the pair of RandomAllocation.
//
// A group with fewer turns has the first ones of the event. For a replaced example, a turn
// releases Z + c_j u_j in one world and Z + c_j u'_j in the other, each chosen given all
// releases before. So the turns of its group are an adaptive run of RandomAllocation, of
// vectors of norm at most 1. ∎

// String names the scheme with its numbers.
func (a CyclicAllocation) String() string {
	return fmt.Sprintf("CyclicAllocation(period %d, 1 of %d turns)", a.Period, a.Turns)
}

// Validate returns an error unless both numbers are in their ranges.
func (a CyclicAllocation) Validate(int) error {
	f := check.In("CyclicAllocation.")
	f.That(a.Period >= 1 && a.Period <= math.MaxInt32, "Period", a.Period, "must be from 1 to 2^31-1")
	f.That(a.Turns >= 2 && a.Turns <= math.MaxInt32, "Turns", a.Turns, "must be from 2 to 2^31-1 (1 turn is FixedBatches)")
	return f.Err()
}

// inGroup is the allocation to the turns of one group.
func (a CyclicAllocation) inGroup() RandomAllocation { return RandomAllocation{Period: a.Turns} }

// inTurn gives each group its own root. So examples of two groups have independent places.
func (a CyclicAllocation) inTurn() inTurn {
	return inTurn{scheme: a, groups: a.Period, within: a.inGroup(), apart: true}
}

// groups returns k.
func (a CyclicAllocation) groups() int { return a.Period }

// Event returns the allocation to ⌈T/k⌉ turns. The event is not valid if T or k is not
// positive.
func (a CyclicAllocation) Event(release accounting.Event, steps int) accounting.Event {
	return a.inTurn().event(release, steps)
}

// Chosen returns the event of count whole periods, as that of RandomAllocation.
func (a CyclicAllocation) Chosen(release accounting.Event, count int) accounting.Event {
	return a.inGroup().Chosen(release, count)
}

// chosenAt returns the event of a run for an example that can take part in only these steps,
// chosen beforehand. Its group is not known, so the event is the worst case of all groups.
// steps must not be empty.
func (a CyclicAllocation) chosenAt(release accounting.Event, steps []int) accounting.Event {
	turns := map[int][]int{} // of each group
	for _, step := range steps {
		turns[step%a.Period] = append(turns[step%a.Period], step/a.Period)
	}
	var each []accounting.Event
	for _, group := range slices.Sorted(maps.Keys(turns)) {
		one := a.inGroup().chosenAt(release, turns[group])
		if !slices.ContainsFunc(each, func(other accounting.Event) bool { return reflect.DeepEqual(other, one) }) {
			each = append(each, one)
		}
	}
	if len(each) == 1 {
		return each[0]
	}
	return accounting.WorstCase{Events: each}
}

// Secret returns true.
func (CyclicAllocation) Secret() bool { return true }

// Assumptions are about the places and the order of the examples.
func (a CyclicAllocation) Assumptions() []string {
	return append([]string{
		fmt.Sprintf("each example joined one of each %d turns of its group, drawn afresh each time and independently of the other examples", a.Turns),
		"the batches and their sizes stay secret",
	}, FixedBatches{}.Assumptions()...)
}

// Share returns 1/(k·Turns).
func (a CyclicAllocation) Share() float64 { return a.inTurn().share() }

// LikelyBatch returns the mean size plus two standard deviations of the largest group's batch,
// at most the size of that group.
func (a CyclicAllocation) LikelyBatch(examples int) float64 { return a.inTurn().likelyBatch(examples) }

// Batch returns the examples of the step's group whose place is this turn.
func (a CyclicAllocation) Batch(coins streams.Root, step, n int) ([]int32, error) {
	return a.inTurn().batch(coins, step, n)
}

// Canaries returns the canaries of the step's group whose place is this turn.
func (a CyclicAllocation) Canaries(coins streams.Root, step, n, m int) ([]int32, error) {
	return a.inTurn().canaries(coins, step, n, m)
}

func (CyclicAllocation) sealed() {}
