package nn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Embedding returns the layer that looks up a vector for each token of an example: [T] gives [T,
// width]. Features are token ids in [0, vocabulary), or TokenPadding, which gives zeros. Later
// layers leave out these places, see Activations.Present. It must be the first layer. Initial
// vectors are standard normal.
//
// Let g_t be the gradient at place t. Row v of the example's gradient is the sum of g_t over the
// places of token v. These sums are formed, at the first place of each token. Both the norm and
// the clipped sum are of them, so nothing cancels. Nothing of the size of the vocabulary is formed
// for an example.
func Embedding(vocabulary, width int) Layer {
	return embedding{embeddingMean{vocabulary, width}}
}

// embedding takes the examples and has the weights of an embeddingMean.
type embedding struct{ embeddingMean }

func (l embedding) String() string { return fmt.Sprintf("Embedding(%d, %d)", l.vocabulary, l.width) }

func (l embedding) OutputShape(input []int) ([]int, error) {
	out, err := l.outputShape(l, input)
	if err != nil {
		return nil, err
	}
	return []int{input[0], out[0]}, nil
}

// ValidateRow implements InputLayer.
func (l embedding) ValidateRow(row []float32) (column int, err error) { return l.validateRow(l, row) }

// Scratch counts two further vectors for each token, and the pairs of tokens.
func (l embedding) Scratch(input []int) int { return input[0] * (2*l.width + 3*input[0]) }

func (l embedding) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	g, dtype := in.Values.Graph(), in.Values.DType()
	vectors := weights[0]
	replicas := vectors.Shape().Dim(0)
	tokens := kernel.RepeatShared(in.Values, replicas) // [R, B, T]
	d := tokens.Shape().Dimensions
	present := graph.ConvertDType(graph.GreaterOrEqual(tokens, graph.ScalarZero(g, dtype)), dtype)
	at := tokenPlaces(tokens)
	spread := func(x *graph.Node) *graph.Node { // along the vectors
		return kernel.Expand(graph.InsertAxes(x, -1), d[0], d[1], d[2], l.width)
	}
	y := graph.Mul(graph.Gather(vectors, at), spread(present))
	backward := func(gradient *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = graph.ZerosLike(tokens) // token ids have no gradient
		}
		gradient = graph.Where(graph.GreaterThan(spread(present), graph.ScalarZero(g, dtype)), gradient, graph.ScalarZero(g, dtype))
		return atInput, tokenGradients{at, sumsOfTokens(tokens, gradient), vectors.Shape()}
	}
	return Activations{Values: y, Present: present}, backward
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

// tokenGradients are the rows of an example's tokens, each at one of its places.
type tokenGradients struct {
	at    *graph.Node // [R, B, T, 2]: replica and row
	rows  *graph.Node // [R, B, T, width]
	table shapes.Shape
}

func (t tokenGradients) SquaredNorms() *graph.Node { return kernel.SquaredNorms(t.rows) }

// roundings counts the sum of squares of the added values. Each is rounded once when it is added to
// zeros, as a product with the factor.
func (t tokenGradients) roundings(int) int {
	d := t.rows.Shape().Dimensions
	return kernel.SquareRoundings(t.rows, d[2]*d[3]) + 2
}

func (t tokenGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	zeros := graph.Zeros(t.rows.Graph(), t.table)
	return []*graph.Node{graph.ScatterSum(zeros, t.at, kernel.Weighted(factors, t.rows), false, false)}
}

func (t tokenGradients) Each() []*graph.Node {
	d := t.rows.Shape().Dimensions
	return []*graph.Node{scatterEach(t.at, t.rows, d[0], d[1], t.table)}
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
