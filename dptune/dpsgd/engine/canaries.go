package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

// gradientsMove reports whether the sum of crafted gradients may change from step to step.
func (p prepared) gradientsMove() bool {
	if p.Canaries != nil {
		return p.canariesMove()
	}
	return p.Canary.GradientAt != nil
}

// craftedSums returns the constant sums of crafted gradients: [1, P] of one canary, [R, P] of many.
func (p prepared) craftedSums(first, replicas, size int) [][]float64 {
	if p.Canaries != nil {
		return p.canarySums(first, replicas, size)
	}
	return [][]float64{p.Canary.Gradient}
}

// joins reports whether the canary takes part in a step of a replica.
func (p prepared) joins(root streams.Root, replica, step, examples int) (bool, error) {
	canary, c := p.Canary, p.Replicas[replica].At(step)
	if !canary.In[replica] || canary.At != nil && !canary.At(step) {
		return false, nil
	}
	if canary.At != nil && !c.Sampling.Secret() {
		return true, nil
	}
	joined, err := c.Sampling.Canaries(root.Child("canary"), step, examples, 1)
	return len(joined) == 1, err
}

// hasCraftedGradient reports whether there are canaries that are not rows of the data.
func (p prepared) hasCraftedGradient() bool {
	return p.Canaries.Len() > 0 && len(p.Canaries.Examples) == 0 || p.Canary != nil && p.Canary.Example == nil
}

// sharesExample reports whether a batch that all replicas see may hold an example that some of
// them do not have.
func (p prepared) sharesExample() bool {
	return p.SharedBatches && p.Canary != nil && p.Canary.Example != nil
}

// craftedJoins reports whether a replica has the canary at a step. It is true with many canaries:
// their sum may be zero.
func (t *Replicas) craftedJoins(root streams.Root, replica, step int) (bool, error) {
	if t.plan.Canary == nil {
		return true, nil
	}
	joins, err := t.plan.joins(root, replica, step, t.examples)
	return joins, drawing(step, err)
}

// drawing adds the step to an error, unless it is nil.
func drawing(step int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("engine: drawing the canaries of step %d: %w", step, err)
}

// craftedGradient writes the sum of a replica's crafted gradients at a step into a row of zeros.
func (t *Replicas) craftedGradient(root streams.Root, replica, step int, row []float64) error {
	if t.plan.Canaries != nil {
		joined, err := t.plan.canariesAt(root, replica, step, t.examples)
		if err != nil {
			return drawing(step, err)
		}
		t.plan.addCanaries(row, replica, joined)
		return nil
	}
	gradient, err := t.plan.CanaryGradient(step, replica, t.size)
	copy(row, gradient)
	return err
}

// craftedRows returns the rows of the crafted examples that join a replica's batch. They are after
// the rows of the data.
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

// validateExample returns an error that begins with name unless the example could be a row of the
// data.
func validateExample(x dpsgd.Example, d data.Dataset, name string) error {
	if len(x.Features) != d.Width() {
		return fmt.Errorf("engine: %s.Features has length %d: must be %d, as in the data", name, len(x.Features), d.Width())
	}
	for i, v := range x.Features {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("engine: %s.Features[%d] is %g: must be finite", name, i, v)
		}
	}
	if x.Label < 0 || int(x.Label) >= d.Classes {
		return fmt.Errorf("engine: %s.Label %d: must be in [0, %d)", name, x.Label, d.Classes)
	}
	if len(x.Targets) != d.TargetWidth() {
		return fmt.Errorf("engine: %s.Targets has length %d: must be %d, as in the data", name, len(x.Targets), d.TargetWidth())
	}
	for i, v := range x.Targets {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("engine: %s.Targets[%d] is %g: must be finite", name, i, v)
		}
	}
	return nil
}

// withExample returns the data with a crafted example as one more row, if there is one.
func (p prepared) withExample(d data.Dataset) (data.Dataset, error) {
	if p.Canary == nil || p.Canary.Example == nil {
		return d, nil
	}
	x := p.Canary.Example
	if err := validateExample(*x, d, "Plan.Canary.Example"); err != nil {
		return d, err
	}
	return withRow(ownRows(d), *x), nil
}

// canaryRows returns how many canaries are rows of the data.
func (p prepared) canaryRows() int {
	if p.Canaries == nil {
		return 0
	}
	return len(p.Canaries.Examples)
}

