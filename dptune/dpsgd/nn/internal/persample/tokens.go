package persample

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Tokens are the rows of an example's tokens, each at one of its places.
type Tokens struct {
	At    *graph.Node // [R, B, T, 2]: replica and row
	Rows  *graph.Node // [R, B, T, width]
	Table shapes.Shape
}

func (t Tokens) SquaredNorms() *graph.Node { return kernel.SquaredNorms(t.Rows) }

// Roundings counts the sum of squares of the added values. Each is rounded once when it is added to
// zeros, as a product with the factor.
func (t Tokens) Roundings(Count) int {
	d := t.Rows.Shape().Dimensions
	return kernel.SquareRoundings(t.Rows, d[2]*d[3]) + 2
}

func (t Tokens) WeightedSum(factors *graph.Node) []*graph.Node {
	zeros := graph.Zeros(t.Rows.Graph(), t.Table)
	return []*graph.Node{graph.ScatterSum(zeros, t.At, kernel.Weighted(factors, t.Rows), false, false)}
}

func (t Tokens) Each() []*graph.Node {
	d := t.Rows.Shape().Dimensions
	return []*graph.Node{scatterEach(t.At, t.Rows, d[0], d[1], t.Table)}
}

// scatterEach adds rows [R, B, T, width] to each example's own table, [R, B, vocabulary, width].
func scatterEach(at, rows *graph.Node, replicas, batch int, table shapes.Shape) *graph.Node {
	places := rows.Shape().Dim(2)
	example := graph.Iota(rows.Graph(), shapes.Make(dtypes.Int32, replicas, batch, places), 1)
	part := func(i int) *graph.Node {
		return graph.Slice(at, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i))
	}
	at = graph.Concatenate([]*graph.Node{part(0), graph.InsertAxes(example, -1), part(1)}, 3)
	zeros := graph.Zeros(rows.Graph(), kernel.WithDims(rows, replicas, batch, table.Dim(1), table.Dim(2)))
	return graph.ScatterSum(zeros, at, rows, false, false)
}

// TokenMean are the rows share_t g at the tokens of an example.
type TokenMean struct {
	Tokens, Share *graph.Node // [R, B, L]
	At            *graph.Node // [R, B, L, 2]: replica and token
	G             *graph.Node // [R, B, width]
	Table         shapes.Shape
}

func (e TokenMean) SquaredNorms() *graph.Node {
	// Pairs of equal tokens, without padding, each 1/n²: a row of shares for each token.
	d := e.Tokens.Shape().Dimensions
	each := func(axis int) *graph.Node {
		return kernel.Expand(graph.InsertAxes(e.Tokens, axis), d[0], d[1], d[2], d[2])
	}
	equal := graph.Equal(each(2), each(3)) // [R, B, L, L]
	pairs := graph.ConvertDType(equal, e.Share.DType())
	of := kernel.InnerProducts(graph.Reshape(pairs, d[0]*d[1], d[2], d[2]), graph.Reshape(e.Share, d[0]*d[1], 1, d[2]))
	sum := graph.ReduceSum(graph.Mul(graph.Reshape(of, d...), e.Share), 2)
	return graph.Mul(kernel.SquaredNorms(e.G), sum)
}

// Roundings counts three sums and their products. Each token's (c g)/n is rounded twice when it is
// added, and the sum over tokens is rounded once for each token.
func (e TokenMean) Roundings(Count) int {
	tokens, width := e.Tokens.Shape().Dim(2), e.G.Shape().Dim(2)
	return kernel.SquareRoundings(e.G, width) + 2*tokens + 1 + 1 + 2*(tokens+2)
}

// updates returns what each token adds to its row, [R, B, L, width], for gradients g.
func (e TokenMean) updates(g *graph.Node) *graph.Node {
	return graph.Mul(graph.InsertAxes(e.Share, -1), graph.InsertAxes(g, 2))
}

func (e TokenMean) WeightedSum(factors *graph.Node) []*graph.Node {
	zeros := graph.Zeros(e.G.Graph(), e.Table)
	return []*graph.Node{graph.ScatterSum(zeros, e.At, e.updates(kernel.Weighted(factors, e.G)), false, false)}
}

func (e TokenMean) Each() []*graph.Node {
	d := e.Tokens.Shape().Dimensions
	return []*graph.Node{scatterEach(e.At, e.updates(e.G), d[0], d[1], e.Table)}
}
