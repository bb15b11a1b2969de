package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// patterned is a loss whose gradient at the outputs is a row of a table, which the label
// chooses.
type patterned struct {
	nn.Loss
	table [][]float32
}

func (p patterned) Outputs(int) int { return len(p.table[0]) }

func (p patterned) Gradient(outputs, labels *graph.Node) *graph.Node {
	table := graph.ConvertDType(graph.Const(outputs.Graph(), p.table), outputs.DType())
	return graph.Add(graph.Gather(table, graph.InsertAxes(labels, -1)), graph.MulScalar(outputs, 0))
}

func (p patterned) Classes(outputs *graph.Node) *graph.Node {
	return graph.ArgMax(outputs, -1, dtypes.Int32)
}

// pattern returns n values.
func pattern(n int, value func(i int) float64) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(value(i))
	}
	return list
}

// largestNorm returns the largest norm, as a share of C, that one example adds to the sum, of
// all pairs of inputs and gradients.
func largestNorm(t *testing.T, layer nn.Layer, shape []int, inputs, gradients [][]float32, clip float64, mode dpsgd.ClipMethod) (largest float64, at string) {
	t.Helper()
	d := data.Dataset{Name: "patterns", Shape: shape, Classes: len(gradients)}
	for _, in := range inputs {
		for label := range gradients {
			d.Features, d.Labels = append(d.Features, in...), append(d.Labels, int32(label))
		}
	}
	m := dpsgd.Model{Name: "one layer", Input: shape, Layers: []nn.Layer{layer, nn.Flatten()},
		Loss: patterned{nn.SoftmaxCrossEntropy(), gradients}}
	plan := clipOnly(clip).Plan()
	plan.ClipMethod = mode
	tr, w := trainer(t, m, d, plan, engine.Performance{Microbatch: 1}), randomWeights(m, 0)
	for i := range d.Labels {
		sum, _ := sumWith(t, tr, w, []int32{int32(i)})
		if n := length(sum) / clip; !(n <= largest) {
			largest, at = n, fmt.Sprintf("input %d, gradient %d", i/len(gradients), i%len(gradients))
		}
	}
	return largest, at
}

// An example adds at most C, even if the square of a gradient at the outputs, or of the whole
// gradient, is below the smallest float32 and its product with large inputs is not.
func TestTinySquaresAreNotLost(t *testing.T) {
	for name, c := range map[string]struct {
		layer    nn.Layer
		shape    []int
		outputs  int
		input, g float64
		clip     float64
	}{
		"Dense":         {nn.Dense(4, 3), []int{4}, 3, 1e18, 3e-24, 1e-7},
		"Conv2D, P Pᵀ":  {nn.Conv2D(2, 64, nn.Square(3, 1, 1)), []int{2, 2, 2}, 4 * 64, 1e18, 3e-24, 1e-7},
		"whole":         {nn.Dense(4, 2000), []int{4}, 2000, 0, 3e-20, 1e-18},
		"whole, Conv2D": {nn.Conv2D(1, 4, nn.Square(3, 1, 1)), []int{20, 20, 1}, 1600, 1e-3, 1e-20, 1e-18},
	} {
		inputs := [][]float32{pattern(sizeOf(c.shape), func(int) float64 { return c.input })}
		gradients := [][]float32{pattern(c.outputs, func(int) float64 { return c.g })}
		for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
			if n, _ := largestNorm(t, c.layer, c.shape, inputs, gradients, c.clip, mode); !(n <= 1) {
				t.Errorf("%s, mode %d: an example adds %g C", name, mode, n)
			}
		}
	}
}

