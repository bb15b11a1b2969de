package engine_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// blobs returns n examples of separated classes in width dimensions, made from a fixed seed.
func blobs(n, width, classes int) data.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	centers := make([]float64, classes*width)
	for i := range centers {
		centers[i] = rng.NormFloat64()
	}
	d := data.Dataset{Name: "blobs", Shape: []int{width}, Classes: classes}
	for i := range n {
		class := i % classes
		for j := range width {
			d.Features = append(d.Features, float32(centers[class*width+j]+0.5*rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, int32(class))
	}
	return d
}

// private returns a valid config of a private run.
func private() dpsgd.Config {
	return dpsgd.Config{ClipNorm: 0.5, NoiseMultiplier: 1.1, Sampling: dpsgd.Poisson{Rate: 0.3}, Steps: 5, ExpectedBatchSize: 20, LearningRate: 0.4}
}

// clipOnly returns a config that clips at c and adds no noise.
func clipOnly(c float64) dpsgd.Config {
	return dpsgd.Config{ClipNorm: c, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, NonPrivate: true}
}

func mlp(t testing.TB, widths ...int) dpsgd.Model {
	t.Helper()
	return must(models.MLP(widths...))(t)
}

// must unwraps a result, or ends the test.
func must[V any](value V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// trainer is NewReplicas, of plans that observe the steps of a run with checkpoints too.
func trainer(t testing.TB, m dpsgd.Model, d data.Dataset, p dpsgd.Plan, perf engine.Performance) *engine.Replicas {
	t.Helper()
	observe := p.Weights
	if perf.Checkpoint.Dir != "" {
		p.Weights = nil
	}
	trainer := must(engine.NewReplicas(m, d, p, perf))(t)
	trainer.Observe(observe)
	return trainer
}

func train(t testing.TB, m dpsgd.Model, d data.Dataset, p dpsgd.Plan, perf engine.Performance, name string) *engine.Results {
	t.Helper()
	return must(trainer(t, m, d, p, perf).Run(context.Background(), streams.Fixed(name)))(t)
}

// randomWeights returns one set of weights that is nowhere special.
func randomWeights(m dpsgd.Model, scale float64) dpsgd.Parameters {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, m.Size())
	for i := range values {
		values[i] = scale * rng.NormFloat64()
	}
	return dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{values}}
}

// clippedSum returns the engine's sum of clipped gradients of one replica.
func clippedSum(t testing.TB, m dpsgd.Model, d data.Dataset, p dpsgd.Plan, perf engine.Performance, w dpsgd.Parameters, batch []int32) ([]float64, int) {
	t.Helper()
	return sumWith(t, trainer(t, m, d, p, perf), w, batch)
}

// sumWith is clippedSum with a trainer that is there already.
func sumWith(t testing.TB, tr *engine.Replicas, w dpsgd.Parameters, batch []int32) ([]float64, int) {
	t.Helper()
	sums, excluded, err := tr.ClippedSums(context.Background(), w, [][]int32{batch})
	if err != nil {
		t.Fatal(err)
	}
	return sums[0], excluded[0]
}

// rangeOf returns 0, 1, ..., n-1.
func rangeOf(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

func length(a []float64) float64 { return distance(a, make([]float64, len(a))) }

// checkClose fails unless got is within relative (of want's norm) of want, in L2.
func checkClose(t *testing.T, what string, got, want []float64, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: length %d, want %d", what, len(got), len(want))
	}
	if d := distance(got, want); !(d <= relative*length(want)) {
		t.Errorf("%s: off by %.3g of norm %.3g, want at most %.1g of it", what, d, length(want), relative)
	}
}

// checkError fails unless err names all of want, or is nil if want is empty.
func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if len(want) == 0 {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	if err == nil {
		t.Errorf("no error, want one that names %q", want)
		return
	}
	if !strings.HasPrefix(err.Error(), "engine: ") && !strings.HasPrefix(err.Error(), "dpsgd: ") && !strings.HasPrefix(err.Error(), "backend: ") {
		t.Errorf("error %q does not begin with the name of a package", err)
	}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %q", err, part)
		}
	}
}
