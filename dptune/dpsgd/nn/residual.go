package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Residual returns the layer y = block(x) + skip(x). The block is a sequence of layers. The skip is
// the identity, or the layers of projection if the block changes the shape.
//
// The gradient at y goes to both, and the gradient at x is the sum of both results. The squared
// norm of an example's gradient is the sum over all layers inside. Per-layer clipping treats the
// block and its projection as one layer.
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

// Coins implements [Drawing].
func (l residual) Coins(input []int) int { return l.block.coins(input) + l.projection.coins(input) }

// ForwardDrawn gives the block the first coins.
func (l residual) ForwardDrawn(weights []*graph.Node, in Activations, coins *graph.Node) (Activations, Backward) {
	input := in.Values.Shape().Dimensions[2:]
	own := func(layers sequence, from int) sequence {
		if layers.coins(input) == 0 {
			return layers
		}
		return layers.drawn(input, graph.Slice(coins, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from, from+layers.coins(input))))
	}
	return residual{own(l.block, 0), own(l.projection, l.block.coins(input))}.Forward(weights, in)
}

func (l residual) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	split := len(l.block.weights("", in.Values.Shape().Dimensions[2:]))
	y, block := l.block.forward(weights[:split], in)
	skip, projection := l.projection.forward(weights[split:], in)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		at, inBlock := block(g, wantInput)
		atSkip, inProjection := projection(g, wantInput)
		var parts persample.Joint
		for _, part := range []Gradients{inBlock, inProjection} {
			if part != nil {
				parts = append(parts, part)
			}
		}
		if !wantInput {
			return nil, parts.OrNil()
		}
		return graph.Add(at, atSkip), parts.OrNil()
	}
	return Activations{Values: graph.Add(y.Values, skip.Values), Present: presentInBoth(y.Present, skip.Present)}, backward
}

// presentInBoth returns Present of places that two parts have. Nil is without padding.
func presentInBoth(a, b *graph.Node) *graph.Node {
	if a == nil || a == b {
		return b
	}
	if b == nil {
		return a
	}
	replicas := max(a.Shape().Dim(0), b.Shape().Dim(0))
	return graph.Min(kernel.RepeatShared(a, replicas), kernel.RepeatShared(b, replicas))
}
