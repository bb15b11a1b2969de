package bank

import (
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/notebooks/figures"
)

// words is the vocabulary of the task imdb-5000, a sixth of imdb.Tokens. Noise is added to each
// weight, and almost all weights of the network are vectors of words.
const words = 5000

// frequentReviews returns the reviews with only these words.
func frequentReviews(dir string) (train, test data.Dataset, err error) {
	train, test, err = imdb.Load(dir, models.IMDBLength)
	return frequent(train, words), frequent(test, words), err
}

// frequent replaces the words that are not among the most frequent. Ids are ranks by frequency. The
// last word stands for all ids from its rank on.
func frequent(d data.Dataset, words int) data.Dataset {
	d.Features = figures.Map(d.Features, func(id float32) float32 { return min(id, float32(words-1)) })
	return d
}

// imdb5000 is models.IMDB for these words, with 80,306 weights in place of 464,242.
func imdb5000() (dpsgd.Model, error) {
	return models.Sequential("IMDB, 5,000 words", []int{models.IMDBLength}, nn.EmbeddingMean(words, 16), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 2))
}
