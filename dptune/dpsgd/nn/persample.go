package nn

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
)

// Products returns the gradients Σ_t g_t a_tᵀ of one weight of shape [outputs, inputs], which is
// used at each of T places of an example, such as tokens. a are the inputs, [R, B, T, inputs], or
// [1, B, T, inputs] if all replicas share them. g are the gradients at the outputs, [R, B, T,
// outputs].
//
// Norms are of gᵀ a or of (a aᵀ) ∘ (g gᵀ), whichever is cheaper. They are raised by a bound on
// their rounding, see section 2 of dpsgd/sensitivity.go. So the terms of an example may cancel.
// Gradients of other weights, such as a bias, are added with [Joint].
func Products(a, g *graph.Node) Gradients { return persample.NewProducts(a, g) }

// Joint returns the gradients of several weights, or of several layers, as those of one layer. The
// weights are in the order of the parts. Norms are added, and raised by as much as the part that
// is rounded most. There must be at least one part.
func Joint(parts ...Gradients) Gradients {
	if len(parts) == 0 {
		panic(errors.New("Joint of no gradients: must have at least one part (a layer without weights returns nil)"))
	}
	joint := make(persample.Joint, len(parts))
	for i, part := range parts {
		if part == nil {
			panic(fmt.Errorf("Joint: part %d is nil: must be gradients", i))
		}
		joint[i] = part
	}
	return joint
}

// PerSample returns explicit gradients, one [R, B, shape...] for each weight of a layer. Your own
// layer returns them, unless algebra gives its norms and sums in less memory than batch times
// parameters. There must be at least one.
func PerSample(each ...*graph.Node) Gradients {
	if len(each) == 0 {
		panic(errors.New("PerSample of no gradients: must have one for each weight (a layer without weights returns nil)"))
	}
	for i, g := range each {
		if g == nil {
			panic(fmt.Errorf("PerSample: gradient %d is nil: must be [R, B, shape...], as the weight", i))
		}
	}
	return persample.Explicit(each)
}
