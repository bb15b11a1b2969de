package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/places"
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
func GRU(inputs, width int) Layer { return recurrent{places.GRU{}, inputs, width} }

// LSTM is [GRU] with long short-term memory: a state h and a cell c.
//
//	(i, f, o) = σ(W x + b + U h + b'),  g = tanh(W_g x + b_g + U_g h + b'_g)
//	c ← f c + i g,  h ← o tanh(c)
//
// Rows of W and U are in the order i, f, g, o. They are those of PyTorch's LSTM.
//
// Reference: Gers, Schmidhuber and Cummins (2000), Neural Computation 12(10), section 3.
func LSTM(inputs, width int) Layer { return recurrent{places.LSTM{}, inputs, width} }

type recurrent struct {
	cell          places.Cell
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
	rows := l.cell.Gates() * l.width
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
	rows := l.cell.Gates() * l.width
	products := persample.ProductScratch(input[0], l.inputs, rows) + persample.ProductScratch(input[0], l.width, rows)
	return input[0]*l.width*(8*l.cell.Gates()+8*l.cell.States()) + products
}

func (l recurrent) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	y, backward := places.Recurrence{Cell: l.cell}.Forward(weights, in.Values, in.known().finite, in.Present)
	return Activations{Values: y, Present: in.Present}, pass(backward)
}
