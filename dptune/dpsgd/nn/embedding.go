package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/loss"
	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/places"
)

// TokenPadding fills up an example's list of tokens.
const TokenPadding = -1

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
	if l.vocabulary < 1 || l.vocabulary > loss.MaxTokens || l.width < 1 {
		return nil, fmt.Errorf("%v: vocabulary must be in [1, %d] and width >= 1", name, loss.MaxTokens)
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
	y, backward := places.LookupMean(in.Values, weights[0])
	return Activations{Values: y}, pass(backward)
}

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
	y, present, backward := places.Lookup(in.Values, weights[0])
	return Activations{Values: y, Present: present}, pass(backward)
}
