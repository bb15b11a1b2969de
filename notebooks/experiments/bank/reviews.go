package bank

import (
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// words is the vocabulary of the task imdb-5000, a sixth of imdb.Tokens. Noise is added to each
// weight, and almost all weights of the network are vectors of words.
const words = 5000

func reviews(dir string) (train, test data.Dataset, err error) {
	return imdb.Load(dir, models.IMDBLength)
}

// reviewsInShares returns the reviews as the shares of the most frequent words in each.
func reviewsInShares(dir string) (train, test data.Dataset, err error) {
	if train, test, err = reviews(dir); err != nil {
		return train, test, err
	}
	return shares(train, words), shares(test, words), nil
}

// shares replaces the ids of each example by the share of each word among them. imdb.Padding does
// not count. Ids are ranks by frequency. The last word stands for all ids from its rank on.
func shares(d data.Dataset, words int) data.Dataset {
	out := d
	out.Shape, out.Features = []int{words}, make([]float32, d.Len()*words)
	for i := range d.Len() {
		row, n := out.Row(i), float32(0)
		for _, id := range d.Row(i) {
			if id != imdb.Padding {
				row[min(int(id), words-1)]++
				n++
			}
		}
		for word := range row {
			row[word] /= max(n, 1)
		}
	}
	return out
}

// imdb5000 is models.IMDB for these words, with 80,306 weights in place of 464,242.
func imdb5000() (dpsgd.Model, error) {
	return models.Sequential("IMDB, 5,000 words", []int{words},
		wordMean{words, 16}, nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 2))
}
