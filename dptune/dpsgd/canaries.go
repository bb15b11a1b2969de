package dpsgd

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// Canaries are m canaries in one training. Each is in the data of some replicas and missing from
// the others, and an audit in one run compares the two. Give exactly one of Coordinates, Gradients
// and Examples.
//
// Canary i takes part in steps as the example at place n+i of the data would, where n is the number
// of rows. Under Poisson sampling and random allocation it has its own coins. In a full batch it
// always takes part. A run treats a canary like any example, so its event is Config.Event. Canaries
// do not change what the run does to the other examples, unless they depend on them. Crafted
// gradients are not part of batches, so Plan.SharedBatches is allowed with them.
type Canaries struct {
	Coordinates []int       // distinct weights: canary i is a gradient of L2 norm ClipNorm along weight Coordinates[i]
	Gradients   [][]float64 // what canary i adds to the sum, for any weights; its norm is in (0, ClipNorm]
	Examples    []Example   // like rows of the data: their gradients are computed and clipped

	In [][]bool // [R][m]: whether the data of replica r hold canary i
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
	errs.Add(p.validateTakesCanaries())
	errs.That(p.Canary == nil, "Plan.Canary", "is given", "must be nil with Plan.Canaries")
	errs.That(!p.SharedBatches || len(c.Examples) == 0, "Plan.SharedBatches", p.SharedBatches, "must be false with Plan.Canaries.Examples, which are in batches")
	given := 0
	for _, length := range []int{len(c.Coordinates), len(c.Gradients), len(c.Examples)} {
		if length > 0 {
			given++
		}
	}
	if given != 1 {
		errs.Add(fmt.Errorf("dpsgd: Plan.Canaries has %d of Coordinates, Gradients, Examples: must have exactly one, not empty", given))
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
