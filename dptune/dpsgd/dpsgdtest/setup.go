package dpsgdtest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// examples is how many a model is tested on.
const examples = 20

// setup is a model with weights that are nowhere special, and examples that it takes.
type setup struct {
	model   dpsgd.Model
	data    data.Dataset
	weights dpsgd.Parameters
	anyRow  bool // examples may be any numbers
}

func newSetup(t testing.TB, m dpsgd.Model, classes int) (setup, bool) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Errorf("%v", err)
		return setup{}, false
	}
	s := setup{model: m, data: data.Dataset{Name: "random", Shape: m.Input, Classes: classes}}
	width := 1
	for _, side := range m.Input {
		width *= side
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range examples {
		row := make([]float32, width)
		s.anyRow = m.DrawRow(rng, row)
		s.data.Features, s.data.Labels = append(s.data.Features, row...), append(s.data.Labels, int32(i%classes))
	}
	values := m.Init(rng)
	for i := range values {
		values[i] += 0.3 * rng.NormFloat64()
	}
	s.weights = dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{values}}
	return s, true
}

func (s setup) scaledWeights(by float64) dpsgd.Parameters {
	values := slices.Clone(s.weights.Values[0])
	for i := range values {
		values[i] *= by
	}
	return dpsgd.Parameters{Tensors: s.weights.Tensors, Values: [][]float64{values}}
}

// plan returns one that clips, without noise; 0 does not clip.
func plan(clip float64, mode dpsgd.Mode) dpsgd.Plan {
	c := dpsgd.Config{ClipNorm: clip, SamplingRate: 1, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, NonPrivate: true}
	return dpsgd.Plan{Replicas: []dpsgd.Config{c}, Mode: mode}
}

// sums returns the clipped sum of each batch. All are computed by one trainer.
func (s setup) sums(t testing.TB, p dpsgd.Plan, perf dpsgd.Performance, batches ...[]int32) ([][]float64, bool) {
	t.Helper()
	trainer, err := dpsgd.NewTrainer(s.model, s.data, p, perf)
	if err != nil {
		t.Errorf("%v", err)
		return nil, false
	}
	var all [][]float64
	for _, batch := range batches {
		sums, _, err := trainer.ClippedSums(context.Background(), s.weights, [][]int32{batch})
		if err != nil {
			t.Errorf("%v", err)
			return nil, false
		}
		all = append(all, sums[0])
	}
	return all, true
}

// firstOnes returns the batch of the first n examples.
func firstOnes(n int) []int32 {
	batch := make([]int32, n)
	for i := range batch {
		batch[i] = int32(i)
	}
	return batch
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

func length(a []float64) float64 { return distance(a, make([]float64, len(a))) }

func add(a []float64, factor float64, b []float64) {
	for i := range a {
		a[i] += factor * b[i]
	}
}
