package places

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Lookup returns the vectors of tokens [R or 1, B, T], [R, B, T, width], with zeros for padding.
// present is 1 for tokens that are not padding, [R, B, T]. vectors are [R, vocabulary, width].
func Lookup(tokens, vectors *graph.Node) (y, present *graph.Node, backward persample.Backward) {
	g, dtype := tokens.Graph(), tokens.DType()
	tokens = kernel.RepeatShared(tokens, vectors.Shape().Dim(0)) // [R, B, T]
	width, d := vectors.Shape().Dim(2), tokens.Shape().Dimensions
	present = graph.ConvertDType(graph.GreaterOrEqual(tokens, graph.ScalarZero(g, dtype)), dtype)
	at := tokenPlaces(tokens)
	spread := func(x *graph.Node) *graph.Node { // along the vectors
		return kernel.Expand(graph.InsertAxes(x, -1), d[0], d[1], d[2], width)
	}
	y = graph.Mul(graph.Gather(vectors, at), spread(present))
	backward = func(gradient *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = graph.ZerosLike(tokens) // token ids have no gradient
		}
		gradient = graph.Where(graph.GreaterThan(spread(present), graph.ScalarZero(g, dtype)), gradient, graph.ScalarZero(g, dtype))
		return atInput, persample.Tokens{At: at, Rows: sumsOfTokens(tokens, gradient), Table: vectors.Shape()}
	}
	return y, present, backward
}

// LookupMean returns the mean of the vectors of tokens [R or 1, B, T], [R, B, width]. Padding is
// left out. vectors are [R, vocabulary, width].
func LookupMean(tokens, vectors *graph.Node) (*graph.Node, persample.Backward) {
	g, dtype := tokens.Graph(), tokens.DType()
	tokens = kernel.RepeatShared(tokens, vectors.Shape().Dim(0)) // [R, B, T]

	present := graph.GreaterOrEqual(tokens, graph.ScalarZero(g, dtype))
	share := graph.ConvertDType(present, dtype)
	count := graph.ReduceAndKeep(share, graph.ReduceSum, 2)
	share = graph.Div(share, graph.MaxScalar(count, 1)) // 1/n, and 0 for padding

	at := tokenPlaces(tokens) // [R, B, T, 2]

	looked := graph.Gather(vectors, at) // [R, B, T, width]
	y := graph.ReduceSum(graph.Mul(looked, graph.InsertAxes(share, -1)), 2)
	backward := func(gradient *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = graph.ZerosLike(tokens) // token ids have no gradient
		}
		return atInput, persample.TokenMean{Tokens: tokens, Share: share, At: at, G: gradient, Table: vectors.Shape()}
	}
	return y, backward
}

// tokenPlaces returns the replica and the row of each token, [R, B, T, 2]. Padding has row 0.
func tokenPlaces(tokens *graph.Node) *graph.Node {
	id := graph.ConvertDType(graph.MaxScalar(tokens, 0), dtypes.Int32)
	replica := graph.Iota(tokens.Graph(), shapes.Make(dtypes.Int32, tokens.Shape().Dimensions...), 0)
	return graph.Stack([]*graph.Node{replica, id}, -1)
}

// sumsOfTokens returns, at the first place of each token, the sum of g [R, B, T, width] over all
// its places, and zeros elsewhere.
func sumsOfTokens(tokens, g *graph.Node) *graph.Node {
	d, width := tokens.Shape().Dimensions, g.Shape().Dim(3)
	each := func(axis int) *graph.Node {
		return kernel.Expand(graph.InsertAxes(tokens, axis), d[0], d[1], d[2], d[2])
	}
	equal := graph.Equal(each(3), each(2)) // [R, B, T, T]
	pairs := shapes.Make(dtypes.Int32, d[0], d[1], d[2], d[2])
	of, other := graph.Iota(g.Graph(), pairs, 2), graph.Iota(g.Graph(), pairs, 3)
	earlier := graph.ConvertDType(graph.LogicalAnd(equal, graph.LessThan(other, of)), g.DType())
	repeated := graph.ReduceMax(earlier, 3) // 1 at each place of a token except the first
	sums := kernel.PerSampleProduct(kernel.Images(graph.ConvertDType(equal, g.DType())), kernel.Images(g), d[0])
	first := graph.LessThan(repeated, graph.ScalarOne(g.Graph(), g.DType()))
	keep := kernel.Expand(graph.InsertAxes(first, -1), d[0], d[1], d[2], width)
	return graph.Where(keep, graph.Reshape(sums, d[0], d[1], d[2], width), graph.ScalarZero(g.Graph(), g.DType()))
}
