package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// odd is an example that is not like those of blobs(n, 6, 3).
func odd() *dpsgd.Example {
	return &dpsgd.Example{Features: []float32{3, -3, 3, -3, 3, -3}, Label: 2}
}

// with returns the data with one more row.
func with(d data.Dataset, x *dpsgd.Example) data.Dataset {
	d.Features, d.Labels = append(slices.Clone(d.Features), x.Features...), append(slices.Clone(d.Labels), x.Label)
	return d
}

// A crafted example acts as a row of the data for the replicas that have it. It does not affect the
// others (in shared batches up to rounding), under every sampling and with shared batches.
func TestCanaryExampleIsARowOfTheData(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(14, 6, 3)
	run := func(d data.Dataset, p dpsgd.Plan) [][]float64 {
		tr := trainer(t, m, d, p, engine.Performance{ReplicasPerCall: 2, Microbatch: 8})
		return must(tr.RunEach(t.Context(), roots(2)))(t).Parameters.Values
	}
	for _, c := range []dpsgd.Config{fixed(1), fixed(3)} { // 14 ≡ 2 (mod 3): it joins steps 2, 5, ...
		for _, shared := range []bool{false, true} {
			plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c}, SharedBatches: shared}
			in, out := run(with(d, odd()), plan), run(d, plan)
			if slices.Equal(in[0], out[0]) {
				t.Fatal("the row makes no difference: the test says nothing")
			}
			plan.Canary = &dpsgd.Canary{Example: odd(), In: []bool{true, false}}
			got := run(d, plan)
			if !sameBits(got[0], in[0]) {
				t.Errorf("%v, shared %v: a replica with the example differs from training on the data with that row", c.Sampling, shared)
			}
			if shared { // its place in the order is empty, but there: the same sums, added in another order
				checkClose(t, "a replica without the example in shared batches", got[1], out[1], 1e-5)
			} else if !sameBits(got[1], out[1]) {
				t.Errorf("%v: a replica without the example differs from training on the data", c.Sampling)
			}
		}
	}
}

// Under Poisson sampling the example tosses its own coin. The coins of the rows do not change, and
// it joins a binomial number of n steps, within 5.33 standard deviations (chance 1e-7).
func TestCanaryExampleIsSampled(t *testing.T) {
	const steps, rate = 2000, 0.3
	m, empty := mlp(t, 6, 3), blobs(0, 6, 3)
	c := clipOnly(1)
	c.Steps, c.Sampling, c.LearningRate = steps, dpsgd.Poisson{Rate: rate}, 1e-9
	plan := c.Plan()
	direction := make([]float64, m.Size())
	direction[m.Size()-1] = 1 // the bias of class 2, whose gradient is p - 1
	plan.Probes, plan.Canary = [][]float64{direction}, &dpsgd.Canary{Example: odd(), In: []bool{true}}
	joined := 0.0
	for _, products := range train(t, m, empty, plan, engine.Performance{}, "example coin").Probes[0] {
		if products[0] != 0 {
			joined++
		}
	}
	if z := (joined - steps*rate) / math.Sqrt(steps*rate*(1-rate)); math.Abs(z) > 5.33 {
		t.Errorf("the example joined %g of %d steps, want %g: %.1f standard deviations off", joined, steps, steps*rate, z)
	}

	d, p := blobs(14, 6, 3), dpsgd.Plan{Replicas: several(3)}
	without := train(t, m, d, p, engine.Performance{}, "own coin").Parameters.Values
	p.Canary = &dpsgd.Canary{Example: odd(), In: []bool{true, false, true}}
	got := train(t, m, d, p, engine.Performance{}, "own coin").Parameters.Values
	if sameBits(got[0], without[0]) || !sameBits(got[1], without[1]) || sameBits(got[2], without[2]) {
		t.Error("the example changed a replica without it, or none of those with it")
	}
}