// In float32 too an example adds at most C, even for patterns that lose most to rounding: one large
// value before small ones; equal values; gradients that cancel over the places of an image.
func TestRoundingOfTheClippedNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		layer   nn.Layer
		shape   []int
		outputs int
	}{
		{nn.Dense(5, 3000), []int{5}, 3000},
		{nn.Conv2D(16, 128, nn.Square(3, 1, 1)), []int{4, 4, 16}, 16 * 128}, // by P Pᵀ
		{nn.Conv2D(2, 8, nn.Square(3, 1, 1)), []int{8, 8, 2}, 64 * 8},
		{nn.GroupNorm(2, 8), []int{8, 8, 8}, 64 * 8},
	} {
		places, width := c.shape[0]*c.shape[len(c.shape)-1], sizeOf(c.shape)
		if len(c.shape) == 3 {
			places = c.shape[0] * c.shape[1]
		}
		channels := c.outputs / places
		first := func(i int) float64 {
			if i == 0 {
				return 1
			}
			return 2.4e-4
		}
		alike := func(int) float64 { return 0.1 }
		any := func(int) float64 { return rng.NormFloat64() }
		cancel := func(i int) float64 { return 0.1 * float64(1-2*(i/max(channels, 1)%2)) }
		var inputs, gradients [][]float32
		for _, f := range []func(int) float64{first, alike, any, func(i int) float64 { return 1e9 * any(i) }} {
			inputs = append(inputs, pattern(width, f))
		}
		for _, f := range []func(int) float64{first, alike, any, cancel} {
			gradients = append(gradients, pattern(c.outputs, f))
		}
		for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
			n, at := largestNorm(t, c.layer, c.shape, inputs, gradients, 1e-3, mode)
			t.Logf("%v, mode %d: %.2g C below C (%s)", c.layer, mode, 1-n, at)
			if !(n <= 1) {
				t.Errorf("%v, mode %d: an example adds %.8g C (%s)", c.layer, mode, n, at)
			}
			if n < 0.99 {
				t.Errorf("%v, mode %d: no example adds more than %g C: the test says nothing", c.layer, mode, n)
			}
		}
	}
}

func sizeOf(shape []int) int {
	size := 1
	for _, side := range shape {
		size *= side
	}
	return size
}

// ofThree is an adversary whose model has three outputs, however many labels there are.
type ofThree struct{ adversary }

func (ofThree) Outputs(int) int { return 3 }

// Through every layer an example moves the sum by at most C, whatever its gradient: tiny,
// huge, infinite or NaN. What is not finite adds exactly zero.
func TestSensitivityOfEveryLayer(t *testing.T) {
	const clipNorm, rounding = 0.5, 2e-6
	modes := []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized}
	if engine.DefaultBackend() != "go" {
		modes = modes[:1] // programs compile slowly there
	}
	for name, m := range layerChains(t) {
		m.Loss = ofThree{adversary{m.Loss}}
		d, w := examplesFor(m, len(sizes)+3)
		d.Classes = len(sizes)
		for i := range d.Labels {
			d.Labels[i] = int32(max(0, i-3)) // three others, and one of each size
		}
		copy(d.Row(3), d.Row(4)) // the first list of tokens is empty
		for _, mode := range modes {
			plan := clipOnly(clipNorm).Plan()
			plan.ClipMethod = mode
			tr := trainer(t, m, d, plan, engine.Performance{Microbatch: 4})
			without, _ := sumWith(t, tr, w, rangeOf(3))
			reached := 0.0
			for label, size := range sizes {
				with, excluded := sumWith(t, tr, w, append(rangeOf(3), int32(3+label)))
				moved := distance(with, without)
				reached = max(reached, moved)
				if !(moved <= clipNorm*(1+rounding)) {
					t.Errorf("%s, mode %d, gradient of size %g: moved by %g, more than %g", name, mode, size, moved, clipNorm)
				}
				if excluded > 0 && moved != 0 {
					t.Errorf("%s, mode %d, gradient of size %g: counted as zero, and moved by %g", name, mode, size, moved)
				}
				if (math.IsNaN(size) || math.IsInf(size, 0)) && excluded == 0 {
					t.Errorf("%s, mode %d, gradient of size %g: not counted as zero", name, mode, size)
				}
			}
			if reached < 0.99*clipNorm {
				t.Errorf("%s, mode %d: no example moved by more than %g: the test says nothing", name, mode, reached)
			}
		}
	}
}
