package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// The average is that of the weights after each step, and does not change them. The first weights
// have no part in it: after one step it is that step's weights.
func TestAveragedWeights(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	for _, steps := range []int{1, 12} {
		const decay = 0.8
		plan := dpsgd.Plan{Average: decay}
		for r := range 3 {
			c := private()
			c.Steps, c.LearningRate = steps, 0.4+0.1*float64(r)
			plan.Replicas = append(plan.Replicas, c)
		}
		perf := engine.Performance{ReplicasPerCall: 2, Precision: engine.Float64}
		result := train(t, m, d, plan, perf, "averages")
		sums, shares := make([][]float64, 3), make([]float64, 3)
		plan.Weights = func(step, r int, w []float64) {
			if sums[r] == nil {
				sums[r] = make([]float64, len(w))
			}
			for i, v := range w {
				sums[r][i] = decay*sums[r][i] + v
			}
			shares[r] = decay*shares[r] + 1
		}
		train(t, m, d, plan, perf, "averages")
		plan.Weights, plan.Average = nil, 0
		without := train(t, m, d, plan, perf, "averages")
		if without.Averaged.Values != nil {
			t.Error("an average that was not asked for")
		}
		for r, want := range sums {
			for i := range want {
				want[i] /= shares[r]
			}
			checkClose(t, fmt.Sprintf("%d steps, replica %d", steps, r), result.Model(r).Averaged.Values[0], want, 1e-13)
			if !sameBits(result.Parameters.Values[r], without.Parameters.Values[r]) {
				t.Errorf("%d steps, replica %d: the average changes the weights", steps, r)
			}
			if one := steps == 1; one != slices.Equal(result.Averaged.Values[r], result.Parameters.Values[r]) {
				t.Errorf("%d steps, replica %d: the average of one step must be its weights: %v", steps, r, one)
			}
		}
	}
}

// A stopped run that is resumed ends with the same average. A checkpoint of another average is
// refused by its name.
func TestStoppedAverages(t *testing.T) {
	whole := newStoppable(t, saving("", 0))
	whole.perf.Checkpoint = engine.Checkpoint{}
	want := whole.whole(t)
	s := newStoppable(t, saving(t.TempDir(), 4))
	s.stopAfter(t, 9, 0, 1, 2)
	same(t, "resumed", s.whole(t), want)
	for _, other := range []float64{0, 0.5} {
		s.plan.Average, s.trainer = other, nil
		_, err := s.run(t, t.Context())
		checkError(t, err, []string{"is of another run: must have the same Plan.Average (give this run its own folder)"})
	}
	for _, bad := range []float64{-0.1, 1} {
		s.plan.Average = bad
		checkError(t, s.plan.Validate(s.model.Size()), []string{"dpsgd: Plan.Average", "must be in [0, 1) (0 for no average)"})
	}
}

// The slot of SGD is the sum that moved the weights last.
func TestKeptSlots(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan := dpsgd.Plan{KeepSlots: true}
	for _, momentum := range []float64{0.5, 0} {
		c := private()
		c.Optimizer = dpsgd.SGD{Momentum: momentum}
		plan.Replicas = append(plan.Replicas, c)
	}
	last := make([][]float64, 2)
	plan.WeightsAt = func(step int) bool { return step == 3 }
	plan.Weights = func(_, r int, w []float64) { last[r] = slices.Clone(w) }
	result := train(t, m, d, plan, engine.Performance{Precision: engine.Float64}, "slots")
	for r, c := range plan.Replicas {
		got := result.Model(r)
		if len(got.Slots) != 1 {
			t.Fatalf("replica %d: %d slots, want 1", r, len(got.Slots))
		}
		moved := make([]float64, m.Size())
		for i := range moved {
			moved[i] = (last[r][i] - got.Parameters.Values[0][i]) * c.ExpectedBatchSize / c.LearningRate
		}
		checkClose(t, fmt.Sprintf("replica %d", r), got.Slots[0], moved, 1e-10)
	}
	plan.KeepSlots = false
	if train(t, m, d, plan, engine.Performance{}, "slots").Model(0).Slots != nil {
		t.Error("slots that were not asked for")
	}
}

// told is SGD that remembers what it is told.
type told struct {
	wrong
	updates []dpsgd.Update // by step
}

func (o told) Coefficients(u dpsgd.Update) []float64 {
	o.updates[u.Step] = u
	return []float64{u.LearningRate / u.ExpectedBatchSize}
}

func (told) Move(weights, sum *graph.Node, n, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	return graph.Sub(weights, graph.Mul(sum, n[0])), slots
}

// An optimizer is told the number of steps, the clip norm and the noise of each step. With
// C = (0.8, 0.6) the noise is n_t = (z_t - 0.6 n_(t-1))/0.8, so its variance is
// v_t = (1 + 0.36 v_(t-1))/0.64 in units of (σC)².
func TestOptimizersAreTold(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(12, 6, 3)
	tell := func(c dpsgd.Config) []dpsgd.Update {
		updates := make([]dpsgd.Update, c.Steps)
		c.Optimizer = told{updates: updates}
		plan := c.Plan()
		plan.Schedule = dpsgd.StepDecay(1, 0.5)
		if _, err := trainer(t, m, d, plan, engine.Performance{Goroutines: 1}).Run(t.Context(), streams.Fixed("told")); err != nil {
			t.Fatal(err)
		}
		return updates
	}
	c := private() // C 0.5, σ 1.1
	want := dpsgd.Update{Step: 2, Steps: 5, LearningRate: 0.1, ExpectedBatchSize: 20, LastBatchSize: 20, ClipNorm: 0.5, NoiseStdDev: 0.55}
	got := tell(c)[2]
	if math.Abs(got.NoiseStdDev-want.NoiseStdDev) < 1e-15 {
		got.NoiseStdDev = want.NoiseStdDev
	}
	if got != want {
		t.Errorf("told %+v, want %+v", got, want)
	}
	c.Sampling, c.Noise = dpsgd.FullBatch{}, &dpsgd.CorrelatedNoise{Coefficients: []float64{0.8, 0.6}}
	variance := 0.0
	for step, u := range tell(c) {
		variance = (1 + 0.36*variance) / 0.64
		if got := u.NoiseStdDev * u.NoiseStdDev / (0.55 * 0.55); !(math.Abs(got/variance-1) < 1e-12) {
			t.Errorf("step %d: variance %g, want %g", step, got, variance)
		}
	}
	none := clipOnly(2)
	if got := tell(none)[0]; got.NoiseStdDev != 0 || got.ClipNorm != 2 || got.Steps != 1 {
		t.Errorf("without noise: told %+v", got)
	}
}
