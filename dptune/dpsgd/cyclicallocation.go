package dpsgd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

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

// groups returns k.
func (a CyclicAllocation) groups() int { return a.Period }

// Event returns the allocation to ⌈T/k⌉ turns. The event is not valid if T or k is not
// positive.
func (a CyclicAllocation) Event(release accounting.Event, steps int) accounting.Event {
	return a.inGroup().Event(release, CyclicPoisson{Period: a.Period}.turns(steps))
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
	for _, chosen := range turns {
		if one := a.inGroup().chosenAt(release, chosen); !slices.ContainsFunc(each, func(other accounting.Event) bool { return other.String() == one.String() }) {
			each = append(each, one)
		}
	}
	slices.SortFunc(each, func(x, y accounting.Event) int { return cmp.Compare(x.String(), y.String()) })
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
func (a CyclicAllocation) Share() float64 { return a.inGroup().Share() / float64(max(a.Period, 1)) }

// LikelyBatch returns the mean size plus two standard deviations of the largest group's batch,
// at most the size of that group.
func (a CyclicAllocation) LikelyBatch(examples int) float64 {
	return CyclicPoisson{Period: a.Period, Rate: a.inGroup().Share()}.LikelyBatch(examples) // the size has the same binomial law
}

// Batch returns the examples of the step's group whose place is this turn.
func (a CyclicAllocation) Batch(coins streams.Root, step, n int) ([]int32, error) {
	if err := a.validateDraw(step, n); err != nil {
		return nil, err
	}
	group := step % a.Period
	batch, err := a.draw(coins, step, max(0, n-group+a.Period-1)/a.Period)
	for i := range batch {
		batch[i] = int32(group) + batch[i]*int32(a.Period)
	}
	return batch, err
}

// Canaries returns the canaries of the step's group whose place is this turn.
func (a CyclicAllocation) Canaries(coins streams.Root, step, n, m int) (joined []int32, err error) {
	if err := a.validateDraw(step, n+m); err != nil {
		return nil, err
	}
	drawn, err := a.draw(coins, step, m)
	for _, i := range drawn {
		if (n+int(i))%a.Period == step%a.Period {
			joined = append(joined, i)
		}
	}
	return joined, err
}

// draw draws the places of m members of the step's group. It returns those that have this turn.
// Each group has its own root. So examples of two groups have independent places.
func (a CyclicAllocation) draw(coins streams.Root, step, m int) ([]int32, error) {
	return a.inGroup().draw(coins.Child(fmt.Sprintf("group %d", step%a.Period)), step/a.Period, m)
}

// validateDraw checks the scheme and the arguments of a draw.
func (a CyclicAllocation) validateDraw(step, n int) error {
	if err := a.Validate(n); err != nil {
		return fmt.Errorf("dpsgd: %w", err)
	}
	return validateStep(step, n)
}

func (CyclicAllocation) sealed() {}
