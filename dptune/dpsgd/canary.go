package dpsgd

import (
	"fmt"
	"slices"

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
// has no such replica or no canary. It is the same for each of many canaries.
func (p Plan) CanaryEvent(replica int) accounting.Event {
	if p.Canary == nil && p.Canaries.Len() == 0 || replica < 0 || replica >= len(p.Replicas) {
		return accounting.SelfComposed{}
	}
	c, at := p.Replicas[replica], p.canaryAt()
	if at == nil {
		return c.Event()
	}
	chosen := []int{}
	for t := range c.Steps {
		if at(t) {
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

// canaryAt returns At of the canary or the canaries.
func (p Plan) canaryAt() func(step int) bool {
	if p.Canaries.Len() > 0 {
		return p.Canaries.At
	}
	return p.Canary.At
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
	errs.OneOf("Plan.Canary", "Gradient, GradientAt, Example", c.Gradient != nil, c.GradientAt != nil, c.Example != nil)
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

// Canaries are m canaries in one training. Each is in the data of some replicas and missing from
// the others, and an audit in one run compares the two. Give exactly one of Coordinates, Gradients
// and Examples.
//
// Canary i takes part in steps as the example at place n+i of the data would, where n is the number
// of rows. Under Poisson sampling and random allocation it has its own coins. In a full batch it
// always takes part. A run treats a canary like any example, so its event is Config.Event. Canaries
// do not change what the run does to the other examples, unless they depend on them. Crafted
// gradients are not part of batches, so Plan.SharedBatches is allowed with them. With At,
// Plan.CanaryEvent is the event of a canary.
type Canaries struct {
	Coordinates []int       // distinct weights: canary i is a gradient of L2 norm ClipNorm along weight Coordinates[i]
	Gradients   [][]float64 // what canary i adds to the sum, for any weights; its norm is in (0, ClipNorm]
	Examples    []Example   // like rows of the data: their gradients are computed and clipped

	In [][]bool // [R][m]: whether the data of replica r hold canary i

	// At reports whether the canaries may take part in a step, as [Canary].At does.
	At func(step int) bool
}

// Len returns m, or 0 without canaries.
func (c *Canaries) Len() int {
	if c == nil {
		return 0
	}
	return max(len(c.Coordinates), len(c.Gradients), len(c.Examples))
}

// clone returns a copy. Features are shared with the caller, as those of the data are.
func (c *Canaries) clone() Canaries {
	return Canaries{Coordinates: slices.Clone(c.Coordinates), Gradients: cloned(c.Gradients), Examples: slices.Clone(c.Examples), In: cloned(c.In), At: c.At}
}

func cloned[T any](rows [][]T) [][]T {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i] = slices.Clone(rows[i])
	}
	return rows
}

func (p Plan) validateCanaries(size int) error {
	c := p.Canaries
	if c == nil {
		return nil
	}
	errs := check.In("dpsgd: ")
	errs.Add(p.validateTakesCanaries())
	errs.That(p.Canary == nil, "Plan.Canary", "is given", "must be nil with Plan.Canaries")
	errs.That(!p.SharedBatches || len(c.Examples) == 0, "Plan.SharedBatches", p.SharedBatches, "must be false with Plan.Canaries.Examples, which are in batches")
	if !errs.OneOf("Plan.Canaries", "Coordinates, Gradients, Examples", len(c.Coordinates) > 0, len(c.Gradients) > 0, len(c.Examples) > 0) {
		return errs.Err()
	}
	errs.That(len(c.In) == len(p.Replicas), "length of Plan.Canaries.In", len(c.In), fmt.Sprintf("must be %d, one for each replica", len(p.Replicas)))
	for r, in := range c.In {
		errs.That(len(in) == c.Len(), fmt.Sprintf("length of Plan.Canaries.In[%d]", r), len(in), fmt.Sprintf("must be %d, one for each canary", c.Len()))
	}
	errs.Add(c.validateCoordinates(size))
	for i, gradient := range c.Gradients {
		errs.Add(p.validateCanaryGradient(fmt.Sprintf("Plan.Canaries.Gradients[%d]", i), gradient, size))
	}
	for r, config := range p.Replicas {
		errs.That(len(c.Coordinates) == 0 || config.clips(), fmt.Sprintf("Plan.Replicas[%d].ClipNorm", r), config.ClipNorm,
			"must be > 0 with Plan.Canaries.Coordinates, since it is their norm")
	}
	return errs.Err()
}

func (c *Canaries) validateCoordinates(size int) error {
	errs := check.In("dpsgd: ")
	first := map[int]int{}
	for i, at := range c.Coordinates {
		name := fmt.Sprintf("Plan.Canaries.Coordinates[%d]", i)
		errs.That(at >= 0 && at < size, name, at, fmt.Sprintf("must be in [0, %d), the number of parameters", size))
		if j, twice := first[at]; twice {
			errs.That(false, name, at, fmt.Sprintf("is also that of canary %d: must differ, or their scores are equal", j))
		}
		first[at] = i
	}
	return errs.Err()
}

// validateCanaryGradient checks a gradient for all replicas. Their event rests on its norm. A
// gradient of norm 0 is not a canary.
func (p Plan) validateCanaryGradient(name string, gradient []float64, size int) error {
	if err := validateVector(name, gradient, size); err != nil {
		return err
	}
	length := norm(gradient)
	for r, c := range p.Replicas {
		if c.clips() && length > c.ClipNorm*(1+normRounding) {
			return fmt.Errorf("dpsgd: %s has norm %g: must be at most ClipNorm %g of replica %d", name, length, c.ClipNorm, r)
		}
	}
	if length == 0 {
		return fmt.Errorf("dpsgd: %s has norm 0: must be > 0", name)
	}
	return nil
}