// A gradient of each step and replica is what is added there, and nothing else is.
func TestCanaryGradientOfEachStepAndReplica(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(20, 12, 4)
	c := clipOnly(0.5)
	c.Steps, c.LearningRate = 4, 1e-9 // the same sums at every step
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c, c}}
	for i := range 3 {
		direction := make([]float64, m.Size())
		direction[i] = 1
		plan.Probes = append(plan.Probes, direction)
	}
	size := func(step, replica int) float64 { return 0.1 * float64(1+step) / float64(1+replica) }
	before := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 2}, "sequence").Probes
	plan.Canary = &dpsgd.Canary{
		In: []bool{true, false, true},
		At: func(step int) bool { return step != 1 },
		GradientAt: func(step, replica int) []float64 {
			gradient := make([]float64, m.Size())
			gradient[replica] = size(step, replica)
			return gradient
		},
	}
	after := train(t, m, d, plan, engine.Performance{ReplicasPerCall: 2}, "sequence").Probes
	for r := range 3 {
		for step := range 4 {
			for i := range 3 {
				want := 0.0
				if i == r && r != 1 && step != 1 {
					want = size(step, r)
				}
				if moved := after[r][step][i] - before[r][step][i]; math.Abs(moved-want) > 1e-6 {
					t.Errorf("replica %d, step %d: coordinate %d moved by %g, want %g", r, step, i, moved, want)
				}
			}
		}
	}
}

// With fixed batches, a canary with its own steps joins exactly those.
func TestCanaryOfFixedBatchesJoinsItsSteps(t *testing.T) {
	m, d := mlp(t, 6, 3), blobs(9, 6, 3)
	c := clipOnly(0.5)
	c.Steps, c.LearningRate, c.Sampling = 8, 1e-9, fixed(3).Sampling
	direction := make([]float64, m.Size())
	direction[4] = 0.5
	for name, at := range map[string]func(int) bool{
		"place":  nil, // 9 ≡ 0 (mod 3)
		"steps":  func(step int) bool { return step == 1 || step == 5 },
		"always": func(int) bool { return true },
	} {
		plan := c.Plan()
		plan.Probes = [][]float64{direction}
		before := train(t, m, d, plan, engine.Performance{}, "fixed").Probes[0]
		plan.Canary = &dpsgd.Canary{Gradient: direction, In: []bool{true}, At: at}
		after := train(t, m, d, plan, engine.Performance{}, "fixed").Probes[0]
		for step := range c.Steps {
			want := 0.0
			if (at == nil && step%3 == 0) || (at != nil && at(step)) {
				want = 0.25
			}
			if moved := after[step][0] - before[step][0]; math.Abs(moved-want) > 1e-6 {
				t.Errorf("%s, step %d: moved by %g, want %g", name, step, moved, want)
			}
		}
	}
}

func TestCanaryIsValidated(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(14, 6, 3)
	good := make([]float64, m.Size())
	good[1] = 0.5
	at := func(f func(step int) []float64) func(int, int) []float64 {
		return func(step, _ int) []float64 { return f(step) }
	}
	for _, c := range []struct {
		canary dpsgd.Canary
		want   []string
	}{
		{dpsgd.Canary{Gradient: good}, nil},
		{dpsgd.Canary{GradientAt: at(func(int) []float64 { return good })}, nil},
		{dpsgd.Canary{Example: odd()}, nil},
		{dpsgd.Canary{}, []string{"Plan.Canary has 0 of Gradient, GradientAt, Example: must have exactly one"}},
		{dpsgd.Canary{Gradient: good, Example: odd()}, []string{"Plan.Canary has 2 of"}},
		{dpsgd.Canary{GradientAt: at(func(int) []float64 { return nil })}, []string{"Plan.Canary.GradientAt(0, 0) has length 0"}},
		{dpsgd.Canary{Example: &dpsgd.Example{Features: make([]float32, 5)}}, []string{"Plan.Canary.Example.Features has length 5: must be 6"}},
		{dpsgd.Canary{Example: &dpsgd.Example{Features: []float32{0, 0, float32(math.Inf(1)), 0, 0, 0}}}, []string{"Example.Features[2] is +Inf"}},
		{dpsgd.Canary{Example: &dpsgd.Example{Features: make([]float32, 6), Label: 3}}, []string{"Example.Label 3: must be in [0, 3)"}},
	} {
		c.canary.In = []bool{true}
		plan := private().Plan()
		plan.Canary = &c.canary
		_, err := engine.NewReplicas(m, d, plan)
		checkError(t, err, c.want)
	}
	plan := private().Plan()
	plan.Replicas[0].Sampling = dpsgd.Poisson{Rate: 1}
	long := slices.Clone(good)
	long[2] = 1
	plan.Canary = &dpsgd.Canary{In: []bool{true}, GradientAt: func(step, _ int) []float64 {
		if step == 3 {
			return long
		}
		return good
	}}
	_, err := trainer(t, m, d, plan, engine.Performance{}).RunEach(t.Context(), roots(1))
	checkError(t, err, []string{"Plan.Canary.GradientAt(3, 0) has norm 1.118", "at most ClipNorm 0.5 of replica 0"})
}
