package dpsgd

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/toeplitz"
)

// CorrelatedNoise makes the noise of a step depend on the noise of the steps before. Much of it
// then cancels in the weights. Step t draws fresh normals z_t of standard deviation σC and adds
//
//	n_t = (z_t - Σ_(1<=j<b) c_j n_(t-j)) / c_0
//
// to its sum. With C[t, i] = c_(t-i) the noise of all steps is C⁻¹Z. The run reveals as much as
// C G + Z does, where G has the sums. The norm of c is 1, so σ means the same as without
// correlation. This is also called DP-FTRL by matrix factorization, and BandMF. [OptimalNoise] and
// [InverseRootNoise] return good coefficients.
//
// The event is known for these schemes, and Config.Validate refuses all others:
//
//   - [FixedBatches] and [FullBatch], any number of bands: one release at σ/s. The sensitivity s is
//     that of all steps of one example together.
//   - [CyclicPoisson] and [CyclicAllocation] of a period of at least b steps: the event of the
//     scheme with independent noise. Inverse must be false.
//
// The last b-1 vectors n_t are part of the state of a run and of its checkpoints. They are never
// set to zero.
//
// References: Choquette-Choo et al. (2023), arXiv:2306.08153, Theorem 4, for the scheme with
// sampling; Denisov et al. (2022), arXiv:2202.08312, Theorem 2.1. The proofs are in CyclicPoisson,
// in CyclicAllocation and in package toeplitz.
type CorrelatedNoise struct {
	// Coefficients are c_0, ..., c_(b-1). c_0 > 0, and the norm is 1 up to 1e-9: a price is for the
	// norm as given. They may rise or be negative. The price is then that of |c|, an upper bound.
	Coefficients []float64

	// Inverse declares that they are the bands d of C⁻¹ instead: n_t = Σ d_j z_(t-j). Then d_0 is 1,
	// no other d_j is above 0, and their sum is at least 0.
	Inverse bool `json:",omitempty"`
}

// OptimalNoise returns the noise with the least mean squared error of the weights, over a run of
// plain SGD with a constant learning rate. It searches the Toeplitz matrices of a number of bands
// whose coefficients do not rise. bands is in [1, steps]. The time is about steps times bands times
// a microsecond.
func OptimalNoise(steps, bands int) (*CorrelatedNoise, error) {
	if bands < 1 || bands > steps {
		return nil, fmt.Errorf("dpsgd: OptimalNoise: %d bands: must be in [1, %d], the number of steps", bands, steps)
	}
	return &CorrelatedNoise{Coefficients: toeplitz.Optimal(steps, bands)}, nil
}

// InverseRootNoise returns the noise whose C⁻¹ has the first bands of √(1-x), at least 1: the
// inverse of the square root of the matrix of prefix sums, cut off.
//
// Reference: Kalinin, McKenna, Upadhyay and Lampert (2025), arXiv:2505.12128 (BISR).
func InverseRootNoise(bands int) (*CorrelatedNoise, error) {
	if err := check.AtLeast(1).Of("dpsgd: InverseRootNoise: bands", float64(bands)); err != nil {
		return nil, err
	}
	return &CorrelatedNoise{Coefficients: toeplitz.Root(bands, 0.5), Inverse: true}, nil
}

// String names the matrix with its number of bands.
func (n CorrelatedNoise) String() string {
	if n.Inverse {
		return fmt.Sprintf("CorrelatedNoise(%d bands of the inverse)", len(n.Coefficients))
	}
	return fmt.Sprintf("CorrelatedNoise(%d bands)", len(n.Coefficients))
}

// Recursion returns the numbers of a step of the noise: n_t = scale z_t + Σ_(1<=j<b) weights[j-1]
// x_(t-j). The x are the earlier n, or with Inverse the earlier scale z.
func (n CorrelatedNoise) Recursion() (scale float64, weights []float64) {
	if n.Inverse {
		return 1, slices.Clone(n.Coefficients[1:])
	}
	for _, c := range n.Coefficients[1:] {
		weights = append(weights, -c/n.Coefficients[0])
	}
	return 1 / n.Coefficients[0], weights
}

const (
	unitNorm    = 1e-9 // how far the norm of coefficients may be from 1
	mostGrowth  = 1e6  // of the noise's standard deviation, over σC
	mostInBands = 1 << 12
)

// validate returns every fault of the coefficients for a number of steps, joined.
func (n CorrelatedNoise) validate(steps int) error {
	f := check.In("")
	c := n.Coefficients
	f.That(len(c) >= 1 && len(c) <= mostInBands, "length of Coefficients", len(c), fmt.Sprintf("must be in [1, %d]", mostInBands))
	f.Each("Coefficients", c, check.Finite)
	if err := f.Err(); err != nil {
		return err
	}
	if n.Inverse {
		sum := 0.0
		for j, d := range c[1:] {
			f.That(d <= 0, fmt.Sprintf("Coefficients[%d]", j+1), d, "must be <= 0 with Inverse")
			sum += d
		}
		f.That(c[0] == 1, "Coefficients[0]", c[0], "must be 1 with Inverse")
		f.That(sum >= -1, "sum of Coefficients", 1+sum, "must be >= 0 with Inverse")
		return f.Err()
	}
	norm := toeplitz.Norm(c)
	f.That(c[0] > 0, "Coefficients[0]", c[0], "must be > 0")
	f.That(math.Abs(norm-1) <= unitNorm, "norm of Coefficients", norm, "must be 1 (divide them by their norm: the noise multiplier is relative to it)")
	if f.Err() == nil && steps >= 1 {
		growth := toeplitz.Norm(toeplitz.Inverse(c, steps))
		f.That(growth <= mostGrowth, "standard deviation of the last step's noise over that of z", growth,
			"must be at most 1e6 (C(x) = Σ Coefficients[j] x^j has a root inside the unit circle)")
	}
	return f.Err()
}

