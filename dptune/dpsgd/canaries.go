package dpsgd

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// Canaries are m canaries in one training, each in the data of some replicas and not of others: what
// an audit in one run compares. They are given as one of Coordinates, Gradients, Examples.
//
// Canary i takes part in steps as the example at place n+i of the data would, n the number of
// rows: under Poisson sampling by a coin of its own, in a full batch always. What the run does to it is
// what it does to any example, Config.Event; and what it does to the examples is not changed by
// canaries that do not come from them. Crafted gradients leave batches alone, which may then be Plan.SharedBatches.
type Canaries struct {
	Coordinates []int       // weights, all different: canary i is a gradient of L2 norm ClipNorm along one
	Gradients   [][]float64 // what canary i adds to the sum, whatever the weights are, of norm above 0 and at most ClipNorm
	Examples    []Example   // as those of the data, whose gradients are computed and clipped as theirs are

	In [][]bool // [R][m]: whether a replica's data hold the canary
}

// Len returns m, and 0 if there are none.
func (c *Canaries) Len() int {
	if c == nil {
		return 0
	}
	return max(len(c.Coordinates), len(c.Gradients), len(c.Examples))
}

// clone returns a copy. Features stay those of the caller, as the data's do.
func (c *Canaries) clone() Canaries {
	return Canaries{Coordinates: slices.Clone(c.Coordinates), Gradients: cloned(c.Gradients), Examples: slices.Clone(c.Examples), In: cloned(c.In)}
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
	errs.That(p.Canary == nil, "Plan.Canary", "is given", "must be nil with Plan.Canaries")
	errs.That(!p.SharedBatches || len(c.Examples) == 0, "Plan.SharedBatches", p.SharedBatches, "must be false with Plan.Canaries.Examples, which batches hold")
	given := 0
	for _, length := range []int{len(c.Coordinates), len(c.Gradients), len(c.Examples)} {
		if length > 0 {
			given++
		}
	}
	if given != 1 {
		errs.Add(fmt.Errorf("dpsgd: Plan.Canaries has %d of Coordinates, Gradients, Examples: must have exactly one, with at least one canary", given))
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
			"must be > 0 with Plan.Canaries.Coordinates, whose norm it is")
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
			errs.That(false, name, at, fmt.Sprintf("must be its own, it is that of canary %d, and their scores could not be told apart", j))
		}
		first[at] = i
	}
	return errs.Err()
}

// validateCanaryGradient checks a gradient for all replicas: their event rests on its norm, and one of norm 0 is no canary.
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
		return fmt.Errorf("dpsgd: %s has norm 0: must be > 0, it would leave no trace", name)
	}
	return nil
}
