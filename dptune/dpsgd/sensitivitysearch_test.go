package dpsgd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// The tests of this file search for an example that adds more than C to the sum. What it adds
// is read from the engine and measured in float64, so that no norm of the engine is believed.

// subject is a model and one example of it, both of which a search may change.
type subject struct {
	t       *testing.T
	trainer *dpsgd.Trainer
	data    data.Dataset
	weights dpsgd.Parameters
	steered []float64 // those of the weights that are the gradient at the outputs of a layer
	clip    float64
}

// newSubject returns one of a model with given weights.
func newSubject(t *testing.T, m dpsgd.Model, label int32, weights []float64, clip float64, mode dpsgd.Mode, perf dpsgd.Performance) *subject {
	t.Helper()
	d := data.Dataset{Name: "one", Shape: m.Input, Classes: 2, Features: make([]float32, sizeOf(m.Input)), Labels: []int32{label}}
	plan := clipOnly(clip).Plan()
	plan.Mode = mode
	perf.Microbatch = max(perf.Microbatch, 1)
	return &subject{
		t: t, trainer: trainer(t, m, d, plan, perf), data: d, clip: clip,
		weights: dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{weights}},
	}
}

// steer returns a subject that is one layer whose weights are zero. The gradient at its outputs
// can be chosen: it is the weights of a layer that follows.
func steer(t *testing.T, layer dpsgd.Layer, input []int, clip float64, mode dpsgd.Mode, perf dpsgd.Performance) *subject {
	t.Helper()
	out := must(layer.OutputShape(input))(t)
	n := sizeOf(out)
	times := dpsgd.Auto("gradient", []dpsgd.Weight{{Name: "w", Shape: []int{n}}},
		func([]int) ([]int, error) { return []int{1}, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node {
			product := graph.Mul(w[0], graph.Reshape(x, x.Shape().Dim(0), n))
			return graph.Reshape(graph.ReduceSum(product, 1), x.Shape().Dim(0), 1)
		})
	m := dpsgd.Model{Name: "steered", Input: input, Layers: []dpsgd.Layer{layer, dpsgd.Flatten(), times},
		Loss: patterned{dpsgd.Hinge(), [][]float32{{1}, {1}}}}
	weights := make([]float64, m.Size())
	s := newSubject(t, m, 0, weights, clip, mode, perf)
	s.steered = weights[len(weights)-n:]
	return s
}

// added returns the norm of what the example adds, as a share of C.
func (s *subject) added() float64 {
	s.t.Helper()
	sum, _ := sumWith(s.t, s.trainer, s.weights, []int32{0})
	return length(sum) / s.clip
}

// climb changes pixels and the steered gradient, one or all at a time and by any order of
// magnitude, and keeps what adds more. It returns the largest norm seen.
func (s *subject) climb(rng *rand.Rand, tries int) float64 {
	best := s.added()
	pixels := make([]float32, len(s.data.Features))
	gradient := make([]float64, len(s.steered))
	for range tries {
		copy(pixels, s.data.Features)
		copy(gradient, s.steered)
		size := math.Pow(10, -6*rng.Float64())
		change := func(n int, at func(i int, factor float64)) {
			if one := rng.IntN(2) == 0; one && n > 0 {
				at(rng.IntN(n), 1+size*rng.NormFloat64())
				return
			}
			for i := range n {
				at(i, 1+size*rng.NormFloat64())
			}
		}
		if rng.IntN(2) == 0 {
			change(len(pixels), func(i int, f float64) { s.data.Features[i] *= float32(f) })
		} else {
			change(len(gradient), func(i int, f float64) { s.steered[i] = float64(float32(s.steered[i] * f)) })
		}
		if now := s.added(); now > best {
			best = now
			continue
		}
		copy(s.data.Features, pixels)
		copy(s.steered, gradient)
	}
	return best
}

// cancelling fills the places of an image in turns with a pattern and one that is almost the
// same, and the gradient with almost opposite signs: the gradient at the weights is their small
// difference. shape is that of the outputs; inputs is the number of values of one place.
func (s *subject) cancelling(places, inputs int, pixel, gradient float64, base func(i int) float64) {
	outputs := len(s.steered) / places
	for i := range s.data.Features {
		v := base(i % inputs)
		if i/inputs%2 == 1 {
			v *= 1 + pixel
		}
		s.data.Features[i] = float32(v)
	}
	for i := range s.steered {
		s.steered[i] = 0
		if place := i / outputs; i%outputs == 0 && place < places/2*2 {
			s.steered[i] = float64(float32(float64(1-2*(place%2)) * (1 - gradient*float64(place%2))))
		}
	}
}

// No pattern that cancels over the places of an image adds more than C: neither those of a
// grid, nor what climbing finds from the best of them.
func TestNoPatternAddsMoreThanC(t *testing.T) {
	for _, c := range []struct {
		channels, outputs int
		sides             [2]int
		grid, tries       int
		long              bool
	}{
		{4608, 128, [2]int{1, 2}, 40, 10, false},
		{576, 128, [2]int{1, 2}, 150, 60, false},
		{1152, 96, [2]int{2, 3}, 40, 40, false},
		{96, 200, [2]int{4, 8}, 40, 40, false},
		{700, 800, [2]int{16, 16}, 1, 1, false},
		{4608, 800, [2]int{16, 16}, 1, 0, true},
		{1152, 96, [2]int{1, 2}, 400, 400, true},
	} {
		if c.long && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%d channels, %v places", c.channels, c.sides), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, uint64(c.channels)))
			s := steer(t, dpsgd.Conv2DNoBias(c.channels, c.outputs, dpsgd.Square(1, 1, 0)), []int{c.sides[0], c.sides[1], c.channels}, 1e-3,
				dpsgd.BookKeeping, dpsgd.Performance{})
			places := c.sides[0] * c.sides[1]
			random := make([]float64, c.channels)
			for i := range random {
				random[i] = rng.NormFloat64()
			}
			bases := []func(int) float64{func(int) float64 { return 1 }, func(i int) float64 { return random[i] }}
			s.cancelling(places, c.channels, 0.00146, 0.0005, bases[0]) // 31.8 C, when norms had no margin
			worst := s.added()
			at := [3]float64{0, 0.00146, 0.0005}
			for i := range c.grid {
				small := func() float64 { return math.Copysign(math.Pow(10, -2-2*rng.Float64()), rng.Float64()-0.3) }
				pixel, gradient := small(), small()
				s.cancelling(places, c.channels, pixel, gradient, bases[i%2])
				if n := s.added(); n > worst {
					worst, at = n, [3]float64{float64(i % 2), pixel, gradient}
				}
			}
			s.cancelling(places, c.channels, at[1], at[2], bases[int(at[0])])
			worst = max(worst, s.climb(rng, c.tries))
			t.Logf("at most %.4g C", worst)
			if !(worst <= 1) {
				t.Errorf("an example adds %.9g C", worst)
			}
		})
	}
}

