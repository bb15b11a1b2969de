package dpsgd

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// The law of a random allocation, as drawn.
const (
	allocated   = 2000 // examples
	allocatedTo = 7    // steps of a period
	periods     = 12
)

// allocationFaults returns which tests of the definition the drawn batches fail. A right scheme
// fails each of the tests that depend on chance with a chance of 1e-7.
func allocationFaults(t *testing.T, a RandomAllocation, coins streams.Root) (faults map[string]bool) {
	t.Helper()
	return faultsOf(t, func(step int) ([]int32, error) { return a.Batch(coins, step, allocated) })
}

// faultsOf is allocationFaults for batches of any source, at the steps of whole periods.
func faultsOf(t *testing.T, batchAt func(step int) ([]int32, error)) (faults map[string]bool) {
	t.Helper()
	faults = map[string]bool{}
	places := make([][]int, periods)
	squares := 0.0
	const mean = float64(allocated) / allocatedTo
	for e := range periods {
		places[e] = slices.Repeat([]int{-1}, allocated)
		early := 0.0
		for i := range allocatedTo {
			batch, err := batchAt(e*allocatedTo + i)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range batch {
				if places[e][x] >= 0 {
					faults["each example once a period"] = true
				}
				places[e][x] = i
			}
			squares += (float64(len(batch)) - mean) * (float64(len(batch)) - mean) / mean
			if i < (allocatedTo+1)/2 {
				early += float64(len(batch))
			}
		}
		if slices.Contains(places[e], -1) {
			faults["each example once a period"] = true
		}
		if unlikely(early, allocated, float64((allocatedTo+1)/2)/allocatedTo) {
			faults["a cut period has its share of the examples"] = true
		}
	}
	// Σ (size - mean)²/mean over a period of t sizes is χ² of t-1 degrees. Its cube root is nearly
	// normal (Wilson and Hilferty). Equal sizes give 0.
	degrees := float64(periods * (allocatedTo - 1))
	if z := (math.Cbrt(squares/degrees) - 1 + 2/(9*degrees)) / math.Sqrt(2/(9*degrees)); math.Abs(z) > 5.33 {
		faults["sizes vary like multinomial ones"] = true
	}
	again, together, pairs := 0.0, 0.0, 0.0
	for e := range periods {
		for x := range allocated {
			if e > 0 && places[e][x] == places[e-1][x] {
				again++
			}
			if x%2 == 1 {
				pairs++
				if places[e][x] == places[e][x-1] {
					together++
				}
			}
		}
	}
	if unlikely(again, allocated*(periods-1), 1./allocatedTo) {
		faults["places of two periods are independent"] = true
	}
	if unlikely(together, pairs, 1./allocatedTo) {
		faults["places of two examples are independent"] = true
	}
	return faults
}

// unlikely reports whether a count of n coins of chance p is beyond 5.33 standard deviations.
func unlikely(count, n, p float64) bool {
	return math.Abs(count-n*p) > 5.33*math.Sqrt(n*p*(1-p))
}

func TestRandomAllocationLaw(t *testing.T) {
	if faults := allocationFaults(t, RandomAllocation{Period: allocatedTo}, streams.Fixed("allocation")); len(faults) > 0 {
		t.Errorf("the batches fail: %v", faults)
	}
}

// The place of an example depends on no other example, and on no step that was drawn before.
func TestRandomAllocationMovesNoOther(t *testing.T) {
	coins, a := streams.Fixed("allocation"), RandomAllocation{Period: 5}
	for _, step := range []int{13, 3, 0, 7, 4} {
		few, err := a.Batch(coins, step, 300)
		more, moreErr := a.Batch(coins, step, 301)
		canaries, canariesErr := a.Canaries(coins, step, 8, 300)
		if err != nil || moreErr != nil || canariesErr != nil {
			t.Fatal(err, moreErr, canariesErr)
		}
		if !slices.Equal(few, more[:len(few)]) || len(more) > len(few)+1 || !slices.Equal(few, canaries) {
			t.Errorf("step %d: batches %v, of one example more %v, canaries %v", step, few, more, canaries)
		}
	}
	for bad, step := range map[RandomAllocation]int{{}: 0, {Period: 1}: 0, {Period: 1 << 31}: 0, {Period: 2}: -1} {
		batch, err := bad.Batch(coins, step, 5)
		joined, joinedErr := bad.Canaries(coins, step, 5, 1)
		if err == nil || joinedErr == nil || batch != nil || joined != nil {
			t.Errorf("%v, step %d: batch %v, %v, canaries %v, %v: want errors", bad, step, batch, err, joined, joinedErr)
		}
	}
}

