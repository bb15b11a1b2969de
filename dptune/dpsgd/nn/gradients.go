package nn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// LayerGradients are the gradients of one layer with weights, see [Model.Backpropagate].
type LayerGradients struct {
	Gradients
	size int // number of weights of the layer
}

// SquaredNormsUpper returns SquaredNorms raised by the most that rounding may have taken from them.
// more is the number of further roundings in what the caller computes from them. The result is at
// least the squared norm of the computed WeightedSum for a single example with a factor of 1,
// except for squares that are lost to underflow.
//
// For your own layer, the squared norm is taken as a sum of one square for each weight, and each
// gradient as rounded twice when it is added. It panics, as graph functions do, if there are too
// many roundings for any bound.
func (l LayerGradients) SquaredNormsUpper(more int) *graph.Node {
	squared, roundings := l.SquaredNorms(), roundingsOf(l.Gradients, l.size)+more
	dtype := squared.DType()
	factor := 1 + kernel.Gamma(dtype, float64(roundings))
	if math.IsInf(factor, 1) {
		panic(fmt.Errorf("a squared norm is rounded %d times: must be at most %.0f in %v", roundings, 0.5/kernel.UnitRoundoff(dtype), dtype))
	}
	return graph.MulScalar(squared, factor)
}

// bounded are gradients with a bound on their rounding.
type bounded interface {
	// roundings returns r with this property: for a single example with a factor of 1, WeightedSum
	// has a squared norm of at most SquaredNorms (1-u)^-r, plus squares that are lost to underflow.
	// weights is the number of weights of the layer.
	roundings(weights int) int
}

func roundingsOf(g Gradients, weights int) int {
	if b, ok := g.(bounded); ok {
		return b.roundings(weights)
	}
	return weights + 2*2
}

// The engine uses the following functions of a model. They are graph functions for all replicas at
// once. Weights are flat, [R, P], in the order of [Model.Tensors]. Examples are finite, [R, B, F],
// or [1, B, F] if all replicas share them.

// Batch is a microbatch of examples in a graph. The leading axis is 1 if all replicas share them.
type Batch struct {
	Rows    *graph.Node // [R or 1, B, F]
	Norms   *graph.Node // [R or 1, B], squared L2 norms of the rows; nil if they are not known
	Labels  *graph.Node // [R or 1, B], int32
	Targets *graph.Node // [R or 1, B, n], see TargetLoss; nil if the loss reads none
	Coins   *graph.Node // [R or 1, B, n] of Model.Coins; nil if there are none
}

// Outputs returns the outputs of the last layer for each example, [R, B, K].
func (m Model) Outputs(weights, rows *graph.Node) *graph.Node {
	out, _ := m.forward(m.Layers, weights, inputRows(rows, nil))
	return out.asRows()
}

// Backpropagate returns the gradients of each example's loss at the weights, for each layer with
// weights, in their order.
func (m Model) Backpropagate(weights *graph.Node, batch Batch) []LayerGradients {
	var found []Gradients
	if m.Views > 1 {
		found = m.backpropagateViews(weights, batch)
	} else {
		outputs, tape := m.forwardDrawn(weights, batch)
		_, found = tape.back(m.lossGradient(outputs, batch), firstTrained(m.weights()), false)
	}
	layers, sizes := make([]LayerGradients, len(found)), m.LayerSizes()
	for i, gradients := range found {
		layers[i] = LayerGradients{gradients, sizes[i]}
	}
	return layers
}

// LossDrawn returns each example's loss as in training, with coins, [R, B]. It is the mean over the
// example's views.
func (m Model) LossDrawn(weights *graph.Node, batch Batch) *graph.Node {
	if m.Views > 1 {
		out, ofViews, _ := m.forwardViews(weights, batch)
		loss := m.LossOf(m.rowsOfViews(out), ofViews.Labels, ofViews.Targets)
		d := out.Shape().Dimensions
		return graph.ReduceMean(graph.Reshape(loss, d[0], d[1], d[2]), 2)
	}
	out, _ := m.forwardDrawn(weights, batch)
	return m.LossOf(out.asRows(), batch.Labels, batch.Targets)
}

// asRows returns outputs as [R, B, K].
func (a Activations) asRows() *graph.Node {
	if a.columns {
		return kernel.Transposed(a.Values)
	}
	return kernel.FlatRows(a.Values)
}

// forwardDrawn is forward with the coins of a batch, if there are any.
func (m Model) forwardDrawn(weights *graph.Node, batch Batch) (Activations, tape) {
	layers := sequence(m.Layers)
	if batch.Coins != nil {
		layers = layers.drawn(m.Input, batch.Coins)
	}
	return m.forward(layers, weights, inputRows(batch.Rows, batch.Norms))
}

// forward runs all layers and returns the outputs, rows or columns, and each layer's
// backward pass.
func (m Model) forward(layers sequence, weights *graph.Node, x Activations) (Activations, tape) {
	split := m.split(weights)
	shapes, _ := m.shapes()
	x = x.rearranged(graph.Reshape(x.Values, append([]int{x.Values.Shape().Dim(0), x.Values.Shape().Dim(1)}, m.Input...)...))
	tape := make(tape, len(layers))
	for i, layer := range fused(layers) {
		x, tape[i] = forwardAny(layer, shapes[i], split[i], x)
	}
	return x, tape
}

// split cuts flat weights [R, P] into each layer's arrays [R, shape...].
func (m Model) split(weights *graph.Node) [][]*graph.Node {
	replicas, at := weights.Shape().Dim(0), 0
	layers := make([][]*graph.Node, len(m.Layers))
	for i, list := range m.weights() {
		for _, w := range list {
			size := kernel.SizeOf(w.Shape)
			part := graph.Slice(weights, graph.AxisRange(), graph.AxisRange(at, at+size))
			layers[i] = append(layers[i], graph.Reshape(part, append([]int{replicas}, w.Shape...)...))
			at += size
		}
	}
	return layers
}

// lossGradient returns the gradient of each example's loss, in the layout of the outputs.
func (m Model) lossGradient(outputs Activations, batch Batch) *graph.Node {
	if !outputs.columns {
		g := m.LossGradient(kernel.FlatRows(outputs.Values), batch)
		return graph.Reshape(g, outputs.Values.Shape().Dimensions...)
	}
	if loss, ok := m.Loss.(columnLoss); ok {
		return loss.gradientColumns(outputs.Values, batch.Labels)
	}
	return kernel.Transposed(m.LossGradient(kernel.Transposed(outputs.Values), batch))
}

// columnLoss is a loss that takes outputs [R, K, B], and labels [R, B] or [1, B].
type columnLoss interface {
	gradientColumns(outputs, labels *graph.Node) *graph.Node
}

// tape has the backward passes of layers that ran one after the other.
type tape []Backward

// back runs the passes from the last to the first one needed. Layers before the first one with
// weights run only if the gradient at the inputs is wanted. It returns that gradient, or nil, and
// the gradients at the weights of the layers with weights, in their order.
func (t tape) back(g *graph.Node, first int, wantInput bool) (atInput *graph.Node, layers []Gradients) {
	for i := len(t) - 1; i >= 0; i-- {
		if !wantInput && i < first {
			return nil, layers
		}
		var at Gradients
		g, at = t[i](g, wantInput || i > first)
		if at != nil {
			layers = append([]Gradients{at}, layers...)
		}
	}
	return g, layers
}

// firstTrained returns the index of the first layer with weights, or the number of layers.
func firstTrained(weights [][]Weight) int {
	for i, list := range weights {
		if len(list) > 0 {
			return i
		}
	}
	return len(weights)
}
