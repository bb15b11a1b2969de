//go:build !planted

// Package planted has hooks to put faults into the engine, for tests of audits. With the build tag
// "planted" the seven hooks can insert one of the bugs of planted.go. In any other build they do
// nothing, and the compiler removes them.
package planted

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// InStream returns the source and the step of the noise.
func InStream(source noise.Source, step int) (noise.Source, int) { return source, step }

// InNoise gets one replica's noise at one step.
func InNoise[T arrays.Real](nn.Model, []T, float64) {}

// InRate returns the sampling rate of batches.
func InRate(rate float64) float64 { return rate }

// InPlaces returns the batch of a step of a random allocation, if a bug draws the places.
func InPlaces(_ streams.Root, _, _, _ int) ([]int32, bool) { return nil, false }

// InCut reports whether a bug keeps the first examples of a batch that is too large.
func InCut() bool { return false }

// InFactors returns the factors of the gradients.
func InFactors(_ []nn.LayerGradients, factors []*graph.Node, _, _ *graph.Node, _ float64) []*graph.Node {
	return factors
}

// InMove returns the sum that moves the weights.
func InMove(noisy, _ *graph.Node) *graph.Node { return noisy }
