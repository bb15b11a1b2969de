// Package program builds the programs of steps of DP-SGD: gradients of a microbatch, clipped and summed; noise and canaries added;
// weights moved. A [Step] says what there is to do; whose rules of clipping and moving these are, it does not know.
package program

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Step is what the programs of a run do, which all replicas have in common.
type Step struct {
	Model        nn.Model
	Size         int     // parameters of the model
	Examples     int     // rows of the data, without a crafted one
	Divisor      float64 // the expected batch size of the first replica, for planted faults alone
	Materialized bool    // every per-sample gradient is formed
	Rule         *Rule   // of clipping; nil for none

	OnDevice      bool // the data lie on the device, and noise is made there from words
	Noise         bool // there is some
	Keys          bool // the device makes the words itself, from keys
	SharesExample bool // a batch that all replicas see may hold a crafted example that some of them do not have
	Crafted       bool // there are canaries that are not simply rows of the data
	Moving        bool // what they add may change from step to step
	Probes        int  // directions
	Slots         int  // arrays that the optimizer keeps
	StepsPerCall  int  // steps that go together at most

	// Move returns the weights [R, P] after a step, and the slots. numbers is [R, K].
	Move func(weights, noisy, numbers *graph.Node, slots []*graph.Node) (moved *graph.Node, kept []*graph.Node)
}

// Inputs of AddMicrobatch, in order; those after the first are a microbatch.
const (
	inWeights  = iota // [R, P]
	inSum             // [R, P], the sum so far, in float64
	inExcluded        // [R], examples counted as zero so far
	inClip            // [R, K], what the rule needs
	inBatch
)

// AddMicrobatch adds one microbatch's clipped gradients to a sum, and counts the examples
// whose gradient is NaN or infinite, which add zero.
func (p Step) AddMicrobatch(in []*graph.Node) []*graph.Node {
	sum, excluded := p.clippedGradients(in[inWeights], in[inClip], p.microbatch(in[inBatch:]))
	return []*graph.Node{
		graph.Add(in[inSum], graph.ConvertDType(sum, dtypes.Float64)),
		graph.Add(in[inExcluded], excluded),
	}
}

// Inputs of OneStep, in order; those after the first are a microbatch, and then what Update
// takes after the sum.
const (
	oneExcluded = iota // [R]
	oneWeights         // [R, P]
	oneClip            // [R, K]
	oneBatch
)

// OneStep is a step of a single microbatch: AddMicrobatch, from zero, and Update. It returns
// how many examples counted as zero so far, and then what Update does.
func (p Step) OneStep(in []*graph.Node) []*graph.Node {
	return p.oneStep(p.drawn(in, p.oneStepNumbers()))
}

// oneStepNumbers returns the place of the numbers among the inputs of OneStep.
func (p Step) oneStepNumbers() int { return oneBatch + p.BatchInputs() }

// oneStep is OneStep with the words of its noise.
func (p Step) oneStep(in []*graph.Node) []*graph.Node {
	batch, rest := in[oneBatch:oneBatch+p.BatchInputs()], in[oneBatch+p.BatchInputs():]
	sum, excluded := p.clippedGradients(in[oneWeights], in[oneClip], p.microbatch(batch))
	moved := p.update(append([]*graph.Node{in[oneWeights], sum}, rest...))
	return append([]*graph.Node{graph.Add(in[oneExcluded], excluded)}, moved...)
}

// clippedGradients returns the sum of a microbatch's clipped gradients [R, P], and how many
// examples counted as zero [R].
func (p Step) clippedGradients(weights, clip *graph.Node, batch microbatch) (sum, excluded *graph.Node) {
	layers := p.Model.Backpropagate(weights, batch.rows, batch.norms, batch.labels)
	return p.clippedSum(layers, kernel.ExpandReplicas(batch.mask, weights), clip)
}

// origin says where an input of OneStep comes from when several steps run in one program.
type origin int

const (
	fixed   origin = iota // the same at all steps
	carried               // what the step before returned
	perStep               // one for each step, on a leading axis
)

// origins returns that of each input of OneStep, in order. Those carried are in the order in
// which OneStep returns them.
func (p Step) origins() []origin {
	list := []origin{oneExcluded: carried, oneWeights: carried, oneClip: fixed}
	list = append(list, perStep, perStep) // entries and mask
	if p.SharesExample {
		list = append(list, perStep) // who has the crafted example
	}
	list = append(list, fixed, fixed, fixed) // the table
	list = append(list, perStep)             // numbers
	if p.Crafted {
		gradients := fixed
		if p.Moving {
			gradients = perStep
		}
		list = append(list, gradients, perStep)
	}
	if p.Noise {
		list = append(list, perStep, fixed) // words and standard deviations
	}
	for range p.Slots {
		list = append(list, carried)
	}
	if p.Probes > 0 {
		list = append(list, fixed)
	}
	return list
}

// NSteps is oneStep in a loop on the device. Its first input is how many steps to run; then
// come those of OneStep, of which some have a leading axis of K steps or more. It returns what
// OneStep does after the last of the steps, but the probes of all steps, [K, R, n].
//
// Each step is the same code, however many run: how steps are put together does not change
// their results.
func (p Step) NSteps(in []*graph.Node) []*graph.Node {
	return p.loop(p.drawn(in, 1+p.oneStepNumbers()), 0)
}

// AllSteps is NSteps for as many steps as go together at most. XLA knows their number, so that
// the device goes round the loop by itself: where it does not, a GPU asks the host after each
// step, which takes as long as a small step.
func (p Step) AllSteps(in []*graph.Node) []*graph.Node {
	return p.loop(p.drawn(in, 1+p.oneStepNumbers()), p.StepsPerCall)
}

// loop is NSteps, of so many steps, or of as many as its first input says if that is 0.
func (p Step) loop(in []*graph.Node, count int) []*graph.Node {
	g, origins := in[0].Graph(), p.origins()
	// What goes round the loop: which step it is, the inputs, and the probes of all steps. Even
	// what does not change: closures (go-xla v0.4.2) must not use values from outside, nor the
	// scalars that GoMLX keeps for a graph, of which none may be made before.
	state := append([]*graph.Node{graph.Const(g, int32(0))}, in...)
	if p.Probes > 0 {
		zero := graph.Const(g, shapes.CastAsDType(0, in[1+oneWeights].DType()))
		weights := in[1+oneWeights].Shape()
		state = append(state, graph.BroadcastToDims(zero, in[1+oneBatch].Shape().Dim(0), weights.Dim(0), p.Probes))
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
		out := p.oneStep(args)
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
