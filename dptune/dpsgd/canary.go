package dpsgd

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/streams"
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
		if err := p.validateGradient(c.gradient(0, r), size, 0, r); err != nil {
			return err
		}
	}
	if c.Gradient != nil {
		return validateVector("Plan.Canary.Gradient", c.Gradient, size)
	}
	return nil
}

// gradient returns the crafted gradient of a step and replica.
func (c Canary) gradient(step, replica int) []float64 {
	if c.GradientAt != nil {
		return c.GradientAt(step, replica)
	}
	return c.Gradient
}

const normRounding = 1e-6 // relative; a norm that equals C up to rounding is meant to be C

// gradientsMove reports whether what crafted gradients add to the sum may change from step to step.
func (p Plan) gradientsMove() bool {
	if p.Canaries != nil {
		return p.canariesMove()
	}
	return p.Canary.GradientAt != nil
}

// craftedSums returns what does not move: [1, P] of one canary, [R, P] of many.
func (p Plan) craftedSums(first, replicas, size int) [][]float64 {
	if p.Canaries != nil {
		return p.canarySums(first, replicas, size)
	}
	return [][]float64{p.Canary.Gradient}
}

// validateGradient checks the length and the norm of a crafted gradient.
func (p Plan) validateGradient(gradient []float64, size, step, replica int) error {
	name := "Plan.Canary.Gradient"
	if p.Canary.GradientAt != nil {
		name = fmt.Sprintf("Plan.Canary.GradientAt(%d, %d)", step, replica)
	}
	if err := validateVector(name, gradient, size); err != nil {
		return err
	}
	c := p.Replicas[replica]
	if norm := norm(gradient); c.clips() && norm > c.ClipNorm*(1+normRounding) {
		return fmt.Errorf("dpsgd: %s has norm %g: must be at most ClipNorm %g of replica %d", name, norm, c.ClipNorm, replica)
	}
	return nil
}

// joins reports whether the canary takes part in a step of a replica.
func (p Plan) joins(root streams.Root, replica, step, examples int) (bool, error) {
	canary, c := p.Canary, p.Replicas[replica]
	if !canary.In[replica] || canary.At != nil && !canary.At(step) {
		return false, nil
	}
	if canary.At != nil && !c.Sampling.Secret() {
		return true, nil
	}
	joined, err := c.Sampling.Canaries(root.Child("canary"), step, examples, 1)
	return len(joined) == 1, err
}

// hasCraftedGradient reports whether there are canaries that are not simply rows of the data.
func (p Plan) hasCraftedGradient() bool {
	return p.Canaries.crafted() || p.Canary != nil && p.Canary.Example == nil
}

// sharesExample reports whether a batch that all replicas see may hold an example that some of
// them do not have.
func (p Plan) sharesExample() bool {
	return p.SharedBatches && p.Canary != nil && p.Canary.Example != nil
}

// craftedJoins reports whether a replica has the canary at a step, or the sum of many, which may be zero.
func (t *Replicas) craftedJoins(root streams.Root, replica, step int) (bool, error) {
	if t.plan.Canary == nil {
		return true, nil
	}
	joins, err := t.plan.joins(root, replica, step, t.examples)
	return joins, drawing(step, err)
}

// drawing names what failed at a step, unless err is nil.
func drawing(step int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dpsgd: drawing the canaries of step %d: %w", step, err)
}

// craftedGradient writes what crafted gradients add to a replica's sum at a step into a row of zeros.
func (t *Replicas) craftedGradient(root streams.Root, replica, step int, row []float64) error {
	if t.plan.Canaries != nil {
		joined, err := t.plan.canariesAt(root, replica, step, t.examples)
		if err != nil {
			return drawing(step, err)
		}
		t.plan.addCanaries(row, replica, joined)
		return nil
	}
	gradient := t.plan.Canary.GradientAt(step, replica)
	if err := t.plan.validateGradient(gradient, t.size, step, replica); err != nil {
		return err
	}
	copy(row, gradient)
	return nil
}

// craftedRows returns the crafted examples, rows after those of the data, that join a replica's batch.
func (t *Replicas) craftedRows(root streams.Root, replica, step int) ([]int32, error) {
	n := int32(t.examples)
	if t.plan.canaryRows() > 0 {
		rows, err := t.plan.canariesAt(root, replica, step, t.examples)
		for i := range rows {
			rows[i] += n
		}
		return rows, drawing(step, err)
	}
	if t.plan.Canary == nil || t.plan.Canary.Example == nil {
		return nil, nil
	}
	joins, err := t.plan.joins(root, replica, step, t.examples)
	if err != nil || !joins {
		return nil, drawing(step, err)
	}
	return []int32{n}, nil
}

// validateFor returns an error, with the example's name, unless it could be a row of the data.
func (x Example) validateFor(d data.Dataset, name string) error {
	if len(x.Features) != d.Width() {
		return fmt.Errorf("dpsgd: %s.Features has length %d: must be %d, as in the data", name, len(x.Features), d.Width())
	}
	for i, v := range x.Features {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("dpsgd: %s.Features[%d] is %g: must be finite", name, i, v)
		}
	}
	if x.Label < 0 || int(x.Label) >= d.Classes {
		return fmt.Errorf("dpsgd: %s.Label %d: must be in [0, %d)", name, x.Label, d.Classes)
	}
	return nil
}

// withExample returns the data with a crafted example as one more row, if there is one.
func (p Plan) withExample(d data.Dataset) (data.Dataset, error) {
	if p.Canary == nil || p.Canary.Example == nil {
		return d, nil
	}
	x := p.Canary.Example
	if err := x.validateFor(d, "Plan.Canary.Example"); err != nil {
		return d, err
	}
	n := d.Len()
	d.Features = append(d.Features[:n*d.Width():n*d.Width()], x.Features...)
	d.Labels = append(d.Labels[:n:n], x.Label)
	return d, nil
}