// Nor does an image with the initial weights that a model draws: patches that cancel, as
// averaging over the image gives all places the same gradient.
func TestNoImageAddsMoreThanC(t *testing.T) {
	for _, c := range []struct{ side, kernel, channels int }{{14, 7, 3}, {16, 8, 3}, {28, 14, 1}, {32, 16, 3}} {
		places := c.side / c.kernel * (c.side / c.kernel)
		m := must(models.Sequential("patches", []int{c.side, c.side, c.channels},
			dpsgd.Conv2D(c.channels, 64, dpsgd.Square(c.kernel, c.kernel, 0)), dpsgd.GlobalAvgPool(), dpsgd.Dense(64, 2)))(t)
		rng := rand.New(rand.NewPCG(12, uint64(c.side)))
		s := newSubject(t, m, 1, m.Init(rng), 0.1, dpsgd.BookKeeping, dpsgd.Performance{})
		worst := 0.0
		for range 150 {
			scale, random := math.Pow(10, 4*rng.Float64()), rng.IntN(2) == 0
			shares := make([]float64, places)
			for i := range shares {
				shares[i] = scale * float64(1-2*(i%2)) * (1 - math.Pow(10, -2-3*rng.Float64()))
			}
			base := make([]float64, c.kernel*c.kernel*c.channels)
			for i := range base {
				if base[i] = 1; random {
					base[i] = rng.NormFloat64()
				}
			}
			for i := range s.data.Features {
				row, column, channel := i/c.channels/c.side, i/c.channels%c.side, i%c.channels
				place := row/c.kernel*(c.side/c.kernel) + column/c.kernel
				within := (row%c.kernel*c.kernel+column%c.kernel)*c.channels + channel
				s.data.Features[i] = float32(base[within] * shares[place])
			}
			worst = max(worst, s.added())
		}
		t.Logf("%+v: at most %.4g C", c, worst)
		if !(worst <= 1) || worst < 0.9 {
			t.Errorf("%+v: an example adds %.9g C, want at most 1 and at least 0.9", c, worst)
		}
	}
}

// The sums of neighbors are C apart, but for what is stated of the microbatch in which they
// differ, however large the batch is.
func TestNeighborsOfLargeBatches(t *testing.T) {
	const clip = 0.1
	m := must(models.Sequential("line", []int{1}, dpsgd.Dense(1, 2)))(t)
	d := data.Dataset{Name: "alike", Shape: []int{1}, Classes: 2, Features: []float32{3}, Labels: []int32{1}}
	weights := dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{{0.3, -0.2, 0.1, 0.7}}}
	for _, c := range []struct{ examples, microbatch int }{{60_000, 64}, {300_000, 256}, {4_000, 1}} {
		tr := trainer(t, m, d, clipOnly(clip).Plan(), dpsgd.Performance{Microbatch: c.microbatch})
		batch := make([]int32, c.examples+1)
		with, _ := sumWith(t, tr, weights, batch)
		without, _ := sumWith(t, tr, weights, batch[1:])
		moved := distance(with, without) / clip
		t.Logf("%+v: %.3g C above C", c, moved-1)
		inMicrobatch := 0.0
		if c.microbatch > 1 {
			inMicrobatch = 2 * gamma32(c.microbatch+1) * float64(c.microbatch)
		}
		if !(moved <= 1+dpsgd.SensitivityRounding+inMicrobatch) {
			t.Errorf("%+v: neighbors are %.9g C apart, more than is stated", c, moved)
		}
		const raised = 1e-5 // norms, and so the example is shorter than C
		if !(moved >= 1-raised-inMicrobatch) {
			t.Errorf("%+v: neighbors are only %.9g C apart: digits are lost", c, moved)
		}
	}
}

// gamma32 is n u/(1-n u) of float32.
func gamma32(n int) float64 { return float64(n) * 0x1p-24 / (1 - float64(n)*0x1p-24) }
