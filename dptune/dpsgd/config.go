package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Model is a chain of layers with a loss. Package nn has layers and losses, and the interfaces for
// writing others. Package models has whole models.
type Model = nn.Model

// Config describes one DP-SGD run. Each of its Steps draws a batch of the data, clips the gradient
// of each example, and moves the weights by the noisy sum.
//
//	w ← w - η_t/B · ( Σ_{i in batch} g_i · min(1, C/‖g_i‖) + σC · N(0, I) )
//
// The formula is for flat clipping and plain SGD. See [Sampling], [Clipping] and [Optimizer] for
// other rules. Neighboring data sets differ by one added or removed example. It moves the sum by at
// most C, up to floating-point rounding. The same fields are trained ([Config.Plan]) and priced
// ([Config.Event]).
//
// Reference: Abadi et al. (2016), arXiv:1607.00133v2, Algorithm 1, with a public divisor
// in place of the lot's size.
type Config struct {
	ClipNorm        float64 // C > 0, L2 bound on one example's gradient. Required, unless NonPrivate: 0 is then no clipping.
	NoiseMultiplier float64 // σ > 0, noise standard deviation / C. Required, unless NonPrivate: it must then be 0.
	Steps           int     // T >= 1, noisy updates. Required.

	// Sampling selects the examples of each step: Poisson, RandomAllocation, TruncatedPoisson,
	// FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation. Required.
	Sampling Sampling

	// ExpectedBatchSize is B > 0, the public divisor of the noisy sum: usually q times the public
	// size of the data set. It scales the learning rate. It does not affect privacy as long as it
	// is public. Required.
	ExpectedBatchSize float64

	// Phases divide the run into parts that differ in noise and sampling rate, in their order. Their
	// steps add up to Steps. Nil is one phase. Sampling must be Poisson or FullBatch.
	Phases []Phase `json:",omitempty"`

	LearningRate float64 // η > 0. Required.
	WeightDecay  float64 // λ in [0, 1/LearningRate): w ← (1 - η λ) w before each move. 0 is none.
	NonPrivate   bool    // no noise, on purpose: ε is then +Inf.

	// UnitsPerClip is the number of grid units in the clip norm of an integer release, a power of
	// two from 2^4 to 2^16. Gradients are then truncated to the grid, and the noise is the rounded
	// Gaussian. The price holds for the released numbers with all their bits. 0 adds noise in
	// floating point. See the section "Integer release" of dpsgd/README.md.
	UnitsPerClip int `json:",omitempty"`

	// Noise correlates the noise of different steps. Nil draws it independently at each step.
	Noise *CorrelatedNoise `json:",omitempty"`

	Clipping  Clipping  // FlatClipping, AutomaticClipping, PerLayerClipping or your own rule. Nil is flat.
	Optimizer Optimizer // moves the weights by noisy sums: SGD, Adam, AdamBC or your own. Nil is SGD without momentum.
}

// Validate returns every fault of the config, joined.
func (c Config) Validate() error { return c.validate("dpsgd: Config.") }

// validate is Validate. path is the text before the name of a field.
func (c Config) validate(path string) error {
	f := check.In(path)
	c.validateSampling(f)
	c.validateMoves(f, "")
	filled := c.WithDefaults()
	f.Below("Clipping", filled.Clipping.Validate(c.ClipNorm, 0))
	f.That(c.ClipNorm != 0 || filled.Clipping == FlatClipping{}, "Clipping", c.Clipping, "must be nil or FlatClipping when ClipNorm is 0 (no clipping)")
	c.validateNoise(f)
	c.validateGrid(f)
	c.validateCorrelation(f)
	c.validatePhases(f)
	return f.Err()
}

// validateMoves checks what moves the weights. path is the text before the name of a field.
func (c Config) validateMoves(f *check.Faults, path string) {
	f.Count(path+"Steps", c.Steps, 1)
	f.Number(path+"ExpectedBatchSize", c.ExpectedBatchSize, check.Positive.With("(usually the sampling rate times the public size of the data set)"))
	f.Number(path+"LearningRate", c.LearningRate, check.Positive)
	f.Number(path+"WeightDecay", c.WeightDecay, check.NotNegative)
	f.That(!(c.WeightDecay*c.LearningRate >= 1), path+"WeightDecay", c.WeightDecay, fmt.Sprintf("must be less than 1/LearningRate, %g", 1/c.LearningRate))
	o := c.WithDefaults().Optimizer
	if err := o.Validate(); err != nil {
		f.Below(path+"Optimizer", err)
	} else {
		f.Count(fmt.Sprintf("%sOptimizer %v: Slots", path, o), o.Slots(), 0)
	}
}

