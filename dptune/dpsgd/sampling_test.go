package dpsgd_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// fixed returns a config with fixed batches.
func fixed(period int) dpsgd.Config {
	c := private()
	c.SamplingRate, c.Sampling = 0, dpsgd.Sampling{Scheme: dpsgd.FixedBatches, Period: period}
	return c
}

// The event of fixed batches counts the steps of the example that takes part most often,
// counted here one by one, and what is done up to a step likewise.
func TestEventOfFixedBatchesCountsTheWorstExample(t *testing.T) {
	for steps := 1; steps <= 12; steps++ {
		for period := 1; period <= 14; period++ {
			most := 0
			for example := range 40 {
				times := 0
				for step := range steps {
					if step%period == example%period {
						times++
					}
				}
				most = max(most, times)
			}
			c := fixed(period)
			c.Steps = steps
			want := accounting.Event(accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: c.NoiseMultiplier}, Count: most})
			if got := c.Event(); got != want {
				t.Errorf("%d steps, period %d: event %v, want %v", steps, period, got, want)
			}
			c.Steps = 100
			if got := c.EventAfter(steps); got != want {
				t.Errorf("after %d steps, period %d: event %v, want %v", steps, period, got, want)
			}
		}
	}
	full := private()
	full.SamplingRate, full.Sampling.Scheme = 0, dpsgd.FullBatch
	if got, want := full.Event(), fixed(1).Event(); got != want {
		t.Errorf("event of the full batch %v, want %v", got, want)
	}
}

// Fixed batches are the rows that are said to take part, one by one.
func TestFixedBatchesEqualOneByOne(t *testing.T) {
	widths := []int{6, 5, 3}
	m, d := mlp(t, widths...), blobs(13, 6, 3)
	initial := randomWeights(m, 0.5)
	c := clipOnly(0.4)
	c.Steps, c.LearningRate, c.ExpectedBatchSize = 7, 0.6, 4
	c.SamplingRate, c.Sampling = 0, dpsgd.Sampling{Scheme: dpsgd.FixedBatches, Period: 3}
	plan := c.Plan()
	plan.Initial = &initial
	perf := dpsgd.Performance{Precision: dpsgd.Float64, Microbatch: 4}
	got := train(t, m, d, plan, perf, "fixed").Parameters.Values[0]

	want := slices.Clone(initial.Values[0])
	for step := range c.Steps {
		var batch []int32
		for i := range int32(13) {
			if int(i)%3 == step%3 {
				batch = append(batch, i)
			}
		}
		for i, s := range (twin{widths}).clippedSum(want, d, batch, 0.4) {
			want[i] -= 0.6 / 4 * s
		}
	}
	checkClose(t, "fixed batches", got, want, 1e-12)
}

// The full batch is Poisson sampling with rate 1, and one fixed batch.
func TestFullBatch(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(13, 6, 3)
	all, full := private(), private()
	all.SamplingRate = 1
	full.SamplingRate, full.Sampling.Scheme = 0, dpsgd.FullBatch
	var got [][]float64
	for _, c := range []dpsgd.Config{all, full, fixed(1)} {
		got = append(got, train(t, m, d, c.Plan(), dpsgd.Performance{}, "full").Parameters.Values[0])
	}
	if !sameBits(got[0], got[1]) || !sameBits(got[0], got[2]) {
		t.Error("rate 1, the full batch and one fixed batch differ")
	}
}

// Replicas may differ in their sampling, and then are still their single runs.
func TestReplicasHaveTheirOwnSampling(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(23, 6, 3)
	configs, rs := []dpsgd.Config{private(), fixed(2), fixed(5), fixed(1)}, roots(4)
	together := trainer(t, m, d, dpsgd.Plan{Replicas: configs}, dpsgd.Performance{Chunk: 3, Microbatch: 8})
	got := must(together.RunEach(t.Context(), rs))(t).Parameters.Values
	for r, c := range configs {
		single := trainer(t, m, d, c.Plan(), dpsgd.Performance{Microbatch: 8})
		if !sameBits(got[r], must(single.RunEach(t.Context(), rs[r:r+1]))(t).Parameters.Values[0]) {
			t.Errorf("replica %d differs from its single run", r)
		}
	}
}

func TestSamplingIsValidated(t *testing.T) {
	for _, c := range []struct {
		rate     float64
		sampling dpsgd.Sampling
		want     []string
	}{
		{0, dpsgd.Sampling{Scheme: dpsgd.FullBatch}, nil},
		{0, dpsgd.Sampling{Scheme: dpsgd.FixedBatches, Period: 3}, nil},
		{0.5, dpsgd.Sampling{Scheme: dpsgd.FullBatch}, []string{"SamplingRate 0.5: must be 0 when Sampling.Scheme is FullBatch"}},
		{0.5, dpsgd.Sampling{Scheme: dpsgd.FixedBatches}, []string{"SamplingRate 0.5: must be 0", "Sampling.Period 0: must be >= 1"}},
		{0.5, dpsgd.Sampling{Period: 3}, []string{"Sampling.Period 3: must be 0 unless"}},
		{0.5, dpsgd.Sampling{Scheme: -1}, []string{"Sampling.Scheme SamplingScheme(-1)"}},
	} {
		config := private()
		config.SamplingRate, config.Sampling = c.rate, c.sampling
		checkError(t, config.Validate(), c.want)
		if invalid := config.Event().Validate() != nil; len(c.want) == 0 && invalid {
			t.Errorf("%+v: the event of a valid config is not valid", c)
		}
	}
	unknown := private()
	unknown.Sampling.Scheme = 9
	if unknown.Event().Validate() == nil {
		t.Error("the event of an unknown scheme is valid: it would be accounted as something")
	}
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{fixed(2), fixed(3)}, SharedBatches: true}
	checkError(t, plan.Validate(8), []string{"Plan.Replicas[1].Sampling {FixedBatches 3}: must be {FixedBatches 2}"})
}

func ExampleConfig_EventAfter() {
	c := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 4, Steps: 250, ExpectedBatchSize: 400, LearningRate: 0.1,
		Sampling: dpsgd.Sampling{Scheme: dpsgd.FixedBatches, Period: 50},
	}
	fmt.Println(c.EventAfter(1))
	fmt.Println(c.EventAfter(101))
	fmt.Println(c.Event())
	// Output:
	// 1 x Gaussian(σ=4)
	// 3 x Gaussian(σ=4)
	// 5 x Gaussian(σ=4)
}
