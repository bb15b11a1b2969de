package models_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// placesVocabulary is the number of tokens in testdata/make_places.py.
const placesVocabulary = 11

// placesCase is a model of testdata/places.json. tokens are 0 if examples are numbers.
type placesCase struct {
	input  []int
	tokens int
	layers []nn.Layer
}

func placesCases() map[string]placesCase {
	per, dense, embedding := nn.PerPlace, nn.Dense, nn.Embedding
	fixed := func(n int) []float64 {
		values := numbers(700, n)
		for i := range values {
			values[i] *= 0.5
		}
		return values
	}
	of := func(input []int, layers ...nn.Layer) placesCase { return placesCase{input, 0, layers} }
	text := func(layers ...nn.Layer) placesCase { return placesCase{[]int{9}, placesVocabulary, layers} }
	skip := func(layers ...nn.Layer) nn.Layer { return nn.Residual(layers) }
	return map[string]placesCase{
		"per place":       of([]int{3, 4}, per(dense(4, 5)), nn.GELU(), per(dense(5, 4), nn.SiLU()), nn.Flatten(), dense(12, 3)),
		"few wide places": of([]int{2, 9}, per(dense(9, 40), nn.Tanh()), nn.MeanPlaces(), dense(40, 3)),
		"norms":           of([]int{4, 6}, per(dense(6, 5)), nn.LayerNorm(5), nn.GELU(), nn.RMSNorm(5), nn.MeanPlaces(), dense(5, 3)),
		"positions": of([]int{4, 6}, nn.Positions(7, 6), nn.SinusoidalPositions(), per(dense(6, 4)), nn.SiLU(), nn.LastPlace(),
			dense(4, 3)),
		"attention":        of([]int{5, 6}, per(dense(6, 8)), nn.Attention(8, 2, false), nn.MeanPlaces(), dense(8, 3)),
		"causal attention": of([]int{5, 6}, nn.Attention(6, 3, true), nn.LastPlace(), dense(6, 3)),
		"transformer": text(embedding(11, 8), nn.Positions(9, 8), skip(nn.LayerNorm(8), nn.Attention(8, 2, false)),
			skip(nn.LayerNorm(8), per(dense(8, 16), nn.GELU(), dense(16, 8))), skip(nn.LayerNorm(8), nn.Attention(8, 4, true)),
			nn.LayerNorm(8), nn.MeanPlaces(), dense(8, 3)),
		"gru":                  text(embedding(11, 4), nn.GRU(4, 6), nn.LastPlace(), dense(6, 3)),
		"lstm":                 text(embedding(11, 4), nn.LSTM(4, 6), nn.LastPlace(), dense(6, 3)),
		"two recurrent layers": of([]int{6, 3}, nn.GRU(3, 5), nn.LSTM(5, 4), nn.MeanPlaces(), dense(4, 3)),
		"convolution of places": of([]int{9, 4}, nn.Conv1D(4, 6, 3, 1, 1), nn.Tanh(), nn.Conv1D(6, 5, 2, 2, 1), nn.Tanh(),
			nn.MeanPlaces(), dense(5, 3)),
		"low rank": of([]int{3, 5}, per(nn.LoRA(5, 6, 2, 3, fixed(36))), nn.Tanh(), nn.Flatten(), nn.LoRA(18, 4, 3, 1.5, fixed(76)),
			nn.Tanh(), dense(4, 3)),
	}
}

// Layers over places agree with PyTorch's: norms, clipped sums by each rule and method, and three
// steps. Padding, masks and lists that repeat tokens are among the examples. PyTorch computed one
// example at a time in float64, by testdata/make_places.py.
func TestPlacesAgreeWithPyTorch(t *testing.T) {
	var r reference
	text, err := os.ReadFile("testdata/places.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	known := placesCases()
	if len(r.Layers) != len(known) {
		t.Fatalf("%d cases, want %d", len(r.Layers), len(known))
	}
	for _, c := range r.Layers {
		k := known[c.Name]
		m, err := models.Sequential(c.Name, k.input, k.layers...)
		s := newSubject(t, c, m, err, 3, 0)
		s.within = 1e-12
		if k.tokens > 0 {
			s.data.Features = placesTokens(c.Examples, k.input[0])
		}
		s.checkLoss(t)
		for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
			s.checkNorms(t, mode)
			s.checkSums(t, 1, mode, 0)
		}
		s.checkTraining(t, 1, false)
	}
}

// placesTokens returns lists of tokens; example i has i last places of padding.
func placesTokens(examples, length int) []float32 {
	var list []float32
	for i, word := range words(1, examples*length) {
		if row, column := i/length, i%length; row > 0 && column >= length-row {
			list = append(list, nn.TokenPadding)
			continue
		}
		list = append(list, float32(uint64(word)*placesVocabulary>>24))
	}
	return list
}
