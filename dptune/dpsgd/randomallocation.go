package dpsgd

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// RandomAllocation splits the steps into periods of Period steps, usually the epochs. In each
// period each example joins one step, drawn uniformly, afresh in each period and independently of
// all other examples. The last period may be cut: its steps are then the first ones of a whole
// period, and some examples join none of them. The event assumes that the batches and their sizes
// stay secret.
//
// Each example is seen once a period, at the mean batch size of [Poisson] with rate 1/Period. The
// price is usually lower. Shuffling the data and cutting them into batches of equal size is another
// scheme: there the place of one example depends on the others, and it costs far more.
//
// A batch of n examples has the mean size n/Period and the variance (n/Period)(1-1/Period). The
// engine runs one more microbatch if a batch is larger than expected. The number of microbatches
// shows in the time of a step only, which no guarantee covers.
//
// An example's place is an exactly uniform integer. It is the same for all steps of a period, since
// it comes from the stream of the period. So a run that resumes within a period needs no list of
// places. A draw takes one pass over the examples, as that of Poisson does.
type RandomAllocation struct {
	Period int // t from 2 to 2^31-1, steps of a period
}

// String names the scheme with its period.
func (a RandomAllocation) String() string {
	return fmt.Sprintf("RandomAllocation(period %d)", a.Period)
}

// Validate returns an error unless the period is from 2 to 2^31-1.
func (a RandomAllocation) Validate(int) error {
	f := check.In("RandomAllocation.")
	f.That(a.Period >= 2 && a.Period <= math.MaxInt32, "Period", a.Period, "must be from 2 to 2^31-1 (a period of 1 step is FullBatch)")
	return f.Err()
}

// Event returns the allocation of the steps. The last period may be cut. Neighbors differ by one
// added or removed example.
func (a RandomAllocation) Event(release accounting.Event, steps int) accounting.Event {
	return accounting.RandomAllocation{Period: a.Period, Steps: steps, Participations: 1, Event: release}
}

// Why the event needs independent places, for a release with noise σ and clip norm 1. Let c_i be 1
// if the example joins step i, else 0. Draw w from N(c, σ²I) with the example and from N(0, σ²I)
// without it. Draw the batches of the others in the same way in both worlds. Let v be the example's
// gradient at step i, given all releases before, and r = ‖v‖ <= 1. Let z be a standard normal. The
// noisy sum is the others' sum, plus r w_i + √(1-r²) σ z along v, plus fresh noise σ across it. In
// both worlds that has the law of the run. So the run is one and the same random function of w. It
// reveals no more than w does, and the gradient v = (1, 0, ...) reveals as much. If the places of
// the others depended on c, the others' sums would reveal c.

// Chosen returns the event of count whole periods. That is an upper bound: the steps are in at most
// count periods, and a whole period costs at least as much as some of its steps. The event of
// [Plan.CanaryEvent], which knows the steps, is exact.
func (a RandomAllocation) Chosen(release accounting.Event, count int) accounting.Event {
	if a.Period < 1 || count > math.MaxInt/a.Period {
		count = 0 // no valid event
	}
	return a.Event(release, count*a.Period)
}

// chosenAt returns the event of a run for an example that can take part in only these steps, chosen
// beforehand.
//
// In a period with r chosen steps the example joins each of them with chance 1/t, at most one, and
// none with chance 1-r/t. So do its chances in the first r steps of a period. By the proof at Event
// only these chances matter, up to the order of steps. The places in different periods are
// independent, so the event is the composition of the periods. Whole periods and one cut period are
// one allocation.
func (a RandomAllocation) chosenAt(release accounting.Event, steps []int) accounting.Event {
	chosen := map[int]int{} // of a period
	for _, step := range steps {
		chosen[step/a.Period]++
	}
	periods := map[int]int{} // with a number of chosen steps
	for _, r := range chosen {
		periods[r]++
	}
	longest := 0
	whole := periods[a.Period]
	delete(periods, a.Period)
	for r := range periods {
		longest = max(longest, r)
	}
	periods[longest]--
	parts := []accounting.Event{a.Event(release, whole*a.Period+longest)}
	for _, r := range slices.Sorted(maps.Keys(periods)) {
		if count := periods[r]; count > 0 {
			parts = append(parts, accounting.SelfComposed{Event: a.Event(release, r), Count: count})
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return accounting.Composed{Events: parts}
}

// Secret returns true.
func (RandomAllocation) Secret() bool { return true }

// Assumptions are about the places.
func (a RandomAllocation) Assumptions() []string {
	return []string{
		fmt.Sprintf("each example joined one of each %d steps, drawn afresh each time and independently of the other examples", a.Period),
		"the batches and their sizes stay secret",
	}
}

// Share returns 1/t.
func (a RandomAllocation) Share() float64 { return 1 / float64(max(a.Period, 1)) }

// LikelyBatch returns the mean size plus two standard deviations, at most the number of examples.
func (a RandomAllocation) LikelyBatch(examples int) float64 {
	return Poisson{Rate: a.Share()}.LikelyBatch(examples) // the size has the same binomial law
}

// Batch returns the examples whose place in the period is this step.
func (a RandomAllocation) Batch(coins streams.Root, step, n int) ([]int32, error) {
	return a.draw(coins, step, n)
}

// Canaries returns the canaries whose place in the period is this step.
func (a RandomAllocation) Canaries(coins streams.Root, step, _, m int) ([]int32, error) {
	return a.draw(coins, step, m)
}

// draw draws the places of n examples in the period of a step. It returns those that have this
// step, ascending.
func (a RandomAllocation) draw(coins streams.Root, step, n int) ([]int32, error) {
	if err := a.validateDraw(step, n); err != nil {
		return nil, err
	}
	place := uint64(step % a.Period)
	rng := coins.Rand(fmt.Sprintf("period %d", step/a.Period))
	period, batch := uint64(a.Period), make([]int32, 0, int(a.LikelyBatch(n))+16)
	for i := range n {
		drawn, may := below(rng.Uint64(), period)
		if !may {
			drawn = uniform(rng, period)
		}
		if drawn == place {
			batch = append(batch, int32(i))
		}
	}
	return batch, nil
}

// uniform returns an integer below n >= 1, all with exactly the same chance.
func uniform(rng *rand.Rand, n uint64) uint64 {
	for {
		if v, may := below(rng.Uint64(), n); may {
			return v
		}
	}
}

// below returns the integer v below n that 64 random bits u give, and whether u may be used. Other
// bits must be drawn if it may not. Then all v have the same chance, exactly.
//
// The v of u is the high word of u n (Lemire (2019), arXiv:1805.10941, Section 4). The products
// with the high word v are the multiples of n from v 2^64 to (v+1) 2^64 - 1. Their low words are n
// apart. Low words from 2^64 mod n on hold ⌊2^64/n⌋ full strides, so as many u for each v may be
// used. A u may not be used with a chance below n 2^-64, whatever the data are.
func below(u, n uint64) (v uint64, may bool) {
	v, low := bits.Mul64(u, n)
	return v, low >= n || low >= -n%n // the division is rarely needed
}

// validateDraw checks the scheme and the arguments of a draw.
func (a RandomAllocation) validateDraw(step, n int) error {
	if err := a.Validate(n); err != nil {
		return fmt.Errorf("dpsgd: %w", err)
	}
	return validateStep(step, n)
}

func (RandomAllocation) sealed() {}
