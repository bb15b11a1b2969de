package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/internal/job"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/dpsgd/internal/toeplitz"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Replicas trains the models of a [dpsgd.Plan] as one program. It may run many times, also
// concurrently.
type Replicas struct {
	model     dpsgd.Model
	size      int // parameters of the model
	plan      prepared
	examples  int          // rows of the data, without crafted ones
	train     data.Dataset // with the rows of crafted examples
	perf      Performance
	backend   compute.Backend
	generator dpsgd.Generator // of the words of the noise
	program   program.Step
	programs  *job.Programs
	evaluator *Evaluator // of Plan.Evaluate; nil for none

	createFile checkpoint.Create // of checkpoints
}

// Plan returns the plan that runs.
func (t *Replicas) Plan() dpsgd.Plan { return t.plan.Clone() }

// Model returns the model that is trained.
func (t *Replicas) Model() dpsgd.Model { return t.model }

// Performance returns the settings in use, defaults filled in.
func (t *Replicas) Performance() Performance { return t.perf }

// prepared is a valid plan with the methods of the engine.
type prepared struct {
	dpsgd.Plan
	grown [][]float64 // [R][Steps], see growth; nil without correlated noise
}

// prepare returns a copy of a valid plan.
func prepare(given dpsgd.Plan) prepared {
	p := prepared{Plan: given.Clone()}
	for r, c := range p.Replicas {
		switch {
		case c.Noise == nil:
		case r > 0 && slices.Equal(c.Noise.Coefficients, p.Replicas[r-1].Noise.Coefficients):
			p.grown = append(p.grown, p.grown[r-1])
		default:
			p.grown = append(p.grown, grown(*c.Noise, c.Steps))
		}
	}
	return p
}

// grown returns the standard deviation of the noise of each of some steps, over that of z.
func grown(n dpsgd.CorrelatedNoise, steps int) []float64 {
	column := n.Coefficients // of C⁻¹
	if !n.Inverse {
		column = toeplitz.Inverse(column, steps)
	}
	list, sum := make([]float64, steps), 0.0
	for t := range list {
		if t < len(column) {
			sum += column[t] * column[t]
		}
		list[t] = math.Sqrt(sum)
	}
	return list
}

// optimizer returns the optimizer with the most slots. All replicas of the plan run its program.
func (p prepared) optimizer() dpsgd.Optimizer {
	most := p.Replicas[0].WithDefaults().Optimizer
	for _, c := range p.Replicas[1:] {
		if o := c.WithDefaults().Optimizer; o.Slots() > most.Slots() {
			most = o
		}
	}
	return most
}

func (p prepared) hasDecay() bool {
	return p.some(func(c dpsgd.Config) bool { return c.WeightDecay > 0 })
}

// some reports whether a condition holds for at least one replica.
func (p prepared) some(holds func(dpsgd.Config) bool) bool {
	return slices.ContainsFunc(p.Replicas, holds)
}

// numbers returns the numbers that move the weights of one replica at a step, counted from 0: 1-ηλ,
// and the coefficients of its optimizer. With Plan.Average, the share of the new weights in the
// average comes next. The last one, of an integer release, is its unit, C/B.
func (p prepared) numbers(replica, step int) []float64 {
	return p.numbersOf(p.update(replica, step), replica)
}

// numbersOf is numbers for a given description of the step.
func (p prepared) numbersOf(u dpsgd.Update, replica int) []float64 {
	c := p.Replicas[replica]
	row := append([]float64{1 - u.LearningRate*c.WeightDecay}, c.WithDefaults().Optimizer.Coefficients(u)...)
	if p.Average > 0 {
		row = append(row, shareOfLast(p.Average, u.Step+1))
	}
	if p.onGrid() {
		row = append(row, c.ClipNorm/float64(c.UnitsPerClip))
	}
	return row
}

// update describes a step of a replica to its optimizer.
func (p prepared) update(replica, step int) dpsgd.Update {
	c := p.Replicas[replica].At(step)
	return dpsgd.Update{
		Step: step, Steps: p.Replicas[0].Steps, LearningRate: p.Schedule.At(step) * c.LearningRate, ExpectedBatchSize: c.ExpectedBatchSize,
		LastBatchSize: p.Replicas[replica].At(max(0, step-1)).ExpectedBatchSize, ClipNorm: c.ClipNorm, NoiseStdDev: c.NoiseStdDev() * p.growth(replica, step),
	}
}

// growth returns the standard deviation of the noise of a step in units of σC. It is above 1 with
// correlated noise: the norm of the first step+1 numbers in the first column of C⁻¹.
func (p prepared) growth(replica, step int) float64 {
	if p.grown == nil {
		return 1
	}
	return p.grown[replica][step]
}

// shareOfLast returns the share of the last of count vectors in their average of decay β:
//
//	1 / (1 + β + ... + β^(count-1)) = (1-β)/(1-β^count)
//
// So a_t = a_(t-1) + share (w_t - a_(t-1)). The first share is 1 exactly, whatever a_0 is.
func shareOfLast(decay float64, count int) float64 {
	return (1 - decay) / (1 - math.Pow(decay, float64(count)))
}

