package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// GRU returns a gated recurrent unit that reads the places of [T, inputs] one after the other, and
// returns its state after each, [T, width]. The state h starts at zero.
//
//	r = σ(W_r x + b_r + U_r h + c_r),  z = σ(W_z x + b_z + U_z h + c_z)
//	n = tanh(W_n x + b_n + r (U_n h + c_n)),  h ← (1 - z) n + z h
//
// Padding leaves the state as it is, see Activations.Present. All weights start uniform in
// ±1/√width. They are those of PyTorch's GRU.
//
// One example's gradients are products over the places, as in [Products]: Σ_t g_t x_tᵀ for W, and
// Σ_t g_t h_(t-1)ᵀ for U, with g at the sums. XLA compiles one step, in a loop over the places. If
// several training steps run in one call, it compiles one step for each place, because loops of
// GoMLX (v0.28.3) cannot be inside each other. So [Model.HasLoop] makes calls of one step.
//
// Reference: Cho et al. (2014), arXiv:1406.1078v3, section 2.3.
func GRU(inputs, width int) Layer { return recurrent{gru{}, inputs, width} }

// LSTM is [GRU] with long short-term memory: a state h and a cell c.
//
//	(i, f, o) = σ(W x + b + U h + b'),  g = tanh(W_g x + b_g + U_g h + b'_g)
//	c ← f c + i g,  h ← o tanh(c)
//
// Rows of W and U are in the order i, f, g, o. They are those of PyTorch's LSTM.
//
// Reference: Gers, Schmidhuber and Cummins (2000), Neural Computation 12(10), section 3.
func LSTM(inputs, width int) Layer { return recurrent{lstm{}, inputs, width} }

// cell is the step of a recurrent layer. Values are [R, B, n].
type cell interface {
	String() string
	gates() int  // rows of W for each number of the state
	states() int // h first
	// step returns the next states from the sums of inputs and of the state. back takes the
	// gradients at them, and returns those at the two sums and at the states before, where the
	// gradient through the sums is left out.
	step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) (next []*graph.Node, back cellBackward)
}

type cellBackward func(at []*graph.Node) (atInput, atState *graph.Node, before []*graph.Node)

type recurrent struct {
	cell
	inputs, width int
}

func (l recurrent) String() string { return fmt.Sprintf("%v(%d, %d)", l.cell, l.inputs, l.width) }

func (l recurrent) OutputShape(input []int) ([]int, error) {
	if l.inputs < 1 || l.width < 1 {
		return nil, fmt.Errorf("%v: sizes must be >= 1", l)
	}
	if len(input) != 2 || input[1] != l.inputs {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, %d]", l, input, l.inputs)
	}
	return []int{input[0], l.width}, nil
}

func (l recurrent) Weights([]int) []Weight {
	uniform := func(rng *rand.Rand, values []float64) {
		for i := range values {
			values[i] = (2*rng.Float64() - 1) / math.Sqrt(float64(l.width))
		}
	}
	rows := l.gates() * l.width
	return []Weight{
		{Name: "input weights", Shape: []int{rows, l.inputs}, Init: uniform},
		{Name: "input bias", Shape: []int{rows}, Init: uniform},
		{Name: "state weights", Shape: []int{rows, l.width}, Init: uniform},
		{Name: "state bias", Shape: []int{rows}, Init: uniform},
	}
}

// Scratch counts the two sums, their gradients, and the states of each place, each in two orders.
// It counts the values between them as often, and the products.
func (l recurrent) Scratch(input []int) int {
	rows := l.gates() * l.width
	products := productScratch(input[0], l.inputs, rows) + productScratch(input[0], l.width, rows)
	return input[0]*l.width*(8*l.gates()+8*l.states()) + products
}

func (l recurrent) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	ofInputs, backInput := linear(in.Values, in.known().finite, weights[0], weights[1]) // [R, B, T, gates·width]
	u, bias := weights[2], graph.InsertAxes(weights[3], 1)
	d := ofInputs.Shape().Dimensions
	start := graph.Zeros(u.Graph(), kernel.WithDims(u, d[0], d[1], l.width))
	c := newConstants(start)
	sums := placesFirst(ofInputs)
	var present []*graph.Node
	if in.Present != nil {
		on := kernel.RepeatShared(in.Present, d[0])
		on = kernel.Expand(graph.InsertAxes(on, -1), d[0], d[1], d[2], l.width)
		present = []*graph.Node{graph.GreaterThan(placesFirst(on), graph.ZerosLike(placesFirst(on)))}
	}
	states := slices.Repeat([]*graph.Node{start}, l.states())

	// Forward, a place has its sum of inputs. It gives its sum of the state, and the next states.
	forward := func(fixed, place, states []*graph.Node) (next, out []*graph.Node) {
		z := kernel.BatchedProduct(states[0], fixed[0])
		z = graph.Add(z, kernel.ExpandLike(kernel.AfterKernel(z, fixed[1]), z))
		next, _ = l.masked(constantsOf(fixed[2:]), place[0], z, place[1:], states)
		return next, append([]*graph.Node{z}, next...)
	}
	fixed := append([]*graph.Node{kernel.Transposed(u), bias}, c.list()...)
	after := scan(false, fixed, append([]*graph.Node{sums}, present...), states, forward)
	ofStates, after := after[0], after[1:] // [T, R, B, ...]

	// Backward, it has the gradient at its state, both sums, and the states before it. It gives the
	// gradients at both sums.
	backward := func(fixed, place, at []*graph.Node) (next, out []*graph.Node) {
		g, ofInput, ofState, before := place[0], place[1], place[2], place[3:3+l.states()]
		_, back := l.masked(constantsOf(fixed[1:]), ofInput, ofState, place[3+l.states():], before)
		at = slices.Clone(at)
		at[0] = graph.Add(at[0], g)
		atInput, atState, at := back(at)
		at[0] = sumOf(at[0], kernel.BatchedProduct(atState, fixed[0]))
		return at, []*graph.Node{atInput, atState}
	}
	return Activations{Values: placesLast(after[0]), Present: in.Present}, func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		before := make([]*graph.Node, l.states())
		for i := range before {
			before[i] = graph.InsertAxes(start, 0)
			if d[2] > 1 {
				before[i] = graph.Concatenate([]*graph.Node{before[i], graph.Slice(after[i], graph.AxisRange(0, d[2]-1))}, 0)
			}
		}
		places := slices.Concat([]*graph.Node{placesFirst(g), sums, ofStates}, before, present)
		at := scan(true, append([]*graph.Node{u}, c.list()...), places, states, backward)
		atX, ofW := backInput(placesLast(at[0]), wantInput)
		ofU := Products(placesLast(before[0]), placesLast(at[1])).(*productGradients)
		ofU.bias = true
		return atX, jointGradients{ofW, ofU}
	}
}

// placesFirst turns [R, B, T, n] into [T, R, B, n].
func placesFirst(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 2, 0, 1, 3) }

// placesLast is the inverse of placesFirst.
func placesLast(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 1, 2, 0, 3) }

// masked is a step that keeps the states where present, if there is one, is false.
func (l recurrent) masked(c constants, ofInput, ofState *graph.Node, present, states []*graph.Node) ([]*graph.Node, cellBackward) {
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

type gru struct{}

func (gru) String() string { return "GRU" }

func (gru) gates() int { return 3 }

func (gru) states() int { return 1 }

func (gru) step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
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

type lstm struct{}

func (lstm) String() string { return "LSTM" }

func (lstm) gates() int { return 4 }

func (lstm) states() int { return 2 }

func (lstm) step(c constants, ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
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
