package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// TokenPadding fills up an example's list of tokens.
const TokenPadding = -1

// maxTokens is the number of integers that float32, the type of features, holds exactly.
const maxTokens = 1 << 24

// EmbeddingMean returns the layer that looks up a vector for each token of an example and takes
// their mean: a vector [width]. Features are token ids in [0, vocabulary), or TokenPadding, which
// is ignored. An example without tokens gives zeros. It must be the first layer. Initial vectors
// are standard normal.
//
//	y = 1/n Σ_{t=1..n} E[token_t]
//
// Let token v occur m_v times in the example, and let g be the gradient at y. Row v of the
// example's gradient is m_v/n g. So
//
//	‖gradient‖² = ‖g‖² Σ_v m_v² / n²,  Σ_v m_v² = #{(s, t): token_s = token_t}
//
// Nothing of the size of the vocabulary is formed for an example.
func EmbeddingMean(vocabulary, width int) Layer { return embeddingMean{vocabulary, width} }

type embeddingMean struct{ vocabulary, width int }

func (l embeddingMean) String() string {
	return fmt.Sprintf("EmbeddingMean(%d, %d)", l.vocabulary, l.width)
}

func (l embeddingMean) OutputShape(input []int) ([]int, error) { return l.outputShape(l, input) }

// outputShape is OutputShape of a layer with that name.
func (l embeddingMean) outputShape(name Layer, input []int) ([]int, error) {
	if l.vocabulary < 1 || l.vocabulary > maxTokens || l.width < 1 {
		return nil, fmt.Errorf("%v: vocabulary must be in [1, %d] and width >= 1", name, maxTokens)
	}
	if len(input) != 1 {
		return nil, fmt.Errorf("%v: input of shape %v: must be [tokens]", name, input)
	}
	return []int{l.width}, nil
}

func (l embeddingMean) Weights([]int) []Weight {
	return []Weight{{Name: "vectors", Shape: []int{l.vocabulary, l.width}, Init: standardNormal}}
}

func standardNormal(rng *rand.Rand, values []float64) {
	for i := range values {
		values[i] = rng.NormFloat64()
	}
}

// ValidateRow implements InputLayer.
func (l embeddingMean) ValidateRow(row []float32) (column int, err error) {
	return l.validateRow(l, row)
}

func (l embeddingMean) validateRow(name Layer, row []float32) (column int, err error) {
	for i, v := range row {
		if id := float64(v); id != math.Trunc(id) || id < TokenPadding || id >= float64(l.vocabulary) {
			return i, fmt.Errorf("%v: token %g: must be an integer in [0, %d), or %d for none", name, v, l.vocabulary, TokenPadding)
		}
	}
	return 0, nil
}

// DrawRow implements InputLayer. It draws tokens; none, some or all are padding.
func (l embeddingMean) DrawRow(rng *rand.Rand, row []float32) {
	padding := rng.IntN(5) // in quarters
	for i := range row {
		row[i] = float32(rng.IntN(l.vocabulary))
		if rng.IntN(4) < padding {
			row[i] = TokenPadding
		}
	}
}

// Scratch counts the vectors of the tokens and the pairs of tokens.
func (l embeddingMean) Scratch(input []int) int { return input[0] * (l.width + input[0]) }

func (l embeddingMean) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	g, dtype := in.Values.Graph(), in.Values.DType()
	vectors := weights[0] // [R, vocabulary, width]
	replicas := vectors.Shape().Dim(0)
	tokens := kernel.RepeatShared(in.Values, replicas) // [R, B, L]

	present := graph.GreaterOrEqual(tokens, graph.ScalarZero(g, dtype))
	share := graph.ConvertDType(present, dtype)
	count := graph.ReduceAndKeep(share, graph.ReduceSum, 2)
	share = graph.Div(share, graph.MaxScalar(count, 1)) // 1/n, and 0 for padding

	at := tokenPlaces(tokens) // [R, B, L, 2]

	looked := graph.Gather(vectors, at) // [R, B, L, width]
	y := graph.ReduceSum(graph.Mul(looked, graph.InsertAxes(share, -1)), 2)
	backward := func(gradient *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		var atInput *graph.Node
		if wantInput {
			atInput = graph.ZerosLike(tokens) // token ids have no gradient
		}
		return atInput, embeddingGradients{tokens: tokens, share: share, at: at, g: gradient, table: vectors.Shape()}
	}
	return Activations{Values: y}, backward
}

// embeddingGradients are the rows share_t g at the tokens.
type embeddingGradients struct {
	tokens, share *graph.Node // [R, B, L]
	at            *graph.Node // [R, B, L, 2]: replica and token
	g             *graph.Node // [R, B, width]
	table         shapes.Shape
}

func (e embeddingGradients) SquaredNorms() *graph.Node {
	// Pairs of equal tokens, without padding, each 1/n²: a row of shares for each token.
	d := e.tokens.Shape().Dimensions
	each := func(axis int) *graph.Node {
		return kernel.Expand(graph.InsertAxes(e.tokens, axis), d[0], d[1], d[2], d[2])
	}
	equal := graph.Equal(each(2), each(3)) // [R, B, L, L]
	pairs := graph.ConvertDType(equal, e.share.DType())
	of := kernel.InnerProducts(graph.Reshape(pairs, d[0]*d[1], d[2], d[2]), graph.Reshape(e.share, d[0]*d[1], 1, d[2]))
	sum := graph.ReduceSum(graph.Mul(graph.Reshape(of, d...), e.share), 2)
	return graph.Mul(kernel.SquaredNorms(e.g), sum)
}

// roundings counts three sums and their products. Each token's (c g)/n is rounded twice when it is
// added, and the sum over tokens is rounded once for each token.
func (e embeddingGradients) roundings(int) int {
	tokens, width := e.tokens.Shape().Dim(2), e.g.Shape().Dim(2)
	return kernel.SquareRoundings(e.g, width) + 2*tokens + 1 + 1 + 2*(tokens+2)
}

// updates returns what each token adds to its row, [R, B, L, width], for gradients g.
func (e embeddingGradients) updates(g *graph.Node) *graph.Node {
	return graph.Mul(graph.InsertAxes(e.share, -1), graph.InsertAxes(g, 2))
}

func (e embeddingGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	zeros := graph.Zeros(e.g.Graph(), e.table)
	return []*graph.Node{graph.ScatterSum(zeros, e.at, e.updates(kernel.Weighted(factors, e.g)), false, false)}
}

func (e embeddingGradients) Each() []*graph.Node {
	d := e.tokens.Shape().Dimensions
	return []*graph.Node{scatterEach(e.at, e.updates(e.g), d[0], d[1], e.table)}
}
