// Package program builds the programs of steps of DP-SGD. They clip and sum the gradients of a
// microbatch, add noise and canaries, and move the weights. A [Step] describes a step. The rules of
// clipping and moving are functions that it gets.
package program

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Step describes the programs of a run, for all its replicas.
type Step struct {
	Model        nn.Model
	Size         int   // parameters of the model
	Examples     int   // rows of the data, without a crafted one
	Materialized bool  // every per-sample gradient is formed
	Targets      bool  // the loss reads targets of examples
	Coins        int   // coins of an example in a step
	Grid         bool  // gradients are truncated to a grid: see grid.go
	Rule         *Rule // of clipping; nil for none

	OnDevice      bool // the data are on the device, and noise is made there from words
	Noise         bool // steps add noise
	Keys          bool // the device makes the words itself, from keys
	SharesExample bool // a shared batch may hold a crafted example that some replicas do not have
	Crafted       bool // there are canaries that are not rows of the data
	Moving        bool // their sum may change from step to step
	Probes        int  // directions
	Slots         int  // arrays of the optimizer's state
	StepsPerCall  int  // most steps in one call
	Past          int  // earlier vectors of noise that the device keeps; see Update
	Phased        bool // the standard deviation of the noise that the device makes changes from step to step
	PastFresh     bool // they are those before earlier ones were added to them
	PastApart     bool // each is an input; otherwise they are one array

	// Move returns the weights [R, P] after a step, and the slots. numbers is [R, K].
	Move func(weights, noisy, numbers *graph.Node, slots []*graph.Node) (moved *graph.Node, kept []*graph.Node)
}

// Inputs of AddMicrobatch, in order; those after the first are a microbatch.
const (
	inWeights  = iota // [R, P]
	inSum             // [R, P], the sum so far, in float64
	inExcluded        // [R], examples excluded so far
	inClip            // [R, K], numbers of the rule
	inBatch
)

// AddMicrobatch adds one microbatch's clipped gradients to a sum. Examples with a NaN or infinite
// gradient add zero, and it counts them.
func (p Step) AddMicrobatch(in []*graph.Node) []*graph.Node {
	sum, excluded := p.clippedGradients(in[inWeights], in[inClip], p.microbatch(in[inBatch:]))
	return []*graph.Node{
		graph.Add(in[inSum], graph.ConvertDType(sum, dtypes.Float64)),
		graph.Add(in[inExcluded], excluded),
	}
}

// AddWithNorms is AddMicrobatch. It also returns the norms of the gradients before clipping, [R, B]
// in float64, raised by what rounding may take away. Norms of padding have no meaning.
func (p Step) AddWithNorms(in []*graph.Node) []*graph.Node {
	batch, weights := p.microbatch(in[inBatch:]), in[inWeights]
	layers := p.gradients(weights, batch)
	var squares []*graph.Node
	for _, layer := range layers {
		squares = append(squares, layer.SquaredNormsUpper(len(layers)+factorRoundings))
	}
	norms := graph.ConvertDType(p.Root(Total(squares)), dtypes.Float64)
	sum, excluded := p.clippedSum(layers, kernel.ExpandReplicas(batch.mask, weights), in[inClip])
	return []*graph.Node{
		graph.Add(in[inSum], graph.ConvertDType(sum, dtypes.Float64)), graph.Add(in[inExcluded], excluded), norms,
	}
}

// Inputs of OneStep, in order. After these come a microbatch, and then the inputs of Update after
// the sum.
const (
	oneExcluded = iota // [R]
	oneWeights         // [R, P]
	oneClip            // [R, K]
	oneBatch
)

// OneStep is a step of a single microbatch: AddMicrobatch, from zero, and Update. It returns how
// many examples were excluded so far, and then the outputs of Update.
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
// examples were excluded [R].
func (p Step) clippedGradients(weights, clip *graph.Node, batch microbatch) (sum, excluded *graph.Node) {
	return p.clippedSum(p.gradients(weights, batch), kernel.ExpandReplicas(batch.mask, weights), clip)
}

// gradients returns the gradients of each layer on a microbatch.
func (p Step) gradients(weights *graph.Node, batch microbatch) []nn.LayerGradients {
	return p.Model.Backpropagate(weights, nn.Batch{Rows: batch.rows, Norms: batch.norms, Labels: batch.labels, Targets: batch.targets, Coins: batch.coins})
}

// origin is the source of an input of OneStep when several steps run in one program.
type origin int

const (
	fixed   origin = iota // the same at all steps
	carried               // returned by the step before
	perStep               // one for each step, on a leading axis
)

// origins returns the origin of each input of OneStep, in order. Carried inputs are in the order in
// which OneStep returns them.
func (p Step) origins() []origin {
	list := []origin{oneExcluded: carried, oneWeights: carried, oneClip: fixed}
	list = append(list, perStep, perStep) // entries and mask
	if p.SharesExample {
		list = append(list, perStep) // whether replicas have the crafted example
	}
	if p.Coins > 0 {
		list = append(list, perStep)
	}
	for range p.columns() { // the table
		list = append(list, fixed)
	}
	list = append(list, perStep) // numbers
	if p.Crafted {
		gradients := fixed
		if p.Moving {
			gradients = perStep
		}
		list = append(list, gradients, perStep)
	}
	if p.Noise {
		list = append(list, perStep) // words
	}
	if p.Noise && !p.Grid {
		deviations := fixed
		if p.Phased {
			deviations = perStep
		}
		list = append(list, deviations)
	}
	if p.Past > 0 {
		list = append(list, carried)
	}
	for range p.Slots {
		list = append(list, carried)
	}
	if p.Probes > 0 {
		list = append(list, fixed)
	}
	return list
}

// NSteps is oneStep in a loop on the device. Its first input is the number of steps to run. Then
// come the inputs of OneStep; some have a leading axis of K steps or more. It returns the outputs
// of OneStep after the last of the steps, but the probes of all steps, [K, R, n].
//
// Each step runs the same code, for any number of steps. So grouping steps into calls does not
// change their results. One exception is PastApart, which adds earlier noise in another order.
func (p Step) NSteps(in []*graph.Node) []*graph.Node {
	return p.loop(p.drawn(in, 1+p.oneStepNumbers()), 0)
}

// AllSteps is NSteps for the constant number StepsPerCall. XLA knows this number, so the device
// runs the loop by itself. Otherwise a GPU asks the host after each step, which takes as long as a
// small step.
func (p Step) AllSteps(in []*graph.Node) []*graph.Node {
	return p.loop(p.drawn(in, 1+p.oneStepNumbers()), p.StepsPerCall)
}

// loop is NSteps with count steps. If count is 0, its first input is the number of steps.
func (p Step) loop(in []*graph.Node, count int) []*graph.Node {
	g, origins := in[0].Graph(), p.origins()
	// The state of the loop: the number of the step, the inputs, and the probes of all steps.
	// Constant inputs are part of it too, because closures (go-xla v0.4.3) must not use values from
	// outside. They must not use the scalars that GoMLX keeps for a graph either, so none may be
	// made before.
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

// putStep returns x with y instead of x[step, ...].
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
