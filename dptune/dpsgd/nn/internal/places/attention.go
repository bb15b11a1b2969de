package places

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Attention is self-attention with several heads.
type Attention struct {
	Heads  int
	Causal bool // a place sees only places up to its own
}

// Forward returns the outputs [R, B, T, width] for x [R or 1, B, T, width]. finite reports that no
// x is NaN or infinite. present is [R or 1, B, T], 1 where a place is not padding, or nil. weights
// are those of nn.Attention.
func (l Attention) Forward(weights []*graph.Node, x *graph.Node, finite bool, present *graph.Node) (*graph.Node, persample.Backward) {
	qkv, backIn := Linear(x, finite, weights[0], weights[1]) // [R, B, T, 3·width]
	d := qkv.Shape().Dimensions
	replicas, batch, places, width := d[0], d[1], d[2], d[3]/3
	each := width / l.Heads
	// heads takes [R, B, T, n·width] apart into n times [R·B·heads, T, each]; joined is its
	// inverse.
	apart := func(x *graph.Node, n int) []*graph.Node {
		x = graph.Reshape(x, replicas*batch, places, n*l.Heads, each)
		x = graph.TransposeAllAxes(x, 0, 2, 1, 3)
		parts := make([]*graph.Node, n)
		for i := range parts {
			part := graph.Slice(x, graph.AxisRange(), graph.AxisRange(i*l.Heads, (i+1)*l.Heads))
			parts[i] = graph.Reshape(part, replicas*batch*l.Heads, places, each)
		}
		return parts
	}
	joined := func(parts ...*graph.Node) *graph.Node {
		for i, part := range parts {
			parts[i] = graph.Reshape(part, replicas*batch, l.Heads, places, each)
		}
		x := parts[0]
		if len(parts) > 1 {
			x = graph.Concatenate(parts, 1)
		}
		x = graph.TransposeAllAxes(x, 0, 2, 1, 3)
		return graph.Reshape(x, replicas, batch, places, len(parts)*width)
	}
	product := func(a, b *graph.Node) *graph.Node { return kernel.PerSampleProduct(a, b, replicas) }
	// turned is the transposed matrix, computed before its product. XLA on the processor has fast
	// products of many small matrices only if the left one is not transposed.
	turned := func(x *graph.Node) *graph.Node { return kernel.Kept(kernel.Transposed(x)) }
	overKeys := func(x *graph.Node) *graph.Node { // Σ over keys, repeated along them
		return kernel.ExpandLike(graph.InsertAxes(kernel.SumLast(x), -1), x)
	}

	parts := apart(qkv, 3)
	q, k, v := parts[0], parts[1], parts[2]
	scale := 1 / math.Sqrt(float64(each))
	q = graph.MulScalar(q, scale)
	p := l.shares(product(q, kernel.Transposed(k)), present, replicas, batch)
	y, backOut := Linear(joined(product(p, v)), false, weights[2], weights[3])
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		g, outGradients := backOut(g, true)
		atHeads := apart(g, 1)[0]
		atP := product(atHeads, kernel.Transposed(v))
		atScores := graph.Mul(p, graph.Sub(atP, overKeys(graph.Mul(p, atP))))
		atQ := graph.MulScalar(product(atScores, k), scale)
		atK := product(turned(atScores), q)
		atV := product(turned(p), atHeads)
		// Norms, sums and the gradient at the inputs use it.
		atQKV := kernel.Kept(joined(atQ, atK, atV))
		atInput, inGradients := backIn(atQKV, wantInput)
		return atInput, persample.Joint{inGradients, outGradients}
	}
	return y, backward
}

// shares returns the softmax over keys of scores [R·B·heads, T, T], 0 where a place does not see a
// key.
func (l Attention) shares(scores, present *graph.Node, replicas, batch int) *graph.Node {
	g, places := scores.Graph(), scores.Shape().Dim(1)
	var seen *graph.Node
	if l.Causal {
		square := shapes.Make(dtypes.Int32, 1, places, places)
		seen = graph.LessOrEqual(graph.Iota(g, square, 2), graph.Iota(g, square, 1))
		seen = kernel.ExpandLike(seen, scores)
	}
	if present != nil {
		keys := graph.Reshape(kernel.RepeatShared(present, replicas), replicas*batch, 1, 1, places)
		keys = kernel.Expand(keys, replicas*batch, l.Heads, places, places)
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
