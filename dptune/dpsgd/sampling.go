package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/planted"
	"github.com/dplab/dplab/dptune/dpsgd/internal/sampling"
)

// Sampling says which examples take part in a step. The zero value is Poisson sampling.
//
// It is not open as [Clipping] and [Optimizer] are, whose faults the engine finds or caps. A rule of yours would state its event, and no
// trial tells whether that is true: what amplification rests on, that the coins are independent of each other and of the data, is no property of
// a batch that was drawn, and a rule whose coins depend on each other draws batches that look like any other. What could be
// opened is a rule that only states chances, one for each step: the engine would then toss the coins, those of canaries too, and
// derive the event itself.
//
// Shuffling is left out on purpose: its privacy is not that of any of these.
type Sampling struct {
	Scheme SamplingScheme
	Period int // k >= 1 of FixedBatches, and 0 otherwise
}

// SamplingScheme selects which examples take part in a step.
type SamplingScheme int

const (
	// PoissonSampling lets each example join each step independently with chance
	// SamplingRate. Who joined is secret, and the event rests on that.
	PoissonSampling SamplingScheme = iota

	// FullBatch lets every example join every step. SamplingRate must be 0. The event is T
	// Gaussians: there is no secret but the noise.
	FullBatch

	// FixedBatches lets the example at index i join the steps t with t ≡ i (mod Period),
	// which splits the data into k = Period batches that follow each other in a circle: for
	// data of k·b rows each has b. SamplingRate must be 0.
	//
	// The adversary may know all batches: nothing is gained by sampling. An example takes
	// part in at most ⌈T/k⌉ steps, and the other steps see it through their starting weights
	// only, so that the event is ⌈T/k⌉ Gaussians, also for who sees every step's weights.
	// This is the setting of audits in the hidden-state model, whose question is what hiding
	// those weights is worth (Cebere et al. (2024), arXiv:2405.14457, Section 4).
	//
	// Neighboring data sets differ in one example whose place is empty in one of them: no
	// other example moves to another batch. The order of the rows must not depend on the
	// data, for instance be drawn beforehand.
	FixedBatches
)

var schemeNames = []string{"PoissonSampling", "FullBatch", "FixedBatches"}

// String returns the name of the scheme.
func (s SamplingScheme) String() string {
	if s < 0 || int(s) >= len(schemeNames) {
		return fmt.Sprintf("SamplingScheme(%d)", int(s))
	}
	return schemeNames[s]
}

// validate adds the faults of the sampling with a rate.
func (s Sampling) validate(f *check.Faults, rate float64) {
	switch s.Scheme {
	case PoissonSampling:
		f.Number("SamplingRate", rate, check.Rate)
	case FullBatch, FixedBatches:
		f.That(rate == 0, "SamplingRate", rate, fmt.Sprintf("must be 0 when Sampling.Scheme is %v", s.Scheme))
	default:
		f.That(false, "Sampling.Scheme", s.Scheme, "must be PoissonSampling, FullBatch or FixedBatches")
	}
	if s.Scheme == FixedBatches {
		f.Count("Sampling.Period", s.Period, 1)
	} else {
		f.That(s.Period == 0, "Sampling.Period", s.Period, "must be 0 unless Sampling.Scheme is FixedBatches")
	}
}

// fixed returns the order of the batches, for schemes that have one.
func (s Sampling) fixed() (sampling.Fixed, bool) {
	switch s.Scheme {
	case FullBatch:
		return sampling.Fixed{Period: 1}, true
	case FixedBatches:
		return sampling.Fixed{Period: s.Period}, true
	}
	return sampling.Fixed{}, false
}

// expectedRate returns the mean share of the examples that takes part in a step.
func (c Config) expectedRate() float64 {
	if fixed, ok := c.Sampling.fixed(); ok {
		return 1 / float64(max(fixed.Period, 1))
	}
	return c.SamplingRate
}

// likelyBatch returns the largest size of a batch of so many examples; under Poisson
// sampling, the mean size and two standard deviations.
func (c Config) likelyBatch(examples int) float64 {
	n, rate := float64(examples), c.expectedRate()
	if c.Sampling.Scheme != PoissonSampling {
		return math.Ceil(n * rate)
	}
	return min(n*rate+2*math.Sqrt(n*rate*(1-rate)), n)
}

// batch returns the examples of step t among n. The config must be valid.
func (c Config) batch(rng *rand.Rand, t, n int) ([]int32, error) {
	if fixed, ok := c.Sampling.fixed(); ok {
		return fixed.Batch(t, n)
	}
	return sampling.Poisson{Rate: planted.InRate(c.SamplingRate)}.Draw(rng, n)
}

// Event returns what the run does to any one example, for an accountant. Its Validate fails
// if the config's would on σ, T or the sampling.
func (c Config) Event() accounting.Event { return c.EventAfter(c.Steps) }

// EventAfter returns what the first steps of the run do, as Event does for all of them.
func (c Config) EventAfter(steps int) accounting.Event {
	if fixed, ok := c.Sampling.fixed(); ok {
		return c.eventOf(participations(steps, fixed.Period))
	}
	return c.eventOf(steps)
}

// participations returns ⌈T/k⌉, and 0 if T or k is not positive.
func participations(steps, period int) int {
	if steps < 1 || period < 1 {
		return 0
	}
	return (steps-1)/period + 1
}

// eventOf returns the event of an example that may join count steps.
func (c Config) eventOf(count int) accounting.Event {
	if c.NonPrivate {
		return accounting.NonPrivate{}
	}
	var one accounting.Event = accounting.Gaussian{NoiseMultiplier: c.NoiseMultiplier}
	switch c.Sampling.Scheme {
	case PoissonSampling:
		one = accounting.PoissonSampled{SamplingRate: c.SamplingRate, Event: one}
	case FullBatch, FixedBatches:
	default:
		one = nil // not a valid event
	}
	return accounting.SelfComposed{Event: one, Count: count}
}
