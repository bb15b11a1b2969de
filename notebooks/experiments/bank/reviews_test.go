package bank

import (
	"os"
	"slices"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/experiments"
)

// By hand: of the words 0, 3, 4 and 9 a vocabulary of 4 has 0, and 3 for all others. Padding stays.
func TestFrequentWords(t *testing.T) {
	d := data.Dataset{Name: "two", Shape: []int{5}, Classes: 2, Labels: []int32{0, 1}, Features: []float32{0, 3, 4, 9, -1, -1, -1, -1, -1, -1}}
	got := frequent(d, 4)
	if want := []float32{0, 3, 3, 3, -1, -1, -1, -1, -1, -1}; !slices.Equal(got.Features, want) || d.Features[3] != 9 || got.Validate() != nil {
		t.Errorf("words %v, want %v", got.Features, want)
	}
	// 80,306 is 5000·16 + (16+1)·16 + (16+1)·2.
	if m, err := imdb5000(); err != nil || m.Size() != 80306 {
		t.Errorf("the network has %d weights, error %v", m.Size(), err)
	}
}

// The published reviews: halves of the test part, and no other words.
func TestPublishedReviewsWithFrequentWords(t *testing.T) {
	if testing.Short() || os.Getenv(data.DirVariable) == "" {
		t.Skip("reads and holds all reviews")
	}
	c := small()
	c.Data, c.Model, c.Examples = "imdb-5000", "imdb-5000", 500
	r, err := c.rows(t.Context(), experiments.Env{Data: os.Getenv(data.DirVariable)}, All, 0)
	if err != nil {
		t.Fatal(err)
	}
	if most := slices.Max(r.train.Features); most != words-1 {
		t.Errorf("the last word is %g, want %d", most, words-1)
	}
	if r.train.Len() != 500 || r.test.Len() != 12500 || r.validation.Len() != 12500 {
		t.Errorf("%d, %d and %d reviews", r.train.Len(), r.test.Len(), r.validation.Len())
	}
}
