package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// graphs builds the programs of a plan.
type graphs struct {
	model    Model
	size     int
	plan     Plan
	examples int  // rows of the data, without a crafted one
	onDevice bool // the data lie on the device, and noise is made there from words
}

// Inputs of accumulate, in order; those after the first are a microbatch.
const (
	inWeights  = iota // [R, P]
	inSum             // [R, P], the sum so far, in float64
	inExcluded        // [R], examples counted as zero so far
	inClip            // [R, K], see Clipping.numbers
	inBatch
)

// accumulate adds one microbatch's clipped gradients to a sum, and counts the examples
// whose gradient is NaN or infinite, which add zero.
func (s graphs) accumulate(in []*graph.Node) []*graph.Node {
	sum, excluded := s.clippedGradients(in[inWeights], in[inClip], s.microbatch(in[inBatch:]))
	return []*graph.Node{
		graph.Add(in[inSum], graph.ConvertDType(sum, dtypes.Float64)),
		graph.Add(in[inExcluded], excluded),
	}
}

// Inputs of whole, in order; those after the first are a microbatch, and then what update
// takes after the sum.
const (
	wholeExcluded = iota // [R]
	wholeWeights         // [R, P]
	wholeClip            // [R, K]
	wholeBatch
)

// whole is a step of a single microbatch: accumulate, from zero, and update. It returns
// how many examples counted as zero so far, and then what update does.
func (s graphs) whole(in []*graph.Node) []*graph.Node {
	batch, rest := in[wholeBatch:wholeBatch+s.batchInputs()], in[wholeBatch+s.batchInputs():]
	sum, excluded := s.clippedGradients(in[wholeWeights], in[wholeClip], s.microbatch(batch))
	moved := s.update(append([]*graph.Node{in[wholeWeights], sum}, rest...))
	return append([]*graph.Node{graph.Add(in[wholeExcluded], excluded)}, moved...)
}

// clippedGradients returns the sum of a microbatch's clipped gradients [R, P], and how many
// examples counted as zero [R].
func (s graphs) clippedGradients(weights, clip *graph.Node, batch microbatch) (sum, excluded *graph.Node) {
	outputs, tape := s.forward(weights, inputRows(batch.rows, batch.norms))
	layers := s.backward(tape, s.lossGradient(outputs, batch.labels))
	return s.clippedSum(layers, expandReplicas(batch.mask, weights), clip)
}

// forward runs all layers and returns the outputs, rows or columns, and each layer's
// backward pass.
func (s graphs) forward(weights *graph.Node, x Activations) (Activations, []Backward) {
	split := s.split(weights)
	shapes, _ := s.model.shapes()
	x = x.rearranged(graph.Reshape(x.Values, append([]int{x.Values.Shape().Dim(0), x.Values.Shape().Dim(1)}, s.model.Input...)...))
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
