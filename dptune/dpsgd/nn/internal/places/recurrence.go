package places

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Cell is the step of a recurrent layer. Values are [R, B, n].
type Cell interface {
	String() string
	Gates() int  // rows of W for each number of the state
	States() int // h first
	// step returns the next states from the sums of inputs and of the state. back takes the
	// gradients at them, and returns those at the two sums and at the states before, where the
	// gradient through the sums is left out.
	step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) (next []*graph.Node, back cellBackward)
}

type cellBackward func(at []*graph.Node) (atInput, atState *graph.Node, before []*graph.Node)

// Recurrence runs a cell over the places.
type Recurrence struct{ Cell }

// Forward returns the states after each place, [R, B, T, width], for x [R or 1, B, T, inputs].
// finite reports that no x is NaN or infinite. present is [R or 1, B, T], 1 where a place is not
// padding, or nil. weights are those of nn.GRU.
func (l Recurrence) Forward(weights []*graph.Node, x *graph.Node, finite bool, present *graph.Node) (*graph.Node, persample.Backward) {
	ofInputs, backInput := Linear(x, finite, weights[0], weights[1]) // [R, B, T, gates·width]
	u, bias := weights[2], graph.InsertAxes(weights[3], 1)
	d, width := ofInputs.Shape().Dimensions, u.Shape().Dim(2)
	start := graph.Zeros(u.Graph(), kernel.WithDims(u, d[0], d[1], width))
	c := newConstants(start)
	sums := placesFirst(ofInputs)
	var isPresent []*graph.Node
	if present != nil {
		on := kernel.RepeatShared(present, d[0])
		on = kernel.Expand(graph.InsertAxes(on, -1), d[0], d[1], d[2], width)
		isPresent = []*graph.Node{graph.GreaterThan(placesFirst(on), graph.ZerosLike(placesFirst(on)))}
	}
	states := slices.Repeat([]*graph.Node{start}, l.States())

	// Forward, a place has its sum of inputs. It gives its sum of the state, and the next states.
	forward := func(fixed, place, states []*graph.Node) (next, out []*graph.Node) {
		z := kernel.BatchedProduct(states[0], fixed[0])
		z = graph.Add(z, kernel.ExpandLike(kernel.AfterKernel(z, fixed[1]), z))
		next, _ = l.masked(constantsOf(fixed[2:]), place[0], z, place[1:], states)
		return next, append([]*graph.Node{z}, next...)
	}
	fixed := append([]*graph.Node{kernel.Transposed(u), bias}, c.list()...)
	after := scan(false, fixed, append([]*graph.Node{sums}, isPresent...), states, forward)
	ofStates, after := after[0], after[1:] // [T, R, B, ...]

	// Backward, it has the gradient at its state, both sums, and the states before it. It gives the
	// gradients at both sums.
	backward := func(fixed, place, at []*graph.Node) (next, out []*graph.Node) {
		g, ofInput, ofState, before := place[0], place[1], place[2], place[3:3+l.States()]
		_, back := l.masked(constantsOf(fixed[1:]), ofInput, ofState, place[3+l.States():], before)
		at = slices.Clone(at)
		at[0] = graph.Add(at[0], g)
		atInput, atState, at := back(at)
		at[0] = sumOf(at[0], kernel.BatchedProduct(atState, fixed[0]))
		return at, []*graph.Node{atInput, atState}
	}
	return placesLast(after[0]), func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		before := make([]*graph.Node, l.States())
		for i := range before {
			before[i] = graph.InsertAxes(start, 0)
			if d[2] > 1 {
				before[i] = graph.Concatenate([]*graph.Node{before[i], graph.Slice(after[i], graph.AxisRange(0, d[2]-1))}, 0)
			}
		}
		places := slices.Concat([]*graph.Node{placesFirst(g), sums, ofStates}, before, isPresent)
		at := scan(true, append([]*graph.Node{u}, c.list()...), places, states, backward)
		atX, ofW := backInput(placesLast(at[0]), wantInput)
		ofU := persample.NewProducts(placesLast(before[0]), placesLast(at[1]))
		ofU.Bias = true
		return atX, persample.Joint{ofW, ofU}
	}
}

// placesFirst turns [R, B, T, n] into [T, R, B, n].
func placesFirst(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 2, 0, 1, 3) }