// Every integer below n comes from the same number of the 2^64 words, counted exactly: the words
// that give v are consecutive, and at most the first of them is refused.
func TestBelowIsExactlyUniform(t *testing.T) {
	whole := new(big.Int).Lsh(big.NewInt(1), 64)
	first := func(v, n uint64) *big.Int { // ⌈v 2^64/n⌉, the first word that gives v
		product := new(big.Int).Mul(new(big.Int).SetUint64(v), whole)
		product.Add(product, new(big.Int).SetUint64(n-1))
		return product.Div(product, new(big.Int).SetUint64(n))
	}
	for _, n := range []uint64{2, 3, 7, 100, 234, 1 << 20, math.MaxInt32} {
		want := new(big.Int).Div(whole, new(big.Int).SetUint64(n))
		for _, v := range []uint64{0, 1, 2, n / 3, n / 2, n - 2, n - 1} {
			if v >= n {
				continue
			}
			from, to := first(v, n), first(v+1, n)
			count := new(big.Int).Sub(to, from)
			for k := range uint64(4) {
				got, uniform := below(from.Uint64()+k, n)
				if got != v || !uniform && k > 0 {
					t.Errorf("word %d of those that give %d below %d: %d, may be used %v", k, v, n, got, uniform)
				}
				if !uniform {
					count.Sub(count, big.NewInt(1))
				}
			}
			if got, uniform := below(new(big.Int).Sub(to, big.NewInt(1)).Uint64(), n); got != v || !uniform {
				t.Errorf("the last word that gives %d below %d: %d, may be used %v", v, n, got, uniform)
			}
			if count.Cmp(want) != 0 {
				t.Errorf("%d below %d: %v words, want %v", v, n, count, want)
			}
		}
	}
}

// What runs is what is priced, for whole and cut periods.
func TestEventOfRandomAllocation(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: RandomAllocation{Period: 4}, Steps: 10, ExpectedBatchSize: 3, LearningRate: 1}
	for steps := 1; steps <= 10; steps++ {
		want := accounting.RandomAllocation{Period: 4, Steps: steps, Participations: 1, Event: c.eventOf(func(_ Sampling, release accounting.Event, _ int) accounting.Event { return release }, 0)}
		if got := c.EventAfter(steps); got != accounting.Event(want) || got.Validate() != nil {
			t.Errorf("after %d steps: %v, want %v", steps, got, want)
		}
	}
	for _, bad := range []int{-1, 0, 1, 1 << 31} {
		c.Sampling = RandomAllocation{Period: bad}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("Config.Sampling: RandomAllocation.Period %d: must be from 2 to 2^31-1", bad)) {
			t.Errorf("period %d: error %v, want one that names it", bad, err)
		}
	}
}

// A canary that can take part in some steps only has the event of its periods: the chosen steps of
// each are the first ones of a period.
func TestCanaryEventOfRandomAllocation(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: RandomAllocation{Period: 4}, Steps: 14, ExpectedBatchSize: 3, LearningRate: 1}
	release := c.eventOf(func(_ Sampling, release accounting.Event, _ int) accounting.Event { return release }, 0)
	one := func(steps int) accounting.Event { return c.Sampling.Event(release, steps) }
	for _, test := range []struct {
		at   string // of 14 steps
		want accounting.Event
	}{
		{"xxxx xxxx xxxx xx", c.Event()},
		{"xxxx .... xxxx ..", one(8)},
		{".... ..x. .... ..", one(1)},
		{".x.x x.xx xxxx .x", accounting.Composed{Events: []accounting.Event{
			one(7), accounting.SelfComposed{Event: one(1), Count: 1}, accounting.SelfComposed{Event: one(2), Count: 1}}}},
		{"..x. x... ...x .x", accounting.Composed{Events: []accounting.Event{one(1), accounting.SelfComposed{Event: one(1), Count: 3}}}},
	} {
		at := strings.ReplaceAll(test.at, " ", "")
		plan := c.Plan()
		plan.Canary = &Canary{In: []bool{true}, At: func(step int) bool { return at[step] == 'x' }}
		if got := plan.CanaryEvent(0); fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", test.want) || got.Validate() != nil {
			t.Errorf("%s: %v, want %v", test.at, got, test.want)
		}
	}
	plan := c.Plan()
	plan.Canary = &Canary{In: []bool{true}, At: func(int) bool { return false }}
	if got := plan.CanaryEvent(0); got.Validate() == nil {
		t.Errorf("a canary in no step has the valid event %v", got)
	}
	if got := (RandomAllocation{Period: math.MaxInt32}).Chosen(release, math.MaxInt/4); got.Validate() == nil {
		t.Errorf("more steps than there are numbers have the valid event %v", got)
	}
}

// A statement has the price of the allocation, below that of Poisson sampling, and lists the way in
// which batches are drawn.
func TestStatementOfRandomAllocation(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: RandomAllocation{Period: 100}, Steps: 1000, ExpectedBatchSize: 3, LearningRate: 1}
	s, err := c.Statement(ofSize(10), 1e-5, "one row")
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Guarantee.Epsilon; !(e.Lower <= 1.70167 && e.Upper >= 1.70140 && e.Upper < 1.703) { // the interval of a second program, with 5,000 cells
		t.Errorf("ε in %v, want about 1.7015", e)
	}
	for _, part := range []string{"RandomAllocation(1 of each 100, 1000 steps", "each example joined one of each 100 steps, drawn afresh each time and independently of the other examples", "the batches and their sizes stay secret", "ε ≤ 1.71"} {
		if !strings.Contains(s.Full(), part) {
			t.Errorf("statement lacks %q:\n%s", part, s.Full())
		}
	}
}

// A draw is as fast as that of Poisson: it makes as many words.
func BenchmarkRandomAllocation(b *testing.B) {
	coins := streams.Fixed("benchmark")
	for b.Loop() {
		if _, err := (RandomAllocation{Period: 250}).Batch(coins, 3, 60000); err != nil {
			b.Fatal(err)
		}
	}
}
