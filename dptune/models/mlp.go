package models

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// MLP returns the perceptron with the given widths and tanh between them. The first width is that
// of an example, the last the number of classes. MLP(784, 120, 120, 10) has 109,930 weights.
func MLP(widths ...int) (nn.Model, error) {
	return MLPWith(nn.Tanh(), widths...)
}

// MLPWith is MLP with another activation between the layers.
func MLPWith(activation nn.Layer, widths ...int) (nn.Model, error) {
	if len(widths) < 2 {
		return nn.Model{}, errors.New("models: MLP widths: must be at least two, for an example and for the classes")
	}
	if activation == nil {
		return nn.Model{}, errors.New("models: MLP activation is nil: must be a layer")
	}
	name, layers := "MLP", []nn.Layer{}
	for i, width := range widths {
		name += fmt.Sprintf("-%d", width)
		if i == 0 {
			continue
		}
		if i > 1 {
			layers = append(layers, activation)
		}
		layers = append(layers, nn.Dense(widths[i-1], width))
	}
	return Sequential(name, widths[:1], layers...)
}

// IMDBLength is the number of tokens in an example for the IMDB model here.
const IMDBLength = 256

const imdbTokens = 28996

// IMDB returns the text classifier of Opacus's IMDB example that koskela2023 tunes, with 464,242
// weights: the mean of embeddings of 28,996 tokens in 16 dimensions, and 16-16-2 with ReLU. An
// example has length token ids, filled up with nn.TokenPadding. The mean leaves out padding;
// Opacus's example embeds it like a token.
func IMDB(length int) (nn.Model, error) {
	return Sequential("IMDB", []int{length},
		nn.EmbeddingMean(imdbTokens, 16), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 2))
}
