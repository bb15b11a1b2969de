package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// LoRA returns a [Dense] layer with public values that are not trained, plus a trained product of
// low rank:
//
//	z = W a + b + scale/rank V U a
//
// U is [rank, inputs], initially normal with variance 1/inputs. V is [outputs, rank], initially
// zero. values are those of Dense(inputs, outputs), W and then b, as for [Frozen]. They are not
// protected: they must not come from the data. scale is α of the paper.
//
// Reference: Hu et al. (2022), arXiv:2106.09685v2, section 4.1.
func LoRA(inputs, outputs, rank int, scale float64, values []float64) Layer {
	return lora{inputs, outputs, rank, scale, values}
}

type lora struct {
	inputs, outputs, rank int
	scale                 float64
	values                []float64
}

func (l lora) String() string {
	return fmt.Sprintf("LoRA(%d, %d, %d, %g)", l.inputs, l.outputs, l.rank, l.scale)
}

func (l lora) OutputShape(input []int) ([]int, error) {
	if l.inputs < 1 || l.outputs < 1 || l.rank < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	if err := validateFinite("scale", []float64{l.scale}); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	if size := kernel.SizeOf(input); size != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v has %d values: must have %d", l, input, size, l.inputs)
	}
	if want := l.outputs * (l.inputs + 1); len(l.values) != want {
		return nil, fmt.Errorf("%v: %d values: must be %d, those of %v", l, len(l.values), want, dense{l.inputs, l.outputs})
	}
	if err := validateFinite("values", l.values); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return []int{l.outputs}, nil
}

// Fingerprint implements [Fingerprinter].
func (l lora) Fingerprint() []byte { return bytesOf(append([]float64{l.scale}, l.values...)) }

func (l lora) Weights([]int) []Weight {
	return []Weight{
		{Name: "inner weights", Shape: []int{l.rank, l.inputs}, Init: func(rng *rand.Rand, values []float64) {
			for i := range values {
				values[i] = rng.NormFloat64() / math.Sqrt(float64(l.inputs))
			}
		}},
		{Name: "outer weights", Shape: []int{l.outputs, l.rank}},
	}
}

// Scratch counts the frozen values of one example, and the inner product.
func (l lora) Scratch([]int) int { return l.outputs + 3*l.rank }

func (l lora) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	d := in.Values.Shape().Dimensions
	one := in.rearranged(graph.Reshape(in.Values, d[0], d[1], 1, l.inputs))
	out, backward := l.forwardPlaces(weights, one)
	replicas := weights[0].Shape().Dim(0)
	return Activations{Values: graph.Reshape(out.Values, replicas, d[1], l.outputs)}, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(graph.InsertAxes(g, 2), wantInput)
		if wantInput {
			atInput = graph.Reshape(atInput, append([]int{replicas}, d[1:]...)...)
		}
		return atInput, atWeights
	}
}

func (l lora) forwardPlaces(weights []*graph.Node, in Activations) (Activations, Backward) {
	d, replicas := in.Values.Shape().Dimensions, weights[0].Shape().Dim(0)
	fixed := func(values []float64, shape ...int) *graph.Node {
		value := graph.ConstTensor(in.Values.Graph(), tensors.FromFlatDataAndDimensions(values, append([]int{1}, shape...)...))
		return kernel.RepeatShared(graph.ConvertDType(value, in.Values.DType()), replicas)
	}
	size := l.outputs * l.inputs
	x, finite := graph.Reshape(in.Values, d[0], d[1], d[2], l.inputs), in.known().finite
	y, backFixed := linear(x, finite, fixed(l.values[:size], l.outputs, l.inputs), fixed(l.values[size:], l.outputs))
	inner, backInner := linear(x, finite, weights[0], nil)
	outer, backOuter := linear(inner, false, weights[1], nil)
	factor := l.scale / float64(l.rank)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atOuter := graph.MulScalar(g, factor)
		atInner, ofOuter := backOuter(atOuter, true)
		at, ofInner := backInner(atInner, wantInput)
		if wantInput {
			direct, _ := backFixed(g, true)
			at = graph.Reshape(graph.Add(direct, at), append([]int{replicas}, d[1:]...)...)
		}
		return at, jointGradients{ofInner, ofOuter}
	}
	return Activations{Values: graph.Add(y, graph.MulScalar(outer, factor))}, backward
}
