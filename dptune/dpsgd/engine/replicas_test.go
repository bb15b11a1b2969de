package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// several returns configs that differ in all that may differ between replicas.
func several(n int) []dpsgd.Config {
	list := make([]dpsgd.Config, n)
	for i := range list {
		list[i] = private()
		list[i].ClipNorm *= 1 + float64(i)
		list[i].LearningRate /= 1 + float64(i)
		list[i].NoiseMultiplier += 0.1 * float64(i)
		list[i].Sampling = dpsgd.Poisson{Rate: 0.3 - 0.03*float64(i)}
		list[i].Optimizer = dpsgd.SGD{Momentum: 0.1 * float64(i)}
	}
	return list
}

// variants change several configs to other rules.
var variants = map[string]func(i int, c *dpsgd.Config){
	"flat, sgd": func(int, *dpsgd.Config) {},
	"automatic, adam": func(i int, c *dpsgd.Config) {
		c.Clipping = dpsgd.AutomaticClipping{Stability: 0.1 * float64(i)}
		c.Optimizer = dpsgd.Adam{Beta1: 0.5 + 0.1*float64(i)}
	},
	"per layer, decay": func(i int, c *dpsgd.Config) {
		c.Clipping, c.WeightDecay = dpsgd.PerLayerClipping{}, 0.01*float64(i)
	},
}

func roots(n int) []streams.Root {
	list := make([]streams.Root, n)
	for i := range list {
		list[i] = streams.Fixed(fmt.Sprint("replica test ", i))
	}
	return list
}

// R replicas are R single runs, to the last bit, for any groups and goroutines. A result depends on
// its own config and root only.
func TestReplicasEqualSingleRuns(t *testing.T) {
	for name, change := range variants {
		sizes := [][]int{{12, 10, 4}}
		if name == "flat, sgd" && !compilesSlowly() {
			sizes = append(sizes, []int{600, 64, 10}) // which meets the kernels' thresholds
		}
		t.Run(name, func(t *testing.T) { testReplicasEqualSingleRuns(t, sizes, change) })
	}
}

func testReplicasEqualSingleRuns(t *testing.T, sizes [][]int, change func(int, *dpsgd.Config)) {
	replicas, settings := 5, []engine.Performance{
		{Microbatch: 16}, {Microbatch: 16, ReplicasPerCall: 2, Goroutines: 2}, {Microbatch: 16, ReplicasPerCall: 5, Goroutines: 1}, {Microbatch: 16, ReplicasPerCall: 1, Goroutines: 3},
	}
	if compilesSlowly() { // one group, and two with a smaller last one
		replicas, settings = 3, []engine.Performance{{Microbatch: 16, Goroutines: 1}, {Microbatch: 16, ReplicasPerCall: 2, Goroutines: 2}}
	}
	configs, rs := several(replicas), roots(replicas)
	for i := range configs {
		change(i, &configs[i])
	}
	for _, widths := range sizes {
		m, d := mlp(t, widths...), blobs(80, widths[0], widths[len(widths)-1])
		var want [][]float64
		for r := range configs {
			// A momentum in one replica must not change plain replicas either.
			single := trainer(t, m, d, configs[r].Plan(), engine.Performance{Microbatch: 16})
			want = append(want, must(single.RunEach(context.Background(), rs[r:r+1]))(t).Parameters.Values[0])
		}
		for _, perf := range settings {
			together := trainer(t, m, d, dpsgd.Plan{Replicas: configs}, perf)
			got := must(together.RunEach(context.Background(), rs))(t).Parameters.Values
			for r := range want {
				if !sameBits(got[r], want[r]) {
					t.Errorf("widths %v, %+v: replica %d is %.3g away from its single run, want the same bits", widths, perf, r, distance(got[r], want[r]))
				}
			}
		}
	}
}

