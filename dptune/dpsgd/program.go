package dpsgd

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
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

// origin says where an input of whole comes from when several steps run in one program.
type origin int

const (
	fixed   origin = iota // the same at all steps
	carried               // what the step before returned
	perStep               // one for each step, on a leading axis
)

// origins returns that of each input of whole, in order. Those carried are in the order in
// which whole returns them.
func (s graphs) origins() []origin {
	list := []origin{wholeExcluded: carried, wholeWeights: carried, wholeClip: fixed}
	list = append(list, perStep, perStep) // entries and mask
	if s.sharesExample() {
		list = append(list, perStep) // who has the crafted example
	}
	list = append(list, fixed, fixed, fixed) // the table
	list = append(list, perStep)             // numbers
	if s.hasCraftedGradient() {
		gradients := fixed
		if s.plan.gradientsMove() {
			gradients = perStep
		}
		list = append(list, gradients, perStep)
	}
	if s.hasNoise() {
		list = append(list, perStep, fixed) // words and standard deviations
	}
	for range s.plan.optimizer().Slots() {
		list = append(list, carried)
	}
	if len(s.plan.Probes) > 0 {
		list = append(list, fixed)
	}
	return list
}

// several is whole in a loop on the device. Its first input is how many steps to run; then
// come those of whole, of which some have a leading axis of K steps or more. It returns what
// whole does after the last of the steps, but the probes of all steps, [K, R, n].
//
// Each step is the same code, however many run: how steps are put together does not change
// their results.
func (s graphs) several(in []*graph.Node) []*graph.Node { return s.loop(in, 0) }

// fullSteps is several for as many steps as go together at most. XLA knows their number, so that
// the device goes round the loop by itself: where it does not, a GPU asks the host after each
// step, which takes as long as a small step.
func (t *Trainer) fullSteps(in []*graph.Node) []*graph.Node {
	return t.loop(in, t.perf.StepsPerCall)
}

// loop is several, of so many steps, or of as many as its first input says if that is 0.
func (s graphs) loop(in []*graph.Node, count int) []*graph.Node {
	g, origins := in[0].Graph(), s.origins()
	// What goes round the loop: which step it is, the inputs, and the probes of all steps. Even
	// what does not change: closures (go-xla v0.4.2) must not use values from outside, nor the
	// scalars that GoMLX keeps for a graph, of which none may be made before.
	state := append([]*graph.Node{graph.Const(g, int32(0))}, in...)
	if probes := len(s.plan.Probes); probes > 0 {
		zero := graph.Const(g, shapes.CastAsDType(0, in[1+wholeWeights].DType()))
		weights := in[1+wholeWeights].Shape()
		state = append(state, graph.BroadcastToDims(zero, in[1+wholeBatch].Shape().Dim(0), weights.Dim(0), probes))
	}
	parameters := func(g *graph.Graph) (step *graph.Node, list []*graph.Node) {
		for _, node := range state {
			list = append(list, graph.Parameter(g, "", node.Shape()))
		}
		return list[0], list[1:]
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		step, in := parameters(g)
		if count > 0 {
			return []*graph.Node{graph.LessThan(step, graph.Const(g, int32(count)))}
		}
		return []*graph.Node{graph.LessThan(step, in[0])}
	})
	next := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		step, now := parameters(g)
		args := slices.Clone(now[1 : 1+len(origins)])
		for i, from := range origins {
			if from == perStep {
				args[i] = atStep(args[i], step)
			}
		}
		out := s.whole(args)
		for i, from := range origins {
			if from == carried {
				now[1+i], out = out[0], out[1:]
			}
		}
		for _, products := range out {
			now[len(now)-1] = putStep(now[len(now)-1], products, step)
		}
		return append([]*graph.Node{graph.AddScalar(step, 1)}, now...)
	})
	last := graph.While(more, next, state...)[1:]
	var out []*graph.Node
	for i, from := range origins {
		if from == carried {
			out = append(out, last[1+i])
		}
	}
	return append(out, last[1+len(origins):]...)
}

// atStep returns x[step, ...].
func atStep(x, step *graph.Node) *graph.Node {
	dims := append([]int{1}, x.Shape().Dimensions[1:]...)
	return graph.Reshape(graph.DynamicSlice(x, stepIndices(x, step), dims), dims[1:]...)
}

// putStep returns x with y in the place of x[step, ...].
func putStep(x, y, step *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(x, graph.InsertAxes(y, 0), stepIndices(x, step))
}

func stepIndices(x, step *graph.Node) []*graph.Node {
	indices := []*graph.Node{step}
	for range x.Rank() - 1 {
		indices = append(indices, graph.Zeros(step.Graph(), shapes.Make(step.DType())))
	}
	return indices
}
