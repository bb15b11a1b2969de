package nn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// LayerGradients are the gradients of one layer of a model that has weights, see
// [Model.Backpropagate].
type LayerGradients struct {
	Gradients
	size int // number of weights of the layer
}

// SquaredNormsUpper returns SquaredNorms raised by what rounding can have taken from them, and by
// so many roundings more, of what the caller computes from them: not less than the squared norm of what
// WeightedSum adds for an example alone and a factor of 1, rounded as it is, but for what
// is lost to numbers too small to be held apart.
//
// The gradients of a layer of your own count as a sum of as many squares as the layer has weights, each of
// which is rounded twice when it is added. It panics, as graph functions do, if there are too
// many roundings to say anything.
func (l LayerGradients) SquaredNormsUpper(more int) *graph.Node {
	squared, roundings := l.SquaredNorms(), roundingsOf(l.Gradients, l.size)+more
	dtype := squared.DType()
	factor := 1 + kernel.Gamma(dtype, float64(roundings))
	if math.IsInf(factor, 1) {
		panic(fmt.Errorf("a squared norm is rounded %d times: must be at most %.0f in %v", roundings, 0.5/kernel.UnitRoundoff(dtype), dtype))
	}
	return graph.MulScalar(squared, factor)
}

// bounded are gradients that know how they are rounded.
type bounded interface {
	// roundings returns r such that what WeightedSum adds for an example alone and a factor of 1
	// has a squared norm of at most SquaredNorms (1-u)^-r, what is lost to numbers too small to
	// be held apart. weights is how many weights the layer has.
	roundings(weights int) int
}

func roundingsOf(g Gradients, weights int) int {
	if b, ok := g.(bounded); ok {
		return b.roundings(weights)
	}
	return weights + 2*2
}

// What follows is what an engine asks of a model: graph functions for all replicas at once. Weights
// are flat, [R, P], in the order of [Model.Tensors]; examples are [R, B, F], or [1, B, F] where all
// replicas share them, and are finite.

// Outputs returns what the last layer gives for each example, [R, B, out...].
func (m Model) Outputs(weights, rows *graph.Node) *graph.Node {
	out, _ := m.forward(weights, inputRows(rows, nil))
	if out.columns {
		return kernel.Transposed(out.Values)
	}
	return out.Values
}

// Backpropagate returns the gradients of each example's loss at the weights of each layer that has
// some, in the order of the layers. labels are [R, B] or [1, B], int32. norms are the squared L2 norms of rows,
// [R, B] or [1, B], where they are known, and nil otherwise.
func (m Model) Backpropagate(weights, rows, norms, labels *graph.Node) []LayerGradients {
	outputs, tape := m.forward(weights, inputRows(rows, norms))
	_, found := tape.back(m.lossGradient(outputs, labels), firstTrained(m.weights()), false)
	layers, sizes := make([]LayerGradients, len(found)), m.LayerSizes()
	for i, gradients := range found {
		layers[i] = LayerGradients{gradients, sizes[i]}
	}
	return layers
}

// forward runs all layers and returns the outputs, rows or columns, and each layer's
// backward pass.
func (m Model) forward(weights *graph.Node, x Activations) (Activations, tape) {
	split := m.split(weights)
	shapes, _ := m.shapes()
	x = x.rearranged(graph.Reshape(x.Values, append([]int{x.Values.Shape().Dim(0), x.Values.Shape().Dim(1)}, m.Input...)...))
	tape := make(tape, len(m.Layers))
	for i, layer := range fused(m.Layers) {
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

// lossGradient returns the gradient of each example's loss, lying as the outputs do.
func (m Model) lossGradient(outputs Activations, labels *graph.Node) *graph.Node {
	if !outputs.columns {
		return m.Loss.Gradient(outputs.Values, kernel.ExpandReplicas(labels, outputs.Values))
	}
	if loss, ok := m.Loss.(columnLoss); ok {
		return loss.gradientColumns(outputs.Values, labels)
	}
	return kernel.Transposed(m.Loss.Gradient(kernel.Transposed(outputs.Values), kernel.ExpandReplicas(labels, outputs.Values)))
}

// columnLoss is a loss that takes outputs [R, K, B], and labels [R, B] or [1, B].
type columnLoss interface {
	gradientColumns(outputs, labels *graph.Node) *graph.Node
}

// tape is the backward passes of layers that ran one after the other.
type tape []Backward

// back runs the passes from the last to the first that is wanted: layers below the first one with weights
// have nothing to say unless the gradient at the inputs is wanted. It returns that, or nil, and
// the gradients at the weights of the layers that have some, in the order of the layers.
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
