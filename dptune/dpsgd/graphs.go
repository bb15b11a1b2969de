package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
)

// graphs builds the programs of a plan.
type graphs struct {
	model    Model
	size     int
	plan     Plan
	examples int  // rows of the data, without a crafted one
	onDevice bool // the data lie on the device, and noise is made there from words

	generator Generator // of the words
}

// Inputs of accumulate, in order; those after the first are a microbatch.
const (
	inWeights  = iota // [R, P]
	inSum             // [R, P], the sum so far, in float64
	inExcluded        // [R], examples counted as zero so far
	inClip            // [R, K], see Config.clipNumbers
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
	layers := s.model.Backpropagate(weights, batch.rows, batch.norms, batch.labels)
	return s.clippedSum(layers, kernel.ExpandReplicas(batch.mask, weights), clip)
}