// canaryRowsOf returns how many of them are in a replica's data.
func (p prepared) canaryRowsOf(replica int) int {
	count := 0
	for i := range p.canaryRows() {
		if p.Canaries.In[replica][i] {
			count++
		}
	}
	return count
}

// canariesMove reports whether the sum of the canaries may change from step to step.
func (p prepared) canariesMove() bool {
	return p.Canaries.At != nil || p.some(func(c dpsgd.Config) bool {
		return c.Sampling.Share() < 1 || slices.ContainsFunc(c.Phases, func(q dpsgd.Phase) bool { return q.SamplingRate > 0 })
	})
}

// addCanaries adds the gradients of some canaries to a sum, at a replica's clip norm.
func (p prepared) addCanaries(sum []float64, replica int, joined []int32) {
	c := p.Canaries
	for _, i := range joined {
		if c.Coordinates != nil {
			sum[c.Coordinates[i]] += p.Replicas[replica].ClipNorm
			continue
		}
		for k, v := range c.Gradients[i] {
			sum[k] += v
		}
	}
}

// canarySums returns [R, P], the constant sums of the canaries of some replicas.
func (p prepared) canarySums(first, replicas, size int) [][]float64 {
	sums := arrays.Zeros(replicas, size)
	for r := range sums {
		var all []int32
		for i, in := range p.Canaries.In[first+r] {
			if in {
				all = append(all, int32(i))
			}
		}
		p.addCanaries(sums[r], first+r, all)
	}
	return sums
}

// canariesAt returns the canaries that join a step of a replica. The coins of one do not depend on
// the others.
func (p prepared) canariesAt(root streams.Root, replica, step, examples int) (joined []int32, err error) {
	in, at, sampling := p.Canaries.In[replica], p.Canaries.At, p.Replicas[replica].At(step).Sampling
	var drawn []int32
	switch {
	case at != nil && !at(step):
	case at != nil && !sampling.Secret():
		for i := range in {
			drawn = append(drawn, int32(i))
		}
	default:
		drawn, err = sampling.Canaries(root.Child("canary"), step, examples, len(in))
	}
	for _, i := range drawn {
		if in[i] {
			joined = append(joined, i)
		}
	}
	return joined, err
}

// withCanaries returns the data with crafted examples as further rows, if there are some.
func (p prepared) withCanaries(d data.Dataset) (data.Dataset, error) {
	if p.Canaries == nil {
		return p.withExample(d)
	}
	for i, x := range p.Canaries.Examples {
		if err := validateExample(x, d, fmt.Sprintf("Plan.Canaries.Examples[%d]", i)); err != nil {
			return d, err
		}
		if i == 0 { // into new memory
			d = ownRows(d)
		}
		d = withRow(d, x)
	}
	return d, nil
}

// ownRows returns the data such that a further row goes into new memory.
func ownRows(d data.Dataset) data.Dataset {
	d.Features, d.Labels, d.Targets = slices.Clip(d.Features), slices.Clip(d.Labels), slices.Clip(d.Targets)
	return d
}

// withRow returns the data with one more row.
func withRow(d data.Dataset, x dpsgd.Example) data.Dataset {
	d.Features, d.Labels, d.Targets = append(d.Features, x.Features...), append(d.Labels, x.Label), append(d.Targets, x.Targets...)
	return d
}

// largestBatch returns the likely size of the largest batch of a replica.
func (p prepared) largestBatch(examples int) float64 {
	largest := 0.0
	for r, c := range p.Replicas {
		if p.Own != nil { // as in Poisson sampling
			largest = max(largest, min(float64(examples), c.ExpectedBatchSize+2*math.Sqrt(c.ExpectedBatchSize)))
			continue
		}
		eachPhase(c, func(phase dpsgd.Config) {
			largest = max(largest, phase.Sampling.LikelyBatch(examples+p.canaryRowsOf(r)))
		})
	}
	if p.Canary != nil && p.Canary.Example != nil {
		largest++
	}
	return largest
}

// eachPhase calls do with the config of each phase of a run, or with its only one.
func eachPhase(c dpsgd.Config, do func(phase dpsgd.Config)) {
	if len(c.Phases) == 0 {
		do(c)
	}
	step := 0
	for _, phase := range c.Phases {
		do(c.At(step))
		step += phase.Steps
	}
}