// slots returns the number of arrays that Move keeps: those of the optimizer, and the average of
// the weights.
func (p prepared) slots() int {
	if p.Average > 0 {
		return p.optimizer().Slots() + 1
	}
	return p.optimizer().Slots()
}

// move returns the weights [R, P] after a step, and the slots. numbers is [R, K], see Plan.numbers.
func (p prepared) move(weights, noisy, numbers *graph.Node, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	columns := make([]*graph.Node, numbers.Shape().Dim(1))
	for i := range columns {
		columns[i] = kernel.Column(numbers, i)
	}
	if p.hasDecay() {
		weights = kernel.Scaled(weights, columns[0])
	}
	if p.onGrid() {
		columns = columns[:len(columns)-1]
	}
	if !(p.Average > 0) {
		return p.optimizer().Move(weights, noisy, columns[1:], slots)
	}
	last, average := len(columns)-1, slots[len(slots)-1]
	moved, kept := p.optimizer().Move(weights, noisy, columns[1:last], slots[:len(slots)-1])
	average = graph.Add(average, kernel.Scaled(graph.Sub(moved, average), columns[last]))
	return moved, append(slices.Clone(kept), average)
}

// validateNumbers checks the numbers that move a replica's weights at a step. All must be finite,
// and there must be want of them.
func (p prepared) validateNumbers(numbers []float64, want, replica, step int) error {
	if len(numbers) == want && allFinite(numbers) {
		return nil
	}
	return fmt.Errorf("engine: Plan.Replicas[%d].Optimizer %v: Coefficients are %v at step %d: must be %d finite numbers",
		replica, p.Replicas[replica].WithDefaults().Optimizer, numbers[1:], step, want-1)
}

// clipNumbers returns the numbers that the program needs for clipping, with the norms multiplied by
// a scale. They are the coefficients of the rule. If the rule is not this package's, C comes before
// them.
func clipNumbers(c dpsgd.Config, layers int, scale float64) []float64 {
	switch rule := c.WithDefaults().Clipping.(type) {
	case dpsgd.PerLayerClipping:
		if rule.Norms != nil {
			rule.Norms = slices.Clone(rule.Norms)
			for l := range rule.Norms {
				rule.Norms[l] *= scale
			}
		}
		return rule.Coefficients(c.ClipNorm*scale, layers)
	case dpsgd.FlatClipping, dpsgd.AutomaticClipping:
		return rule.Coefficients(c.ClipNorm*scale, layers)
	default:
		return append([]float64{c.ClipNorm * scale}, rule.Coefficients(c.ClipNorm, layers)...)
	}
}

// clipped returns the config of a replica with its clip norm. Steps of the caller's own choose
// theirs, so it is 1 there.
func (p prepared) clipped(replica int) dpsgd.Config {
	c := p.Replicas[replica]
	if p.Own != nil {
		c.ClipNorm = 1
	}
	return c
}

// validateClipNumbers checks the numbers of clippings that are not package dpsgd's. layers is the
// number of layers with weights. The plan must be valid.
func (p prepared) validateClipNumbers(layers int) error {
	errs := check.In("engine: ")
	for r := range p.Replicas {
		c := p.clipped(r)
		numbers, want := clipNumbers(c, layers, 1), len(clipNumbers(p.clipped(0), layers, 1))
		if !dpsgd.Builtin(c.WithDefaults().Clipping) && (len(numbers) != want || !allFinite(numbers)) {
			errs.Add(fmt.Errorf("engine: Plan.Replicas[%d].Clipping %v: Coefficients are %v: must be %d finite numbers", r, c.Clipping, numbers[1:], want-1))
		}
	}
	return errs.Err()
}

// observes reports whether Weights is called after a step.
func (p prepared) observes(step int) bool {
	return p.Weights != nil && (p.WeightsAt == nil || p.WeightsAt(step))
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// stdDev returns the standard deviation of what a replica draws at a step as noise: whole numbers
// for an integer release.
func (p prepared) stdDev(replica, step int) float64 {
	c := p.Replicas[replica].At(step)
	if p.onGrid() {
		return c.NoiseMultiplier * float64(c.UnitsPerClip) // exact: a power of two
	}
	if c.Noise != nil {
		scale, _ := c.Noise.Recursion()
		return c.NoiseStdDev() * scale
	}
	return c.NoiseStdDev()
}

// onGrid reports whether steps release integers.
func (p prepared) onGrid() bool { return p.Replicas[0].UnitsPerClip > 0 }

// pastNoise returns the number of earlier steps whose noise is kept, 0 for independent noise.
func (p prepared) pastNoise() int {
	if p.Replicas[0].Noise == nil {
		return 0
	}
	return len(p.Replicas[0].Noise.Coefficients) - 1
}

// hasNoise reports whether the engine adds noise.
func (p prepared) hasNoise() bool { return !p.Replicas[0].NonPrivate && p.Own == nil }

// ruleOf returns a clipping rule for package program.
func ruleOf(c dpsgd.Clipping) *program.Rule {
	return &program.Rule{
		Capped: !dpsgd.Builtin(c),
		Factors: func(squares []*graph.Node, root func(*graph.Node) *graph.Node, numbers []*graph.Node) []*graph.Node {
			return c.Factors(dpsgd.NewNorms(squares, root), numbers)
		},
	}
}
