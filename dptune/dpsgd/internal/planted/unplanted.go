//go:build !planted

// Package planted is where faults can be put into the engine, for tests of audits. With the build tag "planted" these
// five hooks can hold one of the bugs of planted.go. In any other build they are what stands here: nothing,
// which the compiler removes.
package planted

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// InStream returns the source and the step that noise is made from.
func InStream(source noise.Source, step int) (noise.Source, int) { return source, step }

// InNoise has one replica's noise at one step.
func InNoise[T arrays.Real](nn.Model, []T, float64) {}

// InRate returns the rate that batches are drawn at.
func InRate(rate float64) float64 { return rate }

// InFactors returns what gradients are multiplied by.
func InFactors(_ []nn.LayerGradients, factors []*graph.Node, _, _ *graph.Node, _ float64) []*graph.Node {
	return factors
}

// InMove returns the sum that moves the weights.
func InMove(noisy, _ *graph.Node) *graph.Node { return noisy }
