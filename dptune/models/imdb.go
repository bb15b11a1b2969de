package models

import (
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// IMDBLength is the length of the longest example that the IMDB model is given here.
const IMDBLength = 256

const imdbTokens = 28996

// IMDB returns the text classifier of Opacus's IMDB example that koskela2023 tunes, with
// 464,242 weights: the mean of embeddings of 28,996 tokens in 16 dimensions, and 16-16-2
// with ReLU. An example is length token ids, filled up with nn.TokenPadding; padding
// does not count in the mean, while Opacus's example embeds it like a token.
func IMDB(length int) (nn.Model, error) {
	return Sequential("IMDB", []int{length},
		nn.EmbeddingMean(imdbTokens, 16), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 2))
}
