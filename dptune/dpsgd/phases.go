package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/rounded"
)

// Phase is a part of a run with its own noise and sampling rate: see Config.Phases. Weights, the
// optimizer's slots, Plan.Schedule and the count of steps continue from phase to phase.
type Phase struct {
	Steps int // at least 1. Required.

	// NoiseFactor multiplies Config.NoiseMultiplier, so [Config.Calibrate] scales the noise of all
	// phases. It is > 0, and 0 is 1.
	NoiseFactor float64 `json:",omitempty"`

	// SamplingRate is the rate of Poisson sampling in (0, 1]. 0 is that of Config.Sampling. The
	// divisor of sums changes in proportion: B is Config.ExpectedBatchSize at Config.Sampling.
	SamplingRate float64 `json:",omitempty"`
}

// The event of phases is the composition of their events. Given the weights before a phase, the
// phase is a run of its steps. Its noise and coins are independent of those before, since each step
// has its own streams. So this is adaptive composition of public mechanisms, in a fixed order.
// Schemes with state (such as RandomAllocation) and correlated noise tie steps together across a
// border of phases, and are refused.

// phase returns the config of one phase, by itself.
func (c Config) phase(i int) Config {
	p := c.Phases[i]
	c.Phases, c.Steps = nil, p.Steps
	if p.NoiseFactor != 0 {
		c.NoiseMultiplier *= p.NoiseFactor
	}
	if s, is := c.Sampling.(Poisson); is && p.SamplingRate != 0 && p.SamplingRate != s.Rate {
		c.ExpectedBatchSize *= p.SamplingRate / s.Rate
		c.Sampling = Poisson{Rate: p.SamplingRate}
	}
	return c
}

// At returns the config of the phase that a step in [0, Steps) is in, without Phases. It is the
// config itself if there are none. Its Steps are those of the phase.
func (c Config) At(step int) Config {
	for i, p := range c.Phases {
		if step < p.Steps || i == len(c.Phases)-1 {
			return c.phase(i)
		}
		step -= p.Steps
	}
	return c
}

// sameBatches reports whether two phases draw the same batches.
func sameBatches(p, q Phase) bool { return p.Steps == q.Steps && p.SamplingRate == q.SamplingRate }

// inPhases returns how many of some steps, given in ascending order, are in each phase.
func (c Config) inPhases(steps []int) []int {
	counts, end, at := make([]int, len(c.Phases)), 0, 0
	for i, p := range c.Phases {
		end += p.Steps
		for ; at < len(steps) && steps[at] < end; at++ {
			counts[i]++
		}
	}
	return counts
}

// first returns the config of the first steps of the run.
func (c Config) first(steps int) Config {
	c.Steps = steps
	var phases []Phase
	for _, p := range c.Phases {
		if p.Steps = min(p.Steps, steps); p.Steps > 0 {
			phases = append(phases, p)
		}
		steps -= p.Steps
	}
	c.Phases = phases
	return c
}

// phasedEvent composes the events of phases. event returns that of a number of steps of a phase.
// The event is not valid if the phases are not, or no steps are chosen.
func (c Config) phasedEvent(counts []int, event func(phase Config, count int) accounting.Event) accounting.Event {
	f := check.In("")
	if c.validatePhases(f); f.Err() != nil {
		return accounting.SelfComposed{}
	}
	var list []accounting.Event
	for i, count := range counts {
		if count > 0 {
			list = append(list, event(c.phase(i), count))
		}
	}
	switch len(list) {
	case 0:
		return accounting.SelfComposed{}
	case 1:
		return list[0]
	}
	return accounting.Composed{Events: list}
}

// validatePhases adds the faults of Phases.
func (c Config) validatePhases(f *check.Faults) {
	if len(c.Phases) == 0 {
		return
	}
	_, poisson := c.Sampling.(Poisson)
	_, full := c.Sampling.(FullBatch)
	f.That(poisson || full, "Phases", fmt.Sprintf("are given with %v", c.Sampling), "must be nil unless Sampling is Poisson or FullBatch")
	f.That(c.Noise == nil, "Phases", "are given with correlated Noise", "must be nil with Noise")
	total := 0
	for i, p := range c.Phases {
		name := fmt.Sprintf("Phases[%d].", i)
		f.Count(name+"Steps", p.Steps, 1)
		total += max(0, p.Steps)
		if p.NoiseFactor != 0 {
			f.Number(name+"NoiseFactor", p.NoiseFactor, check.Positive.With("(0 for 1)"))
			f.That(!c.NonPrivate, name+"NoiseFactor", p.NoiseFactor, "must be 0 when NonPrivate is set")
		}
		if p.SamplingRate != 0 {
			f.Number(name+"SamplingRate", p.SamplingRate, check.Rate.With("(0 for that of Sampling)"))
			f.That(poisson, name+"SamplingRate", p.SamplingRate, "must be 0 unless Sampling is Poisson")
		}
		if std := c.phase(i).NoiseStdDev(); !c.NonPrivate && representable(c.NoiseStdDev()) {
			f.That(representable(std), name+"NoiseFactor: noise times ClipNorm", std, "must be in [1e-18, 1e18]")
		}
		if units := c.phase(i).NoiseMultiplier * float64(c.UnitsPerClip); c.integers() {
			f.That(!(units > rounded.MaxDeviation), name+"NoiseFactor: noise times UnitsPerClip", units, fmt.Sprintf("must be at most %d", rounded.MaxDeviation))
		}
	}
	f.That(total == c.Steps, "Phases", fmt.Sprintf("have %d steps", total), fmt.Sprintf("must have %d, as Steps", c.Steps))
}
