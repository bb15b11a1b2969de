package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
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
	products := productScratch(input[0], l.width, 3*l.width) + productScratch(input[0], l.width, l.width)
	return 4*4*input[0]*l.width + 6*l.heads*input[0]*input[0] + products
}

func (l attention) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	known := in.known()
	qkv, backIn := linear(in.Values, known.finite, weights[0], weights[1]) // [R, B, T, 3·width]
	d := qkv.Shape().Dimensions
	replicas, batch, places, each := d[0], d[1], d[2], l.width/l.heads
	// heads takes [R, B, T, n·width] apart into n times [R·B·heads, T, each]; joined is its
	// inverse.
	apart := func(x *graph.Node, n int) []*graph.Node {
		x = graph.Reshape(x, replicas*batch, places, n*l.heads, each)
		x = graph.TransposeAllAxes(x, 0, 2, 1, 3)
		parts := make([]*graph.Node, n)
		for i := range parts {
			part := graph.Slice(x, graph.AxisRange(), graph.AxisRange(i*l.heads, (i+1)*l.heads))
			parts[i] = graph.Reshape(part, replicas*batch*l.heads, places, each)
		}
		return parts
	}
	joined := func(parts ...*graph.Node) *graph.Node {
		for i, part := range parts {
			parts[i] = graph.Reshape(part, replicas*batch, l.heads, places, each)
		}
		x := parts[0]
		if len(parts) > 1 {
			x = graph.Concatenate(parts, 1)
		}
		x = graph.TransposeAllAxes(x, 0, 2, 1, 3)
		return graph.Reshape(x, replicas, batch, places, len(parts)*l.width)
	}
	product := func(a, b *graph.Node) *graph.Node { return kernel.PerSampleProduct(a, b, replicas) }
	overKeys := func(x *graph.Node) *graph.Node { // Σ over keys, repeated along them
		return kernel.ExpandLike(graph.InsertAxes(kernel.SumLast(x), -1), x)
	}

	parts := apart(qkv, 3)
	q, k, v := parts[0], parts[1], parts[2]
	scale := 1 / math.Sqrt(float64(each))
	q = graph.MulScalar(q, scale)
	p := l.shares(product(q, kernel.Transposed(k)), in.Present, replicas, batch)
	y, backOut := linear(joined(product(p, v)), false, weights[2], weights[3])
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		g, outGradients := backOut(g, true)
		atHeads := apart(g, 1)[0]
		atP := product(atHeads, kernel.Transposed(v))
		atScores := graph.Mul(p, graph.Sub(atP, overKeys(graph.Mul(p, atP))))
		atQ := graph.MulScalar(product(atScores, k), scale)
		atK := product(kernel.Transposed(atScores), q)
		atV := product(kernel.Transposed(p), atHeads)
		atInput, inGradients := backIn(joined(atQ, atK, atV), wantInput)
		return atInput, jointGradients{inGradients, outGradients}
	}
	return Activations{Values: y, Present: in.Present}, backward
}

// shares returns the softmax over keys of scores [R·B·heads, T, T], 0 where a place does not see a
// key.
func (l attention) shares(scores, present *graph.Node, replicas, batch int) *graph.Node {
	g, places := scores.Graph(), scores.Shape().Dim(1)
	var seen *graph.Node
	if l.causal {
		square := shapes.Make(dtypes.Int32, 1, places, places)
		seen = graph.LessOrEqual(graph.Iota(g, square, 2), graph.Iota(g, square, 1))
		seen = kernel.ExpandLike(seen, scores)
	}
	if present != nil {
		keys := graph.Reshape(kernel.RepeatShared(present, replicas), replicas*batch, 1, 1, places)
		keys = kernel.Expand(keys, replicas*batch, l.heads, places, places)
		keys = graph.GreaterThan(graph.Reshape(keys, scores.Shape().Dimensions...), graph.ScalarZero(g, scores.DType()))
		if seen != nil {
			keys = graph.LogicalAnd(seen, keys)
		}
		seen = keys
	}
	alongKeys := func(x *graph.Node) *graph.Node { return kernel.ExpandLike(x, scores) }
	if seen != nil {
		scores = graph.Where(seen, scores, graph.Scalar(g, scores.DType(), -1e30))
	}
	most := graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, 2))
	p := graph.Exp(graph.Sub(scores, alongKeys(most)))
	if seen != nil {
		p = graph.Where(seen, p, graph.ScalarZero(g, p.DType()))
	}
	sum := graph.InsertAxes(kernel.SumLast(p), -1)
	if present != nil { // may be 0
		sum = graph.Where(graph.GreaterThan(sum, graph.ScalarZero(g, sum.DType())), sum, graph.ScalarOne(g, sum.DType()))
	}
	return graph.Div(p, alongKeys(sum))
}
