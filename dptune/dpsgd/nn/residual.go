package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Residual returns the layer y = block(x) + skip(x), where the block is layers one after
// the other and the skip is the identity, or the layers of projection where the block
// changes the shape.
//
// The gradient at y goes to both; that at x is the sum of what they return. The squared
// norm of an example's gradient is the sum over all layers inside. Clipping per layer
// takes the block and its projection as one layer.
//
// Reference: He et al. (2016), arXiv:1512.03385v1, equations 1 and 2.
func Residual(block []Layer, projection ...Layer) Layer {
	return residual{slices.Clone(block), slices.Clone(projection)}
}

type residual struct{ block, projection sequence }

func (l residual) String() string {
	text := "Residual(" + l.block.String()
	if len(l.projection) > 0 {
		text += "; " + l.projection.String()
	}
	return text + ")"
}

func (s sequence) String() string {
	parts := make([]string, len(s))
	for i, layer := range s {
		parts[i] = fmt.Sprint(layer)
	}
	return strings.Join(parts, ", ")
}

func (l residual) OutputShape(input []int) ([]int, error) {
	if len(l.block) == 0 {
		return nil, errors.New("Residual: block is empty: must hold at least one layer")
	}
	out, err := l.block.outputShape(input)
	if err != nil {
		return nil, fmt.Errorf("Residual: block: %w", err)
	}
	skip, err := l.projection.outputShape(input)
	if err != nil {
		return nil, fmt.Errorf("Residual: projection: %w", err)
	}
	if !slices.Equal(out, skip) {
		return nil, fmt.Errorf("%v: input of shape %v: the block gives %v and the skip %v: must be equal", l, input, out, skip)
	}
	return out, nil
}

func (l residual) Weights(input []int) []Weight {
	return append(l.block.weights("block ", input), l.projection.weights("projection ", input)...)
}

func (l residual) Scratch(input []int) int {
	return l.block.scratch(input) + l.projection.scratch(input)
}

func (l residual) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	split := len(l.block.weights("", in.Values.Shape().Dimensions[2:]))
	y, block := l.block.forward(weights[:split], in)
	skip, projection := l.projection.forward(weights[split:], in)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		at, inBlock := block(g, wantInput)
		atSkip, inProjection := projection(g, wantInput)
		var parts jointGradients
		for _, part := range []Gradients{inBlock, inProjection} {
			if part != nil {
				parts = append(parts, part)
			}
		}
		if !wantInput {
			return nil, parts.orNil()
		}
		return graph.Add(at, atSkip), parts.orNil()
	}
	return Activations{Values: graph.Add(y.Values, skip.Values)}, backward
}

// Frozen returns a layer with given weights that are not trained: a part of a public
// model. values are the layer's weights one after the other, row-major, as in
// dpsgd.Parameters. It has no parameters of its own, and its gradients are not formed.
//
// Nothing is private about the values: they must not come from the data.
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
	size := 0
	for _, w := range l.layer.Weights(input) {
		size += kernel.SizeOf(w.Shape)
	}
	if len(l.values) != size {
		return nil, fmt.Errorf("%v: %d values: must be %d, the number of the layer's weights", l, len(l.values), size)
	}
	if err := validateFinite("values", l.values); err != nil {
		return nil, fmt.Errorf("%v: %w", l, err)
	}
	return out, nil
}

// Fingerprint implements [Fingerprinter].
func (l frozen) Fingerprint() []byte { return bytesOf(l.values) }

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
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		if !wantInput {
			return nil, nil
		}
		atInput, _ := backward(g, true)
		return atInput, nil
	}
}

func validateFinite(name string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %g: must be finite", name, i, v)
		}
	}
	return nil
}
