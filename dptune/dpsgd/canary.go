package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Canary is one more example in the data of some replicas. Give exactly one of Gradient, GradientAt
// and Example. It takes part in steps like any other example, by its own coins: see [Sampling].
type Canary struct {
	// Gradient is what the canary adds to the sum, for any weights. Its length is Model.Size(), and
	// its L2 norm at most the ClipNorm of every replica that has it.
	Gradient []float64

	// GradientAt is Gradient for each step and replica. It must return the same values in every
	// call. In the hidden-state model the adversary fixes it before training and never sees the
	// weights. It may be called from several goroutines.
	GradientAt func(step, replica int) []float64

	// Example is like a row of the data: its gradient is computed and clipped.
	Example *Example

	In []bool // [R]: whether the data of replica r hold the canary

	// At reports whether the canary may take part in a step. If batches are secret, the canary
	// takes part in such a step by its coins. If they are not, as with FixedBatches, it always
	// takes part. Nil treats the canary as an example at the place after the last row.
	// Plan.CanaryEvent is the event of this.
	At func(step int) bool
}

// Example is one row of data.
type Example struct {
	Features []float32
	Label    int32
	Targets  []float32 `json:",omitempty"` // as data.Dataset.Targets has them; nil without targets
}

// CanaryEvent returns the event of one replica's run for the canary. An audit compares its lower
// bound with the ε of this event. It is Config.Event, unless At leaves out steps or, with fixed
// batches, adds steps. The event is not valid if the canary takes part in no step, or if the plan
// has no such replica or no canary.
func (p Plan) CanaryEvent(replica int) accounting.Event {
	if p.Canary == nil || replica < 0 || replica >= len(p.Replicas) {
		return accounting.SelfComposed{}
	}
	c := p.Replicas[replica]
	if p.Canary.At == nil {
		return c.Event()
	}
	chosen := []int{}
	for t := range c.Steps {
		if p.Canary.At(t) {
			chosen = append(chosen, t)
		}
	}
	if len(c.Phases) > 0 && !c.NonPrivate {
		return c.phasedEvent(c.inPhases(chosen), func(phase Config, count int) accounting.Event {
			return phase.eventOf(Sampling.Chosen, count)
		})
	}
	if c.Noise != nil && !c.NonPrivate {
		return c.correlatedEvent(c.Steps, chosen)
	}
	return c.eventOf(func(s Sampling, release accounting.Event, _ int) accounting.Event {
		return chosenOf(s, release, chosen)
	}, len(chosen))
}

// chosenOf returns the event of a run for an example that can take part in only these steps of a
// scheme, chosen beforehand.
func chosenOf(s Sampling, release accounting.Event, steps []int) accounting.Event {
	a, is := s.(interface {
		chosenAt(release accounting.Event, steps []int) accounting.Event
	})
	if is && len(steps) > 0 && s.Validate(-1) == nil {
		return a.chosenAt(release, steps)
	}
	return s.Chosen(release, len(steps))
}

func (p Plan) validateCanary(size int) error {
	c := p.Canary
	if c == nil {
		return nil
	}
	errs := check.In("dpsgd: ")
	if len(c.In) != len(p.Replicas) {
		errs.Add(fmt.Errorf("dpsgd: Plan.Canary.In has length %d: must be %d, one for each replica", len(c.In), len(p.Replicas)))
	}
	given := 0
	for _, is := range []bool{c.Gradient != nil, c.GradientAt != nil, c.Example != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		errs.Add(fmt.Errorf("dpsgd: Plan.Canary has %d of Gradient, GradientAt, Example: must have exactly one", given))
	}
	errs.Add(p.validateTakesCanaries())
	if err := errs.Err(); err != nil {
		return err
	}
	for r := range p.Replicas {
		if !c.In[r] || c.Example != nil {
			continue
		}
		if _, err := p.CanaryGradient(0, r, size); err != nil {
			return err
		}
	}
	if c.Gradient != nil {
		return validateVector("Plan.Canary.Gradient", c.Gradient, size)
	}
	return nil
}

// validateTakesCanaries returns an error if a replica's sampling takes no canaries.
func (p Plan) validateTakesCanaries() error {
	errs := check.In("dpsgd: ")
	for r, config := range p.Replicas {
		_, cut := config.Sampling.(TruncatedPoisson)
		errs.That(!cut, fmt.Sprintf("Plan.Replicas[%d].Sampling", r), config.Sampling, "must be another scheme with canaries, which would take the place of others")
	}
	return errs.Err()
}

const normRounding = 1e-6 // relative; a norm equal to C up to rounding is accepted

// CanaryGradient returns the size numbers that [Canary] adds to the sum of a replica at a step. It
// returns an error if their norm is above the replica's ClipNorm. The plan must have a canary that
// is a gradient.
func (p Plan) CanaryGradient(step, replica, size int) ([]float64, error) {
	name, gradient := "Plan.Canary.Gradient", p.Canary.Gradient
	if p.Canary.GradientAt != nil {
		name, gradient = fmt.Sprintf("Plan.Canary.GradientAt(%d, %d)", step, replica), p.Canary.GradientAt(step, replica)
	}
	if err := validateVector(name, gradient, size); err != nil {
		return nil, err
	}
	c := p.Replicas[replica]
	if norm := norm(gradient); c.clips() && norm > c.ClipNorm*(1+normRounding) {
		return nil, fmt.Errorf("dpsgd: %s has norm %g: must be at most ClipNorm %g of replica %d", name, norm, c.ClipNorm, replica)
	}
	return gradient, nil
}
