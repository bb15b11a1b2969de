package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
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
	squared, roundings := l.SquaredNorms(), persample.Roundings(l.Gradients, l.size)+more
	dtype := squared.DType()
	factor := 1 + kernel.Gamma(dtype, float64(roundings))
	if math.IsInf(factor, 1) {
		panic(fmt.Errorf("a squared norm is rounded %d times: must be at most %.0f in %v", roundings, 0.5/kernel.UnitRoundoff(dtype), dtype))
	}
	return graph.MulScalar(squared, factor)
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
	var found []persample.Gradients
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
	if l, is := m.Loss.(loss.SoftmaxCrossEntropy); is {
		return l.GradientColumns(outputs.Values, batch.Labels)
	}
	return kernel.Transposed(m.LossGradient(kernel.Transposed(outputs.Values), batch))
}

// tape has the backward passes of layers that ran one after the other.
type tape []Backward

// back runs the passes from the last to the first one needed. Layers before the first one with
// weights run only if the gradient at the inputs is wanted. It returns that gradient, or nil, and
// the gradients at the weights of the layers with weights, in their order.
func (t tape) back(g *graph.Node, first int, wantInput bool) (atInput *graph.Node, layers []persample.Gradients) {
	for i := len(t) - 1; i >= 0; i-- {
		if !wantInput && i < first {
			return nil, layers
		}
		var at Gradients
		g, at = t[i](g, wantInput || i > first)
		if at != nil {
			layers = append([]persample.Gradients{at}, layers...)
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

// backpropagateViews returns the gradients of each layer for the mean over K views of the loss. The
// views are places of an example, as in [PerPlace]: an example's gradient is the sum over its views
// of the gradient of loss/K. The data are copied on the device only, for one microbatch.
func (m Model) backpropagateViews(weights *graph.Node, batch Batch) []persample.Gradients {
	outputs, ofViews, tape := m.forwardViews(weights, batch)
	g := graph.DivScalar(m.LossGradient(m.rowsOfViews(outputs), ofViews), float64(m.Views))
	_, found := tape.back(graph.Reshape(g, outputs.Shape().Dimensions...), firstTrained(m.weights()), false)
	return found
}

// forwardViews runs the layers on the views of each example. It returns the outputs [R, B, K,
// out...], and the labels and targets of the views, [R, B·K, ...].
func (m Model) forwardViews(weights *graph.Node, batch Batch) (outputs *graph.Node, ofViews Batch, t tape) {
	split, k := m.split(weights), m.Views
	x := overViews(graph.Reshape(batch.Rows, slices.Concat(batch.Rows.Shape().Dimensions[:2], m.Input)...), k)
	in := Activations{Values: x, facts: facts{about: x, finite: true}}
	layers := sequence(m.Layers)
	if batch.Coins != nil {
		layers = layers.drawnPlaces(append([]int{k}, m.Input...), batch.Coins)
	}
	t = make(tape, len(layers))
	for i, layer := range fused(layers) {
		in, t[i] = forwardPlaces(layer, split[i], in)
	}
	ofViews.Labels = eachView(batch.Labels, k)
	if batch.Targets != nil {
		ofViews.Targets = eachView(batch.Targets, k)
	}
	return in.Values, ofViews, t
}

// rowsOfViews returns outputs [R, B, K, out...] as those of B·K examples.
func (Model) rowsOfViews(outputs *graph.Node) *graph.Node {
	d := outputs.Shape().Dimensions
	rows := d[1] * d[2]
	return graph.Reshape(outputs, d[0], rows, outputs.Shape().Size()/(d[0]*rows))
}

// overViews repeats x [R, B, ...] as [R, B, K, ...].
func overViews(x *graph.Node, k int) *graph.Node {
	d := x.Shape().Dimensions
	return kernel.Expand(graph.InsertAxes(x, 2), slices.Concat(d[:2], []int{k}, d[2:])...)
}

// eachView repeats each example of x [R, B, ...] as [R, B·K, ...].
func eachView(x *graph.Node, k int) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(overViews(x, k), slices.Concat([]int{d[0], d[1] * k}, d[2:])...)
}