// validateCorrelation adds the faults of Noise.
func (c Config) validateCorrelation(f *check.Faults) {
	if c.Noise == nil {
		return
	}
	f.That(!c.NonPrivate, "Noise", c.Noise, "must be nil when NonPrivate is set")
	f.That(c.UnitsPerClip == 0, "Noise", c.Noise, "must be nil when UnitsPerClip is set, since earlier noise times a coefficient is not on the grid")
	f.Below("Noise", c.Noise.validate(c.Steps))
	if !isScheme(c.Sampling) {
		return
	}
	cyclic, sampled := c.Sampling.(grouped)
	switch {
	case c.unsampledPeriod() > 0:
	case sampled && c.Noise.Inverse:
		f.That(false, "Noise", c.Noise, fmt.Sprintf("must have Inverse false with %s, since C has as many bands as steps", schemeName(cyclic)))
	case sampled:
		most := max(1, cyclic.groups())
		f.That(len(c.Noise.Coefficients) <= most, "Noise", c.Noise, fmt.Sprintf("must have at most %d bands, the period of %v", most, cyclic))
	default:
		f.That(false, "Noise", c.Noise, fmt.Sprintf("must be nil with %v: correlated noise has a price with CyclicPoisson, CyclicAllocation, FixedBatches and FullBatch only", c.Sampling))
	}
}

// grouped is a scheme that samples from groups in turn. Each example has its steps in every k-th
// one, for k groups.
type grouped interface {
	Sampling
	groups() int
}

// unsampledPeriod returns k if each example takes part in every k-th step, by a public order. It
// returns 0 for all other schemes.
func (c Config) unsampledPeriod() int {
	switch s := c.Sampling.(type) {
	case FullBatch:
		return 1
	case FixedBatches:
		return max(s.Period, 0)
	}
	return 0
}

// matrix returns the first column of C for a number of steps, and a bound of the relative error of
// its entries.
func (n CorrelatedNoise) matrix(steps int) (c []float64, rounding float64) {
	if !n.Inverse {
		return n.Coefficients, 0
	}
	// Each entry is a sum of products of numbers >= 0, each at most steps sums of b terms deep.
	return toeplitz.Inverse(n.Coefficients, steps), float64(steps) * float64(len(n.Coefficients)+2) * 0x1p-52
}

// correlatedEvent returns the event of correlated noise for the first steps. chosen has the steps
// of an example, or is nil for those of the scheme. Config.Noise must not be nil. The event is not
// valid if the scheme has no price with correlated noise.
func (c Config) correlatedEvent(steps int, chosen []int) accounting.Event {
	n, period := *c.Noise, c.unsampledPeriod()
	if n.validate(steps) != nil || steps < 1 || c.UnitsPerClip != 0 {
		return accounting.SelfComposed{} // not a valid event
	}
	if cyclic, sampled := c.Sampling.(grouped); sampled && !n.Inverse && len(n.Coefficients) <= cyclic.groups() {
		one := release(c.NoiseMultiplier, toeplitz.Norm(n.Coefficients))
		if chosen != nil {
			return chosenOf(cyclic, one, chosen)
		}
		return cyclic.Event(one, steps)
	}
	if period < 1 || chosen != nil && len(chosen) == 0 {
		return accounting.SelfComposed{}
	}
	column, rounding := n.matrix(steps)
	sensitivity := toeplitz.Periodic(column, steps, period)
	if chosen != nil {
		sensitivity = toeplitz.Chosen(column, steps, chosen)
	}
	return release(c.NoiseMultiplier, sensitivity*(1+rounding))
}

// release returns the event of one noisy sum of the given sensitivity, in units of the clip norm.
// The noise multiplier over it is rounded down.
func release(noiseMultiplier, sensitivity float64) accounting.Event {
	if !(sensitivity <= 1) {
		noiseMultiplier = math.Nextafter(noiseMultiplier/sensitivity, 0)
	}
	return accounting.ClippedSum{NoiseMultiplier: noiseMultiplier}
}

// largestShift returns how far one example moves a row of C G + Z at most, in clip norms. It is 1
// without correlation.
func (c Config) largestShift() float64 {
	if c.Noise == nil || c.Noise.validate(c.Steps) != nil || c.unsampledPeriod() < 1 {
		return 1
	}
	column, rounding := c.Noise.matrix(c.Steps)
	return max(1, toeplitz.Largest(column, c.Steps, c.unsampledPeriod())*(1+rounding))
}

// correlationAssumptions returns what the event of correlated noise rests on.
func (c Config) correlationAssumptions() []string {
	if c.Noise == nil {
		return nil
	}
	kind := "of a banded Toeplitz matrix"
	if c.Noise.Inverse {
		kind = "of the inverse of a banded Toeplitz matrix"
	}
	return []string{fmt.Sprintf("the noise of a step is correlated with that of up to %d steps before, by %d coefficients %s; no step's noise was drawn twice",
		len(c.Noise.Coefficients)-1, len(c.Noise.Coefficients), kind)}
}

// bands returns the number of coefficients, negative if they are those of the inverse, 0 for nil.
func (n *CorrelatedNoise) bands() int {
	switch {
	case n == nil:
		return 0
	case n.Inverse:
		return -len(n.Coefficients)
	}
	return len(n.Coefficients)
}
