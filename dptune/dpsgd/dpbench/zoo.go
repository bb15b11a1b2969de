package main

import (
	"strings"

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
}

// defaultBatch is the batch of models without a usual one.
const defaultBatch = 128

// findModel returns the model of a name or letter.
func findModel(name string) (models.Named, bool) {
	for _, m := range models.All() {
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
	for _, m := range models.All() {
		name := m.Name
		if letter := usuals[m.Name].letter; letter != "" {
			name += " (" + letter + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
