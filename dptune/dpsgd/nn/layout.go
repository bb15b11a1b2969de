package nn

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/images"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// This file has the layouts of values in memory between layers. A [Layer] sees only rows, [R, B,
// shape...]. Internally values may also be columns, [R, n, B], with the examples innermost. For
// narrow layers the products and sums of many replicas then run along the long axis, and weights
// are used as they are stored.

// adaptable is a layer that takes rows or columns and returns the better layout. Its backward pass
// takes a gradient in the layout of its outputs and returns one in the layout of its inputs.
type adaptable interface {
	Layer
	adapt(weights []*graph.Node, in Activations) (Activations, Backward)
}

// forwardAny runs a layer on rows or columns. shape is that of one of its inputs.
func forwardAny(layer Layer, shape []int, weights []*graph.Node, in Activations) (Activations, Backward) {
	if l, ok := layer.(adaptable); ok {
		return l.adapt(weights, in)
	}
	if !in.columns {
		return layer.Forward(weights, in)
	}
	in = in.rearranged(toRows(in.Values, shape))
	in.columns = false
	out, backward := layer.Forward(weights, in)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInput, atWeights := backward(g, wantInput)
		if atInput != nil {
			atInput = toColumns(atInput)
		}
		return atInput, atWeights
	}
}

// onRows is the Forward of an adaptable layer whose outputs have one axis.
func onRows(out Activations, backward Backward) (Activations, Backward) {
	if !out.columns {
		return out, backward
	}
	out = out.rearranged(kernel.Transposed(out.Values))
	out.columns = false
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		return backward(kernel.Transposed(g), wantInput)
	}
}

// toRows turns columns [R, n, B] into rows [R, B, shape...].
func toRows(x *graph.Node, shape []int) *graph.Node {
	x = kernel.Transposed(x)
	return graph.Reshape(x, append([]int{x.Shape().Dim(0), x.Shape().Dim(1)}, shape...)...)
}

// toColumns turns rows [R, B, shape...] into columns [R, n, B].
func toColumns(x *graph.Node) *graph.Node { return kernel.Transposed(kernel.FlatRows(x)) }

// operand is one matrix of each replica, or one for all, in its layout in memory and, if needed, in
// the other one.
type operand struct {
	rows    *graph.Node // [R or 1, B, n]
	columns *graph.Node // [R or 1, n, B]
}

func newOperand(in Activations) *operand {
	if in.columns {
		return &operand{columns: in.Values}
	}
	return &operand{rows: kernel.FlatRows(in.Values)}
}

func (o *operand) asRows() *graph.Node {
	if o.rows == nil {
		o.rows = kernel.Transposed(o.columns)
	}
	return o.rows
}

// fused returns the layers that run in place of a model's. A convolution and a max-pooling with
// windows that do not overlap become one layer, and a layer that does nothing replaces the pooling.
func fused(layers []Layer) []Layer {
	out := slices.Clone(layers)
	for i := range len(layers) - 1 {
		conv, isConv := layers[i].(conv2D)
		pool, isPool := layers[i+1].(maxPool)
		if isConv && isPool && pool.window.Kernel == pool.window.Stride && pool.window.Kernel != [2]int{1, 1} {
			out[i], out[i+1] = convMaxPool{conv, pool}, passed{pool}
		}
	}
	return out
}

// passed replaces a layer that was fused into another one.
type passed struct{ Layer }

func (passed) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	return in, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

// convMaxPool is a convolution and a max-pooling that run as one.
type convMaxPool struct {
	conv2D
	pool maxPool
}

func (l convMaxPool) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	pooled := images.Pooled{Convolution: l.convolution(), Pool: images.Window(l.pool.window)}
	y, backward := pooled.Forward(weights, in.Values, in.known().finite)
	return Activations{Values: y}, pass(backward)
}
