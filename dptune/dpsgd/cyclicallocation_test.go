package dpsgd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/dptune/streams"
)

// cyclic draws from three groups of as many examples as the tests of an allocation have.
var cyclic = CyclicAllocation{Period: 3, Turns: allocatedTo}

// turnOf returns the members of a group that join one of its turns, numbered from 0.
func turnOf(t *testing.T, group, turn int) []int32 {
	t.Helper()
	batch, err := cyclic.Batch(streams.Fixed("cyclic allocation"), turn*cyclic.Period+group, allocated*cyclic.Period)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range batch {
		if int(x)%cyclic.Period != group {
			t.Fatalf("turn %d of group %d: example %d of another group", turn, group, x)
		}
		batch[i] = x / int32(cyclic.Period)
	}
	return batch
}

// In each group the turns are a random allocation, by the tests of that. Examples of two groups have
// independent places: two in the same row have the same one with chance 1/t. It fails for a right
// scheme with chance 1e-7.
func TestCyclicAllocationIsItsLaw(t *testing.T) {
	for group := range cyclic.Period {
		if faults := faultsOf(t, func(turn int) ([]int32, error) { return turnOf(t, group, turn), nil }); len(faults) > 0 {
			t.Errorf("the batches of group %d fail: %v", group, faults)
		}
	}
	together := 0
	for turn := range periods * allocatedTo {
		first, second := turnOf(t, 0, turn), turnOf(t, 1, turn)
		for _, x := range first {
			if _, both := slices.BinarySearch(second, x); both {
				together++
			}
		}
	}
	if unlikely(float64(together), periods*allocated, 1./allocatedTo) {
		t.Errorf("%d of %d pairs of two groups have one place, want the share 1/%d", together, periods*allocated, allocatedTo)
	}
}

// A canary is drawn in the turns of its place after the data, by its own coin.
func TestCyclicAllocationDrawsCanariesInTheirGroup(t *testing.T) {
	a, coins := CyclicAllocation{Period: 4, Turns: 3}, streams.Fixed("cyclic canaries")
	times := make([]int, 9)
	const rounds = 20
	for step := range rounds * 4 * 3 {
		many, err := a.Canaries(coins, step, 7, 9)
		one, oneErr := a.Canaries(coins, step, 7, 1)
		if err != nil || oneErr != nil || slices.Contains(many, 0) != (len(one) == 1) {
			t.Fatalf("step %d: canary 0 joins by itself %v, with others %v, errors %v, %v", step, one, many, oneErr, err)
		}
		for _, i := range many {
			if times[i]++; (7+int(i))%4 != step%4 {
				t.Fatalf("step %d: canary %d is of another group", step, i)
			}
		}
	}
	if want := slices.Repeat([]int{rounds}, 9); !slices.Equal(times, want) {
		t.Errorf("canaries joined %v times, want each once in 12 steps", times)
	}
}

