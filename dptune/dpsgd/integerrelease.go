package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/rounded"
)

// An integer release. B = UnitsPerClip units of a grid are the clip norm C. Each step releases
//
//	Σ_b v_b + X,  X = round(σB G) in each coordinate, G standard normal,
//
// where v_b is the clipped gradient of example b, truncated to whole units. Every v_b is checked to
// be a whole vector of norm at most B (internal/program/grid.go), the sum is exact, and X has
// exactly this law (internal/rounded).
//
// Theorem. The release is post-processing of the Gaussian mechanism with noise multiplier σ. So
// every price of the run's event holds for it.
//
// Proof. n + round(a) = round(n + a) for whole n. So the release is the rounding of Σ v_b + σB G,
// and ‖v_b‖ <= B. Each v_b depends on the example and on earlier releases, and on no other example,
// see below. Moving the weights by the release, with any rounding, is post-processing. ∎
//
// What remains to be assumed is that v_b is the same whatever the rest of the batch is. It may
// change if the gradients of an example have other bits at another place of a microbatch. A
// microbatch of one example has one place. The random words are assumed to be ideal, as everywhere.

const (
	leastUnits = 1 << 4
	mostUnits  = 1 << 16
)

// integers reports whether steps release integers.
func (c Config) integers() bool { return c.UnitsPerClip > 0 }

// validateGrid checks the grid of an integer release.
func (c Config) validateGrid(f *check.Faults) {
	b := c.UnitsPerClip
	if b == 0 {
		return
	}
	f.That(b >= leastUnits && b <= mostUnits && b&(b-1) == 0, "UnitsPerClip", b, "must be 0 (no integer release) or a power of two from 2^4 to 2^16")
	f.That(!c.NonPrivate, "UnitsPerClip", b, "must be 0 when NonPrivate is set")
	f.That(!(c.NoiseMultiplier*float64(b) > rounded.MaxDeviation), "NoiseMultiplier * UnitsPerClip", c.NoiseMultiplier*float64(b),
		fmt.Sprintf("must be at most %d", rounded.MaxDeviation))
}

const secretSeed = "the seed of all random draws is secret"

// drawAssumptions returns what a statement assumes about the draws of noise and samples.
func (c Config) drawAssumptions() []string {
	if c.integers() {
		return []string{"an example's gradient has the same bits at every place of a microbatch (one example in each has one place)", secretSeed}
	}
	return []string{"noise and samples are drawn without rounding errors", secretSeed}
}

// roundingNotCovered returns what a statement does not cover of rounding.
func (c Config) roundingNotCovered() []string {
	if c.integers() {
		return nil
	}
	return []string{
		"rounding of the noise to floating-point numbers",
		"rounding when gradients are added within a microbatch (within one gradient, and between microbatches, it is covered)",
	}
}
