package main

import (
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// entry is a model that can be measured.
type entry struct {
	name, letter string // letter is its name in the table of the README; may be empty
	batch        int    // its usual batch
	classes      int
	build        func() (dpsgd.Model, error)
}

var zoo = []entry{
	{"mlp", "M", 256, 10, func() (dpsgd.Model, error) { return models.MLP(784, 120, 120, 10) }},
	{"fcnn", "H", 400, 2, func() (dpsgd.Model, error) { return models.MLPWith(dpsgd.ReLU(), 8, 6, 2) }},
	{"digits", "", 128, 10, func() (dpsgd.Model, error) { return models.MLP(64, 64, 10) }},
}

// findModel returns the entry of a name or letter.
func findModel(name string) (entry, bool) {
	for _, e := range zoo {
		if name == e.name || (name == e.letter && name != "") {
			return e, true
		}
	}
	return entry{}, false
}

func modelNames() string {
	var names []string
	for _, e := range zoo {
		name := e.name
		if e.letter != "" {
			name += " (" + e.letter + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
