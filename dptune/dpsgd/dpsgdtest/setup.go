package dpsgdtest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// examples is the number of examples that a model is tested on.
const examples = 20

// setup is a model with generic weights, and examples that it takes.
type setup struct {
	model   dpsgd.Model
	data    data.Dataset
	weights dpsgd.Parameters
	anyRow  bool // examples may be any numbers
}

// pair has two trainers of one model in float32, by book-keeping and by per-sample gradients. Their
// examples are those of a setup, plus one that overflows at index spoilt. All checks in float32
// share the pair and its two programs, because compiling takes most of the time on some backends.
type pair struct{ book, long *engine.Replicas }

// spoilt is the index of the example that overflows.
const spoilt = examples

// microbatch holds all examples at once, with padding.
const microbatch = examples + 4

func newSetup(m dpsgd.Model, classes int) (setup, error) {
	if err := m.Validate(); err != nil {
		return setup{}, err
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
	if loss, is := m.Loss.(nn.TargetLoss); is {
		s.data.TargetShape = loss.TargetShape(classes)
		s.data.Targets = make([]float32, examples*s.data.TargetWidth())
		for i := range examples {
			loss.DrawTarget(rng, s.data.Target(i))
		}
	}
	values := m.Init(rng)
	for i := range values {
		values[i] += 0.3 * rng.NormFloat64()
	}
	s.weights = dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{values}}
	return s, nil
}

func (s setup) scaledWeights(by float64) dpsgd.Parameters {
	values := slices.Clone(s.weights.Values[0])
	for i := range values {
		values[i] *= by
	}
	return dpsgd.Parameters{Tensors: s.weights.Tensors, Values: [][]float64{values}}
}

// plan returns a plan that clips, without noise.
func plan(clip float64, mode dpsgd.ClipMethod) dpsgd.Plan {
	c := dpsgd.Config{ClipNorm: clip, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, NonPrivate: true}
	return dpsgd.Plan{Replicas: []dpsgd.Config{c}, ClipMethod: mode}
}

// trainers returns the pair of a setup.
func (s setup) trainers() (p pair, err error) {
	d := s.data
	s.data.Features, s.data.Labels, s.data.Targets = slices.Concat(d.Features, d.Row(0)), slices.Concat(d.Labels, d.Labels[:1]), slices.Concat(d.Targets, d.Target(0))
	if row := s.data.Row(spoilt); s.anyRow {
		for i := range row {
			row[i] = 3e38
		}
	}
	perf := engine.Performance{Microbatch: microbatch}
	if p.book, err = s.trainer(plan(clip, dpsgd.BookKeeping), perf); err != nil {
		return p, err
	}
	p.long, err = s.trainer(plan(clip, dpsgd.Materialized), perf)
	return p, err
}

func (s setup) trainer(p dpsgd.Plan, perf engine.Performance) (*engine.Replicas, error) {
	return engine.NewReplicas(s.model, s.data, p, perf)
}

// sums returns the clipped sum of each batch, by a trainer of one replica with these weights.
func sums(trainer *engine.Replicas, weights dpsgd.Parameters, batches ...[]int32) ([][]float64, error) {
	var all [][]float64
	for _, batch := range batches {
		sums, _, err := trainer.ClippedSums(context.Background(), weights, [][]int32{batch})
		if err != nil {
			return nil, err
		}
		all = append(all, sums[0])
	}
	return all, nil
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
