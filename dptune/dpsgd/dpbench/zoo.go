package main

import (
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// usual has a model's name and batch in the README's table.
type usual struct {
	letter string // its name in the table
	batch  int
}

// The letters and batches are those of the scripts that measure other libraries.
var usuals = map[string]usual{
	"mlp":       {"M", 256},
	"mnist-cnn": {"C", 256},
	"convnet":   {"L", 128},
	"fcnn":      {"H", 400},
	"encoder":   {"E", 64},
	"gru":       {"G", 128},
	"wrn-16-4":  {"W", 64},
	"tokens":    {"T", 144},
}

// zoo returns the models of the papers, and four that only this command measures.
func zoo() []models.Named { return append(models.All(), larger...) }

// larger are models that testdata/peers.py builds for PyTorch and Opacus as well.
var larger = []models.Named{
	{
		Name: "encoder", About: "transformer of four blocks of width 128 on 64 tokens", Size: 802954, Input: []int{64, 64}, Classes: 10,
		Build: func() (nn.Model, error) { return transformer("encoder", 64, 64, 128, 4, 512, 4) },
	},
	{
		Name: "gru", About: "recurrent network of width 64 on 64 tokens", Size: 19466, Input: []int{64, 32}, Classes: 10,
		Build: func() (nn.Model, error) {
			return models.Sequential("GRU", []int{64, 32}, nn.GRU(32, 64), nn.MeanPlaces(), nn.Dense(64, 10))
		},
	},
	{
		Name: "wrn-16-4", About: "wide residual network with group normalization", Size: 2748890, Input: []int{32, 32, 3}, Classes: 10,
		Build: wideResNet,
	},
	{
		Name: "tokens", About: "transformer of two blocks of width 32 on 8 tokens", Size: 17770, Input: []int{8, 8}, Classes: 10,
		Build: func() (nn.Model, error) { return transformer("tokens", 8, 8, 32, 4, 64, 2) },
	},
}

// transformer returns an encoder of blocks with normalization first, for examples of tokens with a
// number of features.
func transformer(name string, tokens, features, width, heads, hidden, blocks int) (nn.Model, error) {
	layers := []nn.Layer{nn.PerPlace(nn.Dense(features, width)), nn.SinusoidalPositions()}
	for range blocks {
		layers = append(layers,
			nn.Residual([]nn.Layer{nn.LayerNorm(width), nn.Attention(width, heads, false)}),
			nn.Residual([]nn.Layer{nn.LayerNorm(width), nn.PerPlace(nn.Dense(width, hidden), nn.GELU(), nn.Dense(hidden, width))}))
	}
	layers = append(layers, nn.LayerNorm(width), nn.MeanPlaces(), nn.Dense(width, 10))
	return models.Sequential(name, []int{tokens, features}, layers...)
}

// wideResNet returns WRN-16-4 (Zagoruyko and Komodakis (2016), arXiv:1605.07146v4) with group
// normalization in 16 groups.
func wideResNet() (nn.Model, error) {
	const groups = 16
	conv := func(in, out, kernel, stride int) nn.Layer {
		return nn.Conv2DNoBias(in, out, nn.Square(kernel, stride, kernel/2))
	}
	layers, channels := []nn.Layer{conv(3, 16, 3, 1)}, 16
	for stage, width := range []int{64, 128, 256} {
		for block := range 2 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			var projection []nn.Layer
			if channels != width {
				projection = []nn.Layer{conv(channels, width, 1, stride)}
			}
			layers = append(layers, nn.Residual([]nn.Layer{
				nn.GroupNorm(groups, channels), nn.ReLU(), conv(channels, width, 3, stride),
				nn.GroupNorm(groups, width), nn.ReLU(), conv(width, width, 3, 1),
			}, projection...))
			channels = width
		}
	}
	layers = append(layers, nn.GroupNorm(groups, channels), nn.ReLU(), nn.GlobalAvgPool(), nn.Dense(channels, 10))
	return models.Sequential("WRN-16-4", []int{32, 32, 3}, layers...)
}

// defaultBatch is the batch of models without a usual one.
const defaultBatch = 128

// findModel returns the model of a name or letter.
func findModel(name string) (models.Named, bool) {
	for _, m := range zoo() {
		if letter := usuals[m.Name].letter; name == m.Name || (name == letter && name != "") {
			return m, true
		}
	}
	return models.Named{}, false
}

// usualBatch returns the default batch of a model.
func usualBatch(name string) int {
	if u, ok := usuals[name]; ok {
		return u.batch
	}
	return defaultBatch
}

func modelNames() string {
	var names []string
	for _, m := range zoo() {
		name := m.Name
		if letter := usuals[m.Name].letter; letter != "" {
			name += " (" + letter + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
