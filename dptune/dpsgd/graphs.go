package dpsgd

import (
	"github.com/gomlx/gomlx/core/graph"
)

// graphs builds the programs of a plan.
type graphs struct {
	model    Model
	size     int
	plan     Plan
	examples int // rows of the data, without a crafted one
}

// Inputs of accumulate, in order. What belongs to a batch has the side 1 for R where all
// replicas share it.
const (
	inWeights  = iota // [R, P]
	inSum             // [R, P], the sum so far
	inExcluded        // [R], examples counted as zero so far
	inRows            // [R, B, F]
	inNorms           // [R, B], squared norms of the rows
	inLabels          // [R, B], int32
	inMask            // [R, B], 1 for an example, 0 for padding
	inClip            // [R, K], see Clipping.numbers
)

// accumulate adds one microbatch's clipped gradients to a sum, and counts the examples
// whose gradient is NaN or infinite, which add zero.
func (s graphs) accumulate(in []*graph.Node) []*graph.Node {
	rows := Activations{Values: in[inRows], SquaredNorms: in[inNorms], Finite: true}
	outputs, tape := s.forward(in[inWeights], rows)
	layers := s.backward(tape, s.lossGradient(outputs, in[inLabels]))
	sum, excluded := s.clippedSum(layers, expandReplicas(in[inMask], in[inWeights]), in[inClip])
	return []*graph.Node{
		graph.Add(in[inSum], sum),
		graph.Add(in[inExcluded], excluded),
	}
}

// forward runs all layers and returns the outputs, rows or columns, and each layer's
// backward pass.
func (s graphs) forward(weights *graph.Node, x Activations) (Activations, []Backward) {
	split := s.split(weights)
	shapes, _ := s.model.shapes()
	x.Values = graph.Reshape(x.Values, append([]int{x.Values.Shape().Dim(0), x.Values.Shape().Dim(1)}, s.model.Input...)...)
	tape := make([]Backward, len(s.model.Layers))
	for i, layer := range fused(s.model.Layers) {
		x, tape[i] = forwardAny(layer, shapes[i], split[i], x)
	}
	return x, tape
}

// outputs runs all layers and returns the outputs as rows.
func (s graphs) outputs(weights *graph.Node, x Activations) *graph.Node {
	out, _ := s.forward(weights, x)
	if out.columns {
		return transposed(out.Values)
	}
	return out.Values
}

// lossGradient returns the gradient of each example's loss, lying as the outputs do.
func (s graphs) lossGradient(outputs Activations, labels *graph.Node) *graph.Node {
	if !outputs.columns {
		return s.model.Loss.Gradient(outputs.Values, expandReplicas(labels, outputs.Values))
	}
	if loss, ok := s.model.Loss.(columnLoss); ok {
		return loss.gradientColumns(outputs.Values, labels)
	}
	return transposed(s.model.Loss.Gradient(transposed(outputs.Values), expandReplicas(labels, outputs.Values)))
}

// columnLoss is a loss that takes outputs [R, K, B], and labels [R, B] or [1, B].
type columnLoss interface {
	gradientColumns(outputs, labels *graph.Node) *graph.Node
}

// backward runs the tape from the last layer to the first and returns the gradients of
// the layers that have weights, in the order of the layers.
func (s graphs) backward(tape []Backward, gradient *graph.Node) []Gradients {
	weights := s.model.weights()
	first := 0 // the first layer with weights: no gradient is wanted below it
	for first < len(weights) && len(weights[first]) == 0 {
		first++
	}
	var reversed []Gradients
	for i := len(tape) - 1; i >= first; i-- {
		var at Gradients
		gradient, at = tape[i](gradient, i > first)
		if at != nil {
			reversed = append(reversed, at)
		}
	}
	layers := make([]Gradients, len(reversed))
	for i, at := range reversed {
		layers[len(reversed)-1-i] = at
	}
	return layers
}

// split cuts flat weights [R, P] into each layer's arrays [R, shape...].
func (s graphs) split(weights *graph.Node) [][]*graph.Node {
	replicas, at := weights.Shape().Dim(0), 0
	layers := make([][]*graph.Node, len(s.model.Layers))
	for i, list := range s.model.weights() {
		for _, w := range list {
			size := sizeOf(w.Shape)
			part := graph.Slice(weights, graph.AxisRange(), graph.AxisRange(at, at+size))
			layers[i] = append(layers[i], graph.Reshape(part, append([]int{replicas}, w.Shape...)...))
			at += size
		}
	}
	return layers
}