// validateNoise checks the noise multiplier and the clip norm, its unit.
func (c Config) validateNoise(f *check.Faults) {
	if c.NonPrivate {
		f.That(c.NoiseMultiplier == 0, "NoiseMultiplier", c.NoiseMultiplier, "must be 0 when NonPrivate is set")
		f.That(c.ClipNorm == 0 || representable(c.ClipNorm), "ClipNorm", c.ClipNorm, "must be 0 (no clipping) or in [1e-18, 1e18]")
		return
	}
	f.Number("NoiseMultiplier", c.NoiseMultiplier, check.Positive.With("(to train without noise set NonPrivate)"))
	f.That(representable(c.ClipNorm), "ClipNorm", c.ClipNorm, "must be in [1e-18, 1e18]")
	if check.Positive.Holds(c.NoiseMultiplier) && representable(c.ClipNorm) {
		f.That(representable(c.NoiseStdDev()), "NoiseMultiplier * ClipNorm", c.NoiseStdDev(), "must be in [1e-18, 1e18]")
	}
	if p, ok := c.Sampling.(TruncatedPoisson); ok && check.Positive.Holds(c.NoiseMultiplier) {
		f.That(p.hasPrice(c.NoiseMultiplier), "NoiseMultiplier", c.NoiseMultiplier, "must be in [0.002, 2^53] with TruncatedPoisson, or the run has no price")
	}
}

// NoiseStdDev returns σC, the standard deviation of the noise in gradient units. With Phases that
// of a step is c.At(step).NoiseStdDev().
func (c Config) NoiseStdDev() float64 { return c.NoiseMultiplier * c.ClipNorm }

// clips reports whether gradients are clipped.
func (c Config) clips() bool { return c.ClipNorm > 0 }

// WithDefaults returns the config with a Clipping and an Optimizer in place of nil.
func (c Config) WithDefaults() Config {
	if c.Clipping == nil {
		c.Clipping = FlatClipping{}
	}
	if c.Optimizer == nil {
		c.Optimizer = SGD{}
	}
	return c
}

// validateSampling adds the faults of the config's scheme. A type that embeds a scheme is not one.
func (c Config) validateSampling(f *check.Faults) {
	if c.Sampling == nil {
		f.That(false, "Sampling", "is nil", mustBeScheme())
		return
	}
	if !isScheme(c.Sampling) {
		f.That(false, "Sampling", fmt.Sprintf("is a %T", c.Sampling), mustBeScheme())
		return
	}
	f.Below("Sampling", c.Sampling.Validate(-1))
}

// Event returns what an accountant prices: the event of the run for any one example. Its releases
// are of type accounting.ClippedSum, so it has a price under every relation. That of
// [TruncatedPoisson] holds under AddOrRemoveOne. It is not valid if σ, T or the sampling is not.
func (c Config) Event() accounting.Event { return c.EventAfter(c.Steps) }

// EventAfter returns the event of the first steps of the run.
func (c Config) EventAfter(steps int) accounting.Event {
	if len(c.Phases) > 0 && !c.NonPrivate {
		all := make([]int, max(0, steps))
		for t := range all {
			all[t] = t
		}
		return c.phasedEvent(c.inPhases(all), Config.EventAfter)
	}
	if c.Noise != nil && !c.NonPrivate {
		return c.correlatedEvent(steps, nil)
	}
	return c.eventOf(Sampling.Event, steps)
}

// eventOf returns the event of a number of steps, by a method of the scheme.
func (c Config) eventOf(method func(s Sampling, release accounting.Event, count int) accounting.Event, count int) accounting.Event {
	switch {
	case c.NonPrivate:
		return accounting.NonPrivate{}
	case !isScheme(c.Sampling):
		return accounting.SelfComposed{} // not a valid event
	}
	return method(c.Sampling, accounting.ClippedSum{NoiseMultiplier: c.NoiseMultiplier}, count)
}

// Builtin reports whether a [Clipping] or an [Optimizer] is one of this package.
func Builtin(value any) bool {
	switch value.(type) {
	case FlatClipping, AutomaticClipping, PerLayerClipping, SGD, Adam, AdamBC:
		return true
	}
	return false
}
