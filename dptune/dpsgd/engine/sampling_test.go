package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// fixed returns a config with fixed batches.
func fixed(period int) dpsgd.Config {
	c := private()
	c.Sampling = dpsgd.FixedBatches{Period: period}
	return c
}

// Fixed batches are the rows that are said to take part, one by one.
func TestFixedBatchesEqualOneByOne(t *testing.T) {
	widths := []int{6, 5, 3}
	m, d := mlp(t, widths...), blobs(13, 6, 3)
	initial := randomWeights(m, 0.5)
	c := clipOnly(0.4)
	c.Steps, c.LearningRate, c.ExpectedBatchSize = 7, 0.6, 4
	c.Sampling = dpsgd.FixedBatches{Period: 3}
	plan := c.Plan()
	plan.Initial = &initial
	perf := engine.Performance{Precision: engine.Float64, Microbatch: 4}
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
	all.Sampling = dpsgd.Poisson{Rate: 1}
	full.Sampling = dpsgd.FullBatch{}
	var got [][]float64
	for _, c := range []dpsgd.Config{all, full, fixed(1)} {
		got = append(got, train(t, m, d, c.Plan(), engine.Performance{}, "full").Parameters.Values[0])
	}
	if !sameBits(got[0], got[1]) || !sameBits(got[0], got[2]) {
		t.Error("rate 1, the full batch and one fixed batch differ")
	}
}

// Each row takes part in one step of each period, and the batches are summed whole, also those that
// are larger than a microbatch. Without noise, the sums of a period at constant weights add up to
// the sum over all rows.
func TestRandomAllocationSumsEachRowOnceAPeriod(t *testing.T) {
	m, d := mlp(t, 6, 3), blobs(40, 6, 3)
	initial := randomWeights(m, 0.5)
	c := clipOnly(0.4)
	c.Steps, c.Sampling = 12, dpsgd.RandomAllocation{Period: 4}
	plan := c.Plan()
	plan.Initial, plan.Schedule = &initial, func(int) float64 { return 0 }
	for i := range m.Size() {
		direction := make([]float64, m.Size())
		direction[i] = 1
		plan.Probes = append(plan.Probes, direction)
	}
	perf := engine.Performance{Precision: engine.Float64, Microbatch: 8} // a batch has 10 rows on average
	sums := train(t, m, d, plan, perf, "allocation").Probes[0]
	want := (twin{[]int{6, 3}}).clippedSum(initial.Values[0], d, rangeOf(40), 0.4)
	for period := range 3 {
		got := make([]float64, m.Size())
		for _, sum := range sums[4*period : 4*period+4] {
			for i, s := range sum {
				got[i] += s
			}
		}
		checkClose(t, fmt.Sprintf("period %d", period), got, want, 1e-12)
	}
}

// Replicas may differ in their sampling, and then are still their single runs.
func TestReplicasHaveTheirOwnSampling(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(23, 6, 3)
	allocated := private()
	allocated.Sampling = dpsgd.RandomAllocation{Period: 3}
	configs, rs := []dpsgd.Config{private(), fixed(2), allocated, fixed(1)}, roots(4)
	together := trainer(t, m, d, dpsgd.Plan{Replicas: configs}, engine.Performance{ReplicasPerCall: 3, Microbatch: 8})
	got := must(together.RunEach(t.Context(), rs))(t).Parameters.Values
	for r, c := range configs {
		single := trainer(t, m, d, c.Plan(), engine.Performance{Microbatch: 8})
		if !sameBits(got[r], must(single.RunEach(t.Context(), rs[r:r+1]))(t).Parameters.Values[0]) {
			t.Errorf("replica %d differs from its single run", r)
		}
	}
}
