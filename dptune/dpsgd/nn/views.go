package nn

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// backpropagateViews returns the gradients of each layer for the mean over K views of the loss. The
// views are places of an example, as in [PerPlace]: an example's gradient is the sum over its views
// of the gradient of loss/K. The data are copied on the device only, for one microbatch.
func (m Model) backpropagateViews(weights *graph.Node, batch Batch) []Gradients {
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
