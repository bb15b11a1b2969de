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
// Σ_t g_t h_(t-1)ᵀ for U, with g at the sums. The program has one copy of the step for each place,
// because loops of GoMLX (v0.28.3) cannot be inside the loop over training steps.
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
	step(ofInput, ofState *graph.Node, states []*graph.Node) (next []*graph.Node, back cellBackward)
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

// Scratch counts the two sums, their gradients, and the states of each place.
func (l recurrent) Scratch(input []int) int {
	return input[0] * l.width * (4*l.gates() + 4*l.states())
}

func (l recurrent) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	ofInputs, backInput := linear(in.Values, in.known().finite, weights[0], weights[1]) // [R, B, T, gates·width]
	u, bias := weights[2], weights[3]
	d := ofInputs.Shape().Dimensions
	replicas, batch, places := d[0], d[1], d[2]
	place := func(x *graph.Node, t int) *graph.Node { // [R, B, T, n] to [R, B, n]
		part := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(t, t+1))
		return graph.Reshape(part, replicas, batch, x.Shape().Dim(3))
	}
	joined := func(parts []*graph.Node) *graph.Node {
		for t, part := range parts {
			parts[t] = graph.Reshape(part, replicas, batch, 1, part.Shape().Dim(2))
		}
		return graph.Concatenate(parts, 2)
	}
	var present *graph.Node // [R, B, T, 1]
	if in.Present != nil {
		present = graph.InsertAxes(kernel.RepeatShared(in.Present, replicas), -1)
	}
	states := make([]*graph.Node, l.states())
	for i := range states {
		states[i] = graph.Zeros(u.Graph(), kernel.WithDims(u, replicas, batch, l.width))
	}
	var before, after []*graph.Node // h of each place
	backs := make([]cellBackward, places)
	transposed := kernel.Transposed(u)
	for t := range places {
		before = append(before, states[0])
		z := kernel.BatchedProduct(states[0], transposed)
		z = graph.Add(z, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, bias), 1), z))
		next, back := l.step(place(ofInputs, t), z, states)
		backs[t] = back
		if present != nil {
			next, backs[t] = unlessPadding(place(present, t), states, next, back)
		}
		states = next
		after = append(after, states[0])
	}
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		atInputs, atStates := make([]*graph.Node, places), make([]*graph.Node, places)
		at := make([]*graph.Node, l.states()) // nil is zero
		for t := places - 1; t >= 0; t-- {
			at[0] = sumOf(at[0], place(g, t))
			for i := range at {
				if at[i] == nil {
					at[i] = graph.ZerosLike(at[0])
				}
			}
			atInputs[t], atStates[t], at = backs[t](at)
			if t > 0 {
				at[0] = sumOf(at[0], kernel.BatchedProduct(atStates[t], u))
			}
		}
		atX, ofW := backInput(joined(atInputs), wantInput)
		ofU := Products(joined(slices.Clone(before)), joined(atStates)).(*productGradients)
		ofU.bias = true
		return atX, jointGradients{ofW, ofU}
	}
	return Activations{Values: joined(slices.Clone(after)), Present: in.Present}, backward
}

// unlessPadding keeps the states where present [R, B, 1] is 0.
func unlessPadding(present *graph.Node, states, next []*graph.Node, back cellBackward) ([]*graph.Node, cellBackward) {
	on := kernel.ExpandLike(graph.GreaterThan(present, graph.ZerosLike(present)), next[0])
	zero := graph.ZerosLike(next[0])
	kept := make([]*graph.Node, len(next))
	for i := range next {
		kept[i] = graph.Where(on, next[i], states[i])
	}
	return kept, func(at []*graph.Node) (atInput, atState *graph.Node, before []*graph.Node) {
		through, past := make([]*graph.Node, len(at)), make([]*graph.Node, len(at))
		for i := range at {
			through[i], past[i] = graph.Where(on, at[i], zero), graph.Where(on, zero, at[i])
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

// slopeOf returns the derivative of σ at its value s.
func slopeOf(s *graph.Node) *graph.Node { return graph.Mul(s, graph.OneMinus(s)) }

type gru struct{}

func (gru) String() string { return "GRU" }

func (gru) gates() int { return 3 }

func (gru) states() int { return 1 }

func (gru) step(ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
	h, width := states[0], states[0].Shape().Dim(2)
	both := logistic(graph.Add(gate(ofInput, 0, 2, width), gate(ofState, 0, 2, width)))
	r, z := gate(both, 0, 1, width), gate(both, 1, 2, width)
	un := gate(ofState, 2, 3, width)
	n := graph.Tanh(graph.Add(gate(ofInput, 2, 3, width), graph.Mul(r, un)))
	next := graph.Add(n, graph.Mul(z, graph.Sub(h, n)))
	return []*graph.Node{next}, func(at []*graph.Node) (*graph.Node, *graph.Node, []*graph.Node) {
		g := at[0]
		atN := graph.Mul(graph.Mul(g, graph.OneMinus(z)), graph.OneMinus(graph.Square(n)))
		atR := graph.Mul(graph.Mul(atN, un), slopeOf(r))
		atZ := graph.Mul(graph.Mul(g, graph.Sub(h, n)), slopeOf(z))
		return graph.Concatenate([]*graph.Node{atR, atZ, atN}, 2),
			graph.Concatenate([]*graph.Node{atR, atZ, graph.Mul(atN, r)}, 2),
			[]*graph.Node{graph.Mul(g, z)}
	}
}

type lstm struct{}

func (lstm) String() string { return "LSTM" }

func (lstm) gates() int { return 4 }

func (lstm) states() int { return 2 }

func (lstm) step(ofInput, ofState *graph.Node, states []*graph.Node) ([]*graph.Node, cellBackward) {
	c, width := states[1], states[0].Shape().Dim(2)
	sum := graph.Add(ofInput, ofState)
	both, o := logistic(gate(sum, 0, 2, width)), logistic(gate(sum, 3, 4, width))
	i, f := gate(both, 0, 1, width), gate(both, 1, 2, width)
	n := graph.Tanh(gate(sum, 2, 3, width))
	next := graph.Add(graph.Mul(f, c), graph.Mul(i, n))
	out := graph.Tanh(next)
	return []*graph.Node{graph.Mul(o, out), next}, func(at []*graph.Node) (*graph.Node, *graph.Node, []*graph.Node) {
		g := at[0]
		atC := graph.Add(at[1], graph.Mul(graph.Mul(g, o), graph.OneMinus(graph.Square(out))))
		atSum := graph.Concatenate([]*graph.Node{
			graph.Mul(graph.Mul(atC, n), slopeOf(i)),
			graph.Mul(graph.Mul(atC, c), slopeOf(f)),
			graph.Mul(graph.Mul(atC, i), graph.OneMinus(graph.Square(n))),
			graph.Mul(graph.Mul(g, out), slopeOf(o)),
		}, 2)
		return atSum, atSum, []*graph.Node{nil, graph.Mul(atC, f)}
	}
}
