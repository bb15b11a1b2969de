package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/places"
)

// Attention returns self-attention with several heads over the places of [T, width], [T, width].
// For each head h, with queries, keys and values of width/heads numbers at each place,
//
//	(q, k, v) = W_in x + b_in,  p = softmax over keys of q kᵀ / √(width/heads)
//	y = W_out (p v of all heads) + b_out
//
// If causal is set, place t sees only places up to t. Padding is not seen, see Activations.Present.
// A place that sees none gets p = 0. Initial W are uniform as in [Dense], b are zero. The weights
// are those of PyTorch's MultiheadAttention.
//
// With g at the outputs of each of the two products, one example's gradients are the products Σ_t
// g_t x_tᵀ, as in [Products], and Σ_t g_t for the biases.
//
// Reference: Vaswani et al. (2017), arXiv:1706.03762v7, section 3.2.
func Attention(width, heads int, causal bool) Layer { return attention{width, heads, causal} }

type attention struct {
	width, heads int
	causal       bool
}

func (l attention) String() string {
	return fmt.Sprintf("Attention(%d, %d, %v)", l.width, l.heads, l.causal)
}

func (l attention) OutputShape(input []int) ([]int, error) {
	if l.width < 1 || l.heads < 1 || l.width%l.heads != 0 {
		return nil, fmt.Errorf("%v: width and heads must be >= 1, and heads divide width", l)
	}
	if len(input) != 2 || input[1] != l.width {
		return nil, fmt.Errorf("%v: input of shape %v: must be [places, %d]", l, input, l.width)
	}
	return input, nil
}

func (l attention) Weights([]int) []Weight {
	uniform := func(rng *rand.Rand, values []float64) { dense{l.width, l.width}.glorot(rng, values) }
	return []Weight{
		{Name: "input weights", Shape: []int{3 * l.width, l.width}, Init: uniform},
		{Name: "input bias", Shape: []int{3 * l.width}},
		{Name: "output weights", Shape: []int{l.width, l.width}, Init: uniform},
		{Name: "output bias", Shape: []int{l.width}},
	}
}

// Scratch counts queries, keys and values, the outputs of the heads, and their gradients, each in
// two orders. It counts six squares of places for each head, and the products.
func (l attention) Scratch(input []int) int {
	products := persample.ProductScratch(input[0], l.width, 3*l.width) + persample.ProductScratch(input[0], l.width, l.width)
	return 4*4*input[0]*l.width + 6*l.heads*input[0]*input[0] + products
}

func (l attention) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	y, backward := places.Attention{Heads: l.heads, Causal: l.causal}.Forward(weights, in.Values, in.known().finite, in.Present)
	return Activations{Values: y, Present: in.Present}, pass(backward)
}