// One group is a random allocation. More groups have an event for the turns of the largest one, with
// and without correlated noise.
func TestEventOfCyclicAllocation(t *testing.T) {
	noise, err := OptimalNoise(25, 4)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: CyclicAllocation{Period: 4, Turns: 3}, Steps: 25, ExpectedBatchSize: 3, LearningRate: 1}
	allocation := func(turns int) accounting.Event {
		return accounting.RandomAllocation{Period: 3, Steps: turns, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: 2}}
	}
	for _, c.Noise = range []*CorrelatedNoise{nil, noise} {
		for steps, turns := range map[int]int{1: 1, 4: 1, 5: 2, 12: 3, 25: 7} {
			if got := c.EventAfter(steps); got != allocation(turns) {
				t.Errorf("noise %v, after %d steps: %v, want %v", c.Noise, steps, got, allocation(turns))
			}
		}
		plan := c.Plan()
		for at, want := range map[string]accounting.Event{
			"xxxx xxxx xxxx xxxx xxxx xxxx x": accounting.WorstCase{Events: []accounting.Event{allocation(6), allocation(7)}},
			"..x. ..x. ..x. ..x. .... .... .": allocation(4),
			"..x. .... ..x. .... .... .... .": allocation(2),
			"..x. .... .... ..x. .... .... .": accounting.Composed{Events: []accounting.Event{allocation(1), accounting.SelfComposed{Event: allocation(1), Count: 1}}},
			".... x.x. .... .... .... .... .": allocation(1),
		} {
			at := strings.ReplaceAll(at, " ", "")
			plan.Canary = &Canary{In: []bool{true}, At: func(step int) bool { return at[step] == 'x' }}
			got := plan.CanaryEvent(0)
			a, errA := auto.NewAccountant().EpsilonAt(got, 1e-5)
			b, errB := auto.NewAccountant().EpsilonAt(want, 1e-5)
			if errA != nil || errB != nil || a.Epsilon != b.Epsilon {
				t.Errorf("noise %v, %s: %v costs %v, want %v, %v", c.Noise, at, got, a.Epsilon, want, b.Epsilon)
			}
		}
		plan.Canary.At = func(int) bool { return false }
		if got := plan.CanaryEvent(0); got.Validate() == nil {
			t.Errorf("a canary in no step has the valid event %v", got)
		}
	}
	for _, bad := range []CyclicAllocation{{}, {Period: 1}, {Turns: 2}, {Period: -1, Turns: 3}, {Period: 2, Turns: 1}, {Period: 2, Turns: 1 << 31}} {
		c.Sampling = bad
		plan := c.Plan()
		plan.Canary = &Canary{In: []bool{true}, At: func(int) bool { return true }}
		batch, drawErr := bad.Batch(streams.Fixed("bad"), 0, 5)
		joined, joinErr := bad.Canaries(streams.Fixed("bad"), 0, 5, 1)
		if c.Validate() == nil || c.Event().Validate() == nil || plan.CanaryEvent(0).Validate() == nil || drawErr == nil || joinErr == nil || batch != nil || joined != nil {
			t.Errorf("%v is accepted: %v, %v, batch %v, %v, canaries %v, %v", bad, c.Validate(), c.Event(), batch, drawErr, joined, joinErr)
		}
	}
}

// The prices of the specification: 2,000 steps of a hundredth of the data, σ = 2, δ = 1e-5. They are
// below those of coins.
func TestPricesOfCyclicAllocation(t *testing.T) {
	for _, want := range []struct {
		bands        int
		lower, upper float64
	}{{1, 0.88020, 0.88030}, {10, 3.1569, 3.1570}, {50, 7.8220, 7.8223}} {
		noise, err := OptimalNoise(2000, want.bands)
		if err != nil {
			t.Fatal(err)
		}
		c := Config{ClipNorm: 1, NoiseMultiplier: 2, Steps: 2000, ExpectedBatchSize: 1, LearningRate: 1,
			Noise: noise, Sampling: CyclicAllocation{Period: want.bands, Turns: 100 / want.bands}}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := auto.NewAccountant().EpsilonAt(c.Event(), 1e-5)
		if err != nil || got.Epsilon.Lower > want.upper || got.Epsilon.Upper < want.lower || got.Epsilon.Width() > 1e-3*want.upper {
			t.Errorf("%d bands: ε in %v, %v, want it in [%g, %g]", want.bands, got.Epsilon, err, want.lower, want.upper)
		}
		c.Sampling = CyclicPoisson{Period: want.bands, Rate: float64(want.bands) / 100}
		coins, err := auto.NewAccountant().EpsilonAt(c.Event(), 1e-5)
		if err != nil || coins.Epsilon.Lower < got.Epsilon.Upper {
			t.Errorf("%d bands: ε %v by coins, %v by places, %v", want.bands, coins.Epsilon, got.Epsilon, err)
		}
	}
}

// The statement lists how batches are drawn.
func TestStatementOfCyclicAllocation(t *testing.T) {
	c := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: CyclicAllocation{Period: 4, Turns: 3}, Steps: 24, ExpectedBatchSize: 3, LearningRate: 1,
		Noise: &CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}}
	s, err := c.Statement(ofSize(10), 1e-5, "one row")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"each example joined one of each 3 turns of its group", "batches and their sizes stay secret", "ordered without looking at them", "correlated with that of up to 1 steps before"} {
		if !strings.Contains(s.Full(), want) {
			t.Errorf("%q is missing in %s", want, s.Full())
		}
	}
	if want := fmt.Sprint(accounting.RandomAllocation{Period: 3, Steps: 6, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: 2}}); !strings.Contains(s.Full(), want[:40]) {
		t.Errorf("%q is missing in %s", want, s.Full())
	}
}