// Replicas of equal configs are different runs: own batches, noise and initial weights.
func TestReplicasAreIndependentRuns(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	c := clipOnly(0.5)
	c.Sampling, c.ExpectedBatchSize = dpsgd.Poisson{Rate: 0.3}, 24
	initial := randomWeights(m, 0.5)
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{c, c}, Initial: &initial}
	got := train(t, m, d, plan, engine.Performance{}, "own batches").Parameters.Values
	if slices.Equal(got[0], got[1]) {
		t.Error("two replicas without noise, from equal weights, are equal: their batches were shared")
	}
	plan.SharedBatches = true
	got = train(t, m, d, plan, engine.Performance{ReplicasPerCall: 1}, "shared batches").Parameters.Values
	if !sameBits(got[0], got[1]) {
		t.Error("SharedBatches: two replicas without noise, from equal weights, differ")
	}
	plan = dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}, Initial: &initial, SharedBatches: true}
	got = train(t, m, d, plan, engine.Performance{}, "own noise").Parameters.Values
	if slices.Equal(got[0], got[1]) {
		t.Error("two private replicas on shared batches are equal: their noise was shared")
	}
}

// The same root gives the same bits, another root others.
func TestRunsReproduce(t *testing.T) {
	m, d := mlp(t, 12, 10, 4), blobs(80, 12, 4)
	run := func(name string) *engine.Results { return train(t, m, d, private().Plan(), engine.Performance{}, name) }
	a, b, c := run("a"), run("a"), run("b")
	if !slices.Equal(a.Parameters.Values[0], b.Parameters.Values[0]) {
		t.Error("two runs from one root differ")
	}
	if slices.Equal(a.Parameters.Values[0], c.Parameters.Values[0]) {
		t.Error("runs from two roots are equal")
	}
	secret := must(streams.Secret())(t)
	result := must(trainer(t, m, d, private().Plan(), engine.Performance{}).Run(context.Background(), secret))(t)
	if !a.Seeded || result.Seeded {
		t.Errorf("Seeded is %v for a fixed root and %v for a secret one", a.Seeded, result.Seeded)
	}
}

// R replicas on shared batches are R single runs too, to the last bit, even if the products of all
// are above the size at which a backend changes kernels.
func TestManyReplicasEqualSingleRuns(t *testing.T) {
	for _, c := range []struct {
		widths          []int
		batch, replicas int
	}{
		{[]int{8, 6, 2}, 400, 230},       // 230·8·6·400 > 2^22
		{[]int{8, 20, 20, 4}, 256, 42},   // 42·20·20·256 > 2^22
		{[]int{64, 64, 10}, 128, 9},      // 9·64·64·128 > 2^22
		{[]int{600, 64, 10}, 48, 3},      // 3·600·64·48 > 2^22
		{[]int{784, 120, 120, 10}, 8, 3}, // more in a batch of one replica than in a row
	} {
		if compilesSlowly() && c.replicas != 42 && c.replicas != 3 { // kernels of the go backend
			continue
		}
		m, d := mlp(t, c.widths...), blobs(c.batch, c.widths[0], c.widths[len(c.widths)-1])
		config := private()
		config.Sampling, config.Steps = dpsgd.Poisson{Rate: 1}, 2 // all batches are the data
		plan, rs := dpsgd.Plan{}, roots(c.replicas)
		for r := range c.replicas {
			config.LearningRate = 0.4 / float64(1+r%5)
			plan.Replicas = append(plan.Replicas, config)
		}
		for _, plan.SharedBatches = range []bool{false, true} {
			together := trainer(t, m, d, plan, engine.Performance{ReplicasPerCall: c.replicas})
			got := must(together.RunEach(context.Background(), rs))(t).Parameters.Values
			for _, r := range []int{0, c.replicas / 2, c.replicas - 1} {
				if r > 0 && r < c.replicas-1 && compilesSlowly() {
					continue
				}
				single := trainer(t, m, d, plan.Replicas[r].Plan(), engine.Performance{})
				want := must(single.RunEach(context.Background(), rs[r:r+1]))(t).Parameters.Values[0]
				if !sameBits(got[r], want) {
					t.Errorf("widths %v, shared %v: replica %d of %d is %.3g away from its single run, want the same bits",
						c.widths, plan.SharedBatches, r, c.replicas, distance(got[r], want))
				}
			}
		}
	}
}
