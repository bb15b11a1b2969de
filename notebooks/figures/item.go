package figures

import (
	"fmt"
	"strings"
)

// Kind is what an item takes to make.
type Kind string

// The kinds of items.
const (
	Closed    Kind = "closed form"
	Simulated Kind = "simulation"
	Trained   Kind = "training"
	Setting   Kind = "setting" // of the experiments, or a survey
)

// Item is one figure, table or worked example of a paper, as its notebook shows it.
type Item struct {
	Name      string // "Figure 3"; empty for what goes beyond the paper
	About     string // in a few words
	Kind      Kind
	Functions []string // that make it, as package.Function below notebooks/figures; empty if it is not shown
	Shows     []string // the names of the figures, tables and comparisons that the notebook shows of it
	Missing   string   // what of a shown item is not shown
	Size      string   // of a simulation or a training, as it is stored, next to the paper's
	Ours      string   // settings that we chose because the paper's text lacks them
	Because   string   // why a comparison differs, if one does

	Experiments []string // that train for it at full size, as notebooks/train knows them
}

// Shown reports whether the notebook shows anything of the item.
func (i Item) Shown() bool { return len(i.Shows) > 0 }

// Setup returns Size, and which settings are ours.
func (i Item) Setup() string {
	if i.Ours == "" {
		return i.Size
	}
	return strings.TrimPrefix(i.Size+"; settings ours: "+i.Ours, "; ")
}

// Paper is a paper with what its notebook shows. Each has a package items next to its figures,
// which declares one; package index collects them.
type Paper struct {
	Name   string // of the package and of the notebook
	Title  string
	Items  []Item // all of its figures, tables and worked examples, in its order
	Beyond []Item // what the notebook adds
}

// ByProfile returns the value of a profile. pkg is the package that the error names.
func ByProfile[C any](pkg, profile string, quick, full C) (C, error) {
	switch profile {
	case "quick":
		return quick, nil
	case "full":
		return full, nil
	}
	var none C
	return none, fmt.Errorf("%s: profile %q: must be quick or full", pkg, profile)
}
