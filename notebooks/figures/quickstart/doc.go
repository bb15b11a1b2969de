// Package quickstart draws and lists what the quickstart notebook computes: the noise of one run, the
// price of a private search and what it released, one step under attack, and a convolutional network.
// The notebook's cells call the library themselves and put its results in here. Only [Comparison]
// computes: it repeats a search and the ways to do without one, over many seeds.
//
// Test accuracies are for research on the method: they are computed on data that the guarantee does not cover.
package quickstart

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/notebooks/figures"
)

// Sizes are how often the notebook repeats what is random, and how long it trains on full data.
type Sizes struct {
	Seeds  int // behind the spread of accuracies
	Games  int // of an audit, half of them with the canary
	Epochs int // passes over MNIST of the convolutional network, on average
}

// SizesOf returns the sizes of a profile, "quick" or "full".
func SizesOf(profile string) Sizes {
	if profile == "full" {
		return Sizes{Seeds: 100, Games: 20000, Epochs: 20}
	}
	return Sizes{Seeds: 25, Games: 2000, Epochs: 2}
}

// accuracyText writes an accuracy with its standard error over the test examples.
func accuracyText(accuracy float64, examples int) string {
	return fmt.Sprintf("%s ± %s (standard error of %d test examples)", figures.Percent(accuracy, 1),
		figures.Percent(math.Sqrt(accuracy*(1-accuracy)/float64(examples)), 1), examples)
}
