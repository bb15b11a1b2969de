package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Canary is one more example, which the data of some replicas hold. It is given as one of
// Gradient, GradientAt, Example. It takes part in steps like any other, by coins of its own:
// see [Sampling].
type Canary struct {
	// Gradient is what the canary adds to the sum, whatever the weights are: of length
	// Model.Size(), L2 norm at most the ClipNorm of every replica that has it.
	Gradient []float64

	// GradientAt is Gradient for each step and replica. It must be the same each time it is
	// asked. An adversary of the hidden state decides it before training, so that it does
	// not see the weights. It may be called from several goroutines.
	GradientAt func(step, replica int) []float64

	// Example is an example as those of the data, whose gradient is computed and clipped as
	// theirs are.
	Example *Example

	In []bool // of length R: whether the replica's data hold the canary

	// At returns whether the canary may take part in a step. Nil is as the example at the place
	// after the last row. Where batches are secret, it takes part in such a step by its coins;
	// where they are not, as with FixedBatches, it does. Plan.CanaryEvent is what that costs.
	At func(step int) bool
}

// Example is one row of data.
type Example struct {
	Features []float32
	Label    int32
}

// CanaryEvent returns what the run of one replica does to the canary: what a lower bound
// of an audit is compared with. It is Config.Event, unless At leaves out steps or, with
// fixed batches, adds them. It is not valid if the canary takes part in no step, or if the
// plan has no such replica or no canary.
func (p Plan) CanaryEvent(replica int) accounting.Event {
	if p.Canary == nil || replica < 0 || replica >= len(p.Replicas) {
		return accounting.SelfComposed{}
	}
	c := p.Replicas[replica]
	if p.Canary.At == nil {
		return c.Event()
	}
	count := 0
	for t := range c.Steps {
		if p.Canary.At(t) {
			count++
		}
	}
	return c.eventOf(Sampling.Chosen, count)
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

const normRounding = 1e-6 // relative; a norm that equals C up to rounding is meant to be C

// CanaryGradient returns what [Canary] adds to the sum of a replica at a step, size numbers, or an
// error if it adds more than the replica's ClipNorm. The plan must have a canary that is a gradient.
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
