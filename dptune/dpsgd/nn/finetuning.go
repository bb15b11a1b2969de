package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/places"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Frozen returns a layer with given weights that are not trained, such as a part of a public model.
// values are the layer's weights one after the other, row-major, as in dpsgd.Parameters. The frozen
// layer has no parameters, and its gradients are not formed.
//
// The values are not protected: they must not come from the data.
func Frozen(layer Layer, values []float64) Layer { return frozen{layer, values} }

type frozen struct {
	layer  Layer
	values []float64
}

func (l frozen) String() string { return fmt.Sprintf("Frozen(%v)", l.layer) }

func (l frozen) OutputShape(input []int) ([]int, error) {
	if l.layer == nil {
		return nil, fmt.Errorf("Frozen: layer is nil: must be a layer")
	}
	out, err := l.layer.OutputShape(input)
	if err != nil {
		return nil, fmt.Errorf("Frozen: %w", err)
	}
	if coinsOf(l.layer, input) > 0 {
		return nil, fmt.Errorf("%v: draws coins: must not, since a frozen layer runs as in evaluation", l)
	}
	size := 0
	for _, w := range l.layer.Weights(input) {
		size += kernel.SizeOf(w.Shape)
	}
	if len(l.values) != size {
		return nil, fmt.Errorf("%v: %d values: must be %d, the number of the layer's weights", l, len(l.values), size)
	}
	if err := loss.ValidateFinite("values", l.values); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return out, nil
}

// Fingerprint implements [Fingerprinter].
func (l frozen) Fingerprint() []byte { return loss.BytesOf(l.values) }

func (l frozen) Weights([]int) []Weight { return nil }

func (l frozen) Scratch(input []int) int { return sequence{l.layer}.scratch(input) }

func (l frozen) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	var weights []*graph.Node
	at := 0
	for _, w := range l.layer.Weights(in.Values.Shape().Dimensions[2:]) {
		size := kernel.SizeOf(w.Shape)
		value := graph.ConstTensor(in.Values.Graph(), tensors.FromFlatDataAndDimensions(l.values[at:at+size], append([]int{1}, w.Shape...)...))
		at += size
		weights = append(weights, kernel.RepeatShared(graph.ConvertDType(value, in.Values.DType()), in.Values.Shape().Dim(0)))
	}
	out, backward := l.layer.Forward(weights, in)
	return out, withoutWeights(func(g *graph.Node) *graph.Node {
		atInput, _ := backward(g, true)
		return atInput
	})
}

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
	if err := loss.ValidateFinite("scale", []float64{l.scale}); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	if size := kernel.SizeOf(input); size != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v has %d values: must have %d", l, input, size, l.inputs)
	}
	if want := l.outputs * (l.inputs + 1); len(l.values) != want {
		return nil, fmt.Errorf("%v: %d values: must be %d, those of %v", l, len(l.values), want, dense{l.inputs, l.outputs})
	}
	if err := loss.ValidateFinite("values", l.values); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return []int{l.outputs}, nil
}

// Fingerprint implements [Fingerprinter].
func (l lora) Fingerprint() []byte { return loss.BytesOf(append([]float64{l.scale}, l.values...)) }

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
	y, backFixed := places.Linear(x, finite, fixed(l.values[:size], l.outputs, l.inputs), fixed(l.values[size:], l.outputs))
	inner, backInner := places.Linear(x, finite, weights[0], nil)
	outer, backOuter := places.Linear(inner, false, weights[1], nil)
	factor := l.scale / float64(l.rank)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atOuter := graph.MulScalar(g, factor)
		atInner, ofOuter := backOuter(atOuter, true)
		at, ofInner := backInner(atInner, wantInput)
		if wantInput {
			direct, _ := backFixed(g, true)
			at = graph.Reshape(graph.Add(direct, at), append([]int{replicas}, d[1:]...)...)
		}
		return at, persample.Joint{ofInner, ofOuter}
	}
	return Activations{Values: graph.Add(y, graph.MulScalar(outer, factor))}, backward
}
