package dpsgd

import (
	"errors"
	"fmt"
	"math"
)

// Clipping says how one example's gradient g is bounded by C, the ClipNorm of its config.
// The zero value is flat clipping.
//
// Whatever the rule, an example adds a vector of L2 norm at most C to the sum of a step, so
// that adding or removing one moves the sum by at most C, its sensitivity, and the event
// of a config does not depend on the rule. An example whose gradient has no finite norm
// adds zero, whose norm is at most C as well.
type Clipping struct {
	Rule ClipRule

	// Stability is γ > 0 of AutomaticClipping, in gradient units. 0 is 0.01, as in the paper.
	Stability float64

	// LayerNorms are C_l > 0 of PerLayerClipping, one for each layer of the model that has
	// weights, in their order (a residual block is one layer). The root of their sum of
	// squares must be at most ClipNorm, and should be it: less is more noise than needed.
	// Nil is ClipNorm/√L for each of the L layers.
	LayerNorms []float64
}

// ClipRule selects what an example adds to the sum.
type ClipRule int

const (
	// FlatClipping adds g · min(1, C/‖g‖). The norm of that is min(‖g‖, C).
	//
	// Reference: Abadi et al. (2016), arXiv:1607.00133v2, Algorithm 1.
	FlatClipping ClipRule = iota

	// AutomaticClipping adds g · C/(‖g‖ + γ): nearly all examples add a vector of nearly the
	// same length, and C only scales the learning rate. The norm is C ‖g‖/(‖g‖ + γ) < C.
	//
	// Reference: Bu et al. (2022), arXiv:2206.07136, AUTO-S, times C.
	AutomaticClipping

	// PerLayerClipping adds g_l · min(1, C_l/‖g_l‖) to each layer's part of the sum. Parts
	// are orthogonal, so that the norm is at most √(Σ C_l²) <= C.
	//
	// Reference: McMahan et al. (2018), arXiv:1710.06963v3, Section 2.2.
	PerLayerClipping
)

var clipRuleNames = []string{"FlatClipping", "AutomaticClipping", "PerLayerClipping"}

// String returns the name of the rule.
func (r ClipRule) String() string {
	if r < 0 || int(r) >= len(clipRuleNames) {
		return fmt.Sprintf("ClipRule(%d)", int(r))
	}
	return clipRuleNames[r]
}

const defaultStability = 0.01

func (c Clipping) stability() float64 {
	if c.Stability == 0 {
		return defaultStability
	}
	return c.Stability
}

// validate returns every fault of the clipping at a clip norm, joined.
func (c Clipping) validate(clipNorm float64) error {
	var fault faults
	const field = "Clipping."
	known := c.Rule >= 0 && int(c.Rule) < len(clipRuleNames)
	fault.unless(known, field+"Rule", c.Rule, "must be FlatClipping, AutomaticClipping or PerLayerClipping")
	fault.unless(clipNorm != 0 || c.Rule == FlatClipping || !known, field+"Rule", c.Rule, "must be FlatClipping when ClipNorm is 0 (no clipping)")
	fault.unless(c.Stability == 0 || c.Rule == AutomaticClipping || !known, field+"Stability", c.Stability, "must be 0 unless the rule is AutomaticClipping")
	fault.unless(c.Stability == 0 || representable(c.Stability), field+"Stability", c.Stability, "must be 0 (for 0.01) or in [1e-18, 1e18]")
	fault.unless(c.LayerNorms == nil || c.Rule == PerLayerClipping || !known, field+"LayerNorms", c.LayerNorms, "must be nil unless the rule is PerLayerClipping")
	for i, bound := range c.LayerNorms {
		fault.unless(representable(bound), fmt.Sprintf("%sLayerNorms[%d]", field, i), bound, "must be in [1e-18, 1e18]")
	}
	const rounding = 1e-9 // relative
	if total := norm(c.LayerNorms); !(total <= clipNorm*(1+rounding)) && c.LayerNorms != nil {
		fault.unless(false, field+"LayerNorms", c.LayerNorms, fmt.Sprintf("have the root of the sum of squares %g: must be at most ClipNorm %g", total, clipNorm))
	}
	return errors.Join(fault...)
}

// validateLayers checks the number of norms against that of layers with weights.
func (c Clipping) validateLayers(layers int) error {
	if c.LayerNorms != nil && len(c.LayerNorms) != layers {
		return fmt.Errorf("dpsgd: Clipping.LayerNorms has length %d: must be %d, the number of layers with weights", len(c.LayerNorms), layers)
	}
	return nil
}

// numbers returns what the program needs, with norms multiplied by a scale: [C], or [C, γ], or
// [C_1, ..., C_L].
func (c Clipping) numbers(clipNorm float64, layers int, scale float64) []float64 {
	clipNorm *= scale
	switch c.Rule {
	case AutomaticClipping:
		return []float64{clipNorm, c.stability()}
	case PerLayerClipping:
		norms := make([]float64, layers)
		for l := range norms {
			norms[l] = clipNorm / math.Sqrt(float64(layers))
			if c.LayerNorms != nil {
				norms[l] = c.LayerNorms[l] * scale
			}
		}
		return norms
	default:
		return []float64{clipNorm}
	}
}
