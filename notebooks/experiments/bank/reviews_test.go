package bank

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/dpsgdtest"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

func TestWordMeanKeepsTheContract(t *testing.T) {
	dpsgdtest.Layer(t, wordMean{5, 3}, 5)
}

// tokenLists are 40 reviews of up to 7 of 11 words, one of them empty.
func tokenLists() data.Dataset {
	rng := streams.Fixed("reviews").Rand("tokens")
	d := data.Dataset{Name: "reviews", Shape: []int{7}, Classes: 2}
	for i := range 40 {
		for at := range 7 {
			id := float32(imdb.Padding)
			if at < i%8 {
				id = float32(rng.IntN(11))
			}
			d.Features = append(d.Features, id)
		}
		d.Labels = append(d.Labels, int32(i%2))
	}
	return d
}

// The shares of words and wordMean are nn.EmbeddingMean on lists of words: the same training,
// clipping and noise included, has the same weights after it up to rounding, which 1e-4 allows for;
// without noise the weights move by some 0.1.
func TestWordMeanIsEmbeddingMean(t *testing.T) {
	lists := tokenLists()
	var weights [2][]float64
	for i, of := range []struct {
		examples data.Dataset
		first    nn.Layer
	}{{lists, nn.EmbeddingMean(11, 4)}, {shares(lists, 11), wordMean{11, 4}}} {
		model, err := models.Sequential("words", of.examples.Shape, of.first, nn.Dense(4, 2))
		if err != nil {
			t.Fatal(err)
		}
		config := dpsgd.Config{ClipNorm: 0.3, NoiseMultiplier: 0.5, Sampling: dpsgd.Poisson{Rate: 0.5}, ExpectedBatchSize: 20, Steps: 10, LearningRate: 1}
		trainer, err := engine.NewTrainer(model, of.examples, config)
		if err != nil {
			t.Fatal(err)
		}
		result, err := trainer.Run(t.Context(), streams.Fixed("words"))
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = result.Parameters.Values[0]
	}
	for i, w := range weights[0] {
		if math.Abs(w-weights[1][i]) > 1e-4 {
			t.Errorf("weight %d: %g by look-ups, %g by shares", i, w, weights[1][i])
		}
	}
}

// Shares by hand: of the words 0, 3, 3 and 9, padding apart, a vocabulary of 4 has a quarter and
// three quarters; an empty review has none.
func TestShares(t *testing.T) {
	d := data.Dataset{Name: "two", Shape: []int{5}, Classes: 2, Labels: []int32{0, 1}, Features: []float32{0, 3, 3, 9, -1, -1, -1, -1, -1, -1}}
	got := shares(d, 4)
	if want := []float32{0.25, 0, 0, 0.75, 0, 0, 0, 0}; !slices.Equal(got.Features, want) || !slices.Equal(got.Shape, []int{4}) || got.Validate() != nil {
		t.Errorf("shares %v of shape %v, want %v", got.Features, got.Shape, want)
	}
	// 80,306 is 5000·16 + (16+1)·16 + (16+1)·2.
	if m, err := imdb5000(); err != nil || m.Size() != 80306 {
		t.Errorf("the network has %d weights, error %v", m.Size(), err)
	}
}

// The published reviews in shares: halves of the test part, and shares that add up to 1.
func TestPublishedReviewsInShares(t *testing.T) {
	if testing.Short() || os.Getenv(data.DirVariable) == "" {
		t.Skip("reads and holds all reviews")
	}
	c := small()
	c.Data, c.Model, c.Examples = "imdb-5000", "imdb-5000", 500
	r, err := c.rows(t.Context(), experiments.Env{Data: os.Getenv(data.DirVariable)}, All, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.train.Len() {
		total := 0.0
		for _, share := range r.train.Row(i) {
			total += float64(share)
		}
		if math.Abs(total-1) > 1e-4 { // of 256 float32
			t.Errorf("review %d: shares add up to %g", i, total)
		}
	}
	if r.train.Len() != 500 || r.test.Len() != 12500 || r.validation.Len() != 12500 {
		t.Errorf("%d, %d and %d reviews", r.train.Len(), r.test.Len(), r.validation.Len())
	}
}