// placesLast is the inverse of placesFirst.
func placesLast(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 1, 2, 0, 3) }

// masked is a step that keeps the states where present, if there is one, is false.
func (l Recurrence) masked(c constants, ofInput, ofState *graph.Node, present, states []*graph.Node) ([]*graph.Node, cellBackward) {
	next, back := l.step(c, ofInput, ofState, states)
	if len(present) == 0 {
		return next, back
	}
	kept := make([]*graph.Node, len(next))
	for i := range next {
		kept[i] = graph.Where(present[0], next[i], states[i])
	}
	return kept, func(at []*graph.Node) (atInput, atState *graph.Node, before []*graph.Node) {
		through, past := make([]*graph.Node, len(at)), make([]*graph.Node, len(at))
		for i := range at {
			through[i], past[i] = graph.Where(present[0], at[i], c.zeros), graph.Where(present[0], c.zeros, at[i])
		}
		atInput, atState, before = back(through)
		for i := range before {
			before[i] = sumOf(before[i], past[i])
		}
		return atInput, atState, before
	}
}

// sumOf returns a + b, for a that may be nil.
func sumOf(a, b *graph.Node) *graph.Node {
	if a == nil {
		return b
	}
	return graph.Add(a, b)
}

// gate returns part i of the values of [R, B, n·width].
func gate(x *graph.Node, from, to, width int) *graph.Node {
	return graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(from*width, to*width))
}

// GRU is the cell of nn.GRU.
type GRU struct{}

func (GRU) String() string { return "GRU" }

func (GRU) Gates() int { return 3 }

func (GRU) States() int { return 1 }

func (GRU) step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
	h, width := states[0], states[0].Shape().Dim(2)
	both := c.logistic(graph.Add(gate(ofInput, 0, 2, width), gate(ofState, 0, 2, width)))
	r, z := gate(both, 0, 1, width), gate(both, 1, 2, width)
	un := gate(ofState, 2, 3, width)
	n := graph.Tanh(graph.Add(gate(ofInput, 2, 3, width), graph.Mul(r, un)))
	next := graph.Add(n, graph.Mul(z, graph.Sub(h, n)))
	return []*graph.Node{next}, func(at []*graph.Node) (*graph.Node, *graph.Node, []*graph.Node) {
		g := at[0]
		atN := graph.Mul(graph.Mul(g, c.minus(z)), c.minus(graph.Square(n)))
		atR := graph.Mul(graph.Mul(atN, un), c.slopeOf(r))
		atZ := graph.Mul(graph.Mul(g, graph.Sub(h, n)), c.slopeOf(z))
		return graph.Concatenate([]*graph.Node{atR, atZ, atN}, 2),
			graph.Concatenate([]*graph.Node{atR, atZ, graph.Mul(atN, r)}, 2),
			[]*graph.Node{graph.Mul(g, z)}
	}
}

// LSTM is the cell of nn.LSTM.
type LSTM struct{}

func (LSTM) String() string { return "LSTM" }

func (LSTM) Gates() int { return 4 }

func (LSTM) States() int { return 2 }

func (LSTM) step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
	before, width := states[1], states[0].Shape().Dim(2)
	sum := graph.Add(ofInput, ofState)
	both, o := c.logistic(gate(sum, 0, 2, width)), c.logistic(gate(sum, 3, 4, width))
	i, f := gate(both, 0, 1, width), gate(both, 1, 2, width)
	n := graph.Tanh(gate(sum, 2, 3, width))
	next := graph.Add(graph.Mul(f, before), graph.Mul(i, n))
	out := graph.Tanh(next)
	return []*graph.Node{graph.Mul(o, out), next}, func(at []*graph.Node) (*graph.Node, *graph.Node, []*graph.Node) {
		g := at[0]
		atC := graph.Add(at[1], graph.Mul(graph.Mul(g, o), c.minus(graph.Square(out))))
		atSum := graph.Concatenate([]*graph.Node{
			graph.Mul(graph.Mul(atC, n), c.slopeOf(i)),
			graph.Mul(graph.Mul(atC, before), c.slopeOf(f)),
			graph.Mul(graph.Mul(atC, i), c.minus(graph.Square(n))),
			graph.Mul(graph.Mul(g, out), c.slopeOf(o)),
		}, 2)
		return atSum, atSum, []*graph.Node{nil, graph.Mul(atC, f)}
	}
}
