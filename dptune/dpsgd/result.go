package dpsgd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// Result is what a run gives.
//
// The guarantee of a config covers what the noisy sums of its replica were turned into:
// Parameters, Probes and Diverged. To publish those of several replicas costs the composition
// of their events, and more with Plan.SharedBatches. It does not cover Excluded, Warnings and Elapsed, which come from
// the data by other ways: they are for the eyes of who holds the data.
type Result struct {
	Model      Model
	Configs    []Config
	Parameters Parameters    // final weights of the R models
	Probes     [][][]float64 // [R][Steps][K]: products of each step's noisy sum with Plan.Probes
	Diverged   []bool        // [R]: weights became infinite or NaN; they are reported as zeros
	Excluded   []int         // [R]: examples, over all steps, whose gradient was not finite and counted as zero
	Generator  Generator     // of the noise
	Seeded     bool          // drawn from a fixed root: who knows its name has no privacy guarantee
	Backend    string
	Precision  Precision
	Elapsed    time.Duration
	Warnings   []error

	perf     Performance
	initial  *Provenance // of weights that were given; nil if they were drawn
	canaries int         // that were put into the data, or could have been
}

func newResult(t *Trainer, roots []streams.Root) *Result {
	replicas := len(roots)
	r := &Result{
		Model: t.model, Configs: ownConfigs(t.plan.Replicas),
		Parameters: Parameters{Architecture: t.model.Architecture(), Tensors: t.model.Tensors(), Values: make([][]float64, replicas)},
		Diverged:   make([]bool, replicas), Excluded: make([]int, replicas), Generator: t.generator,
		Backend: t.perf.Backend, Precision: t.perf.Precision, perf: t.perf,
	}
	if r.canaries = t.plan.Canaries.Len(); t.plan.Canary != nil {
		r.canaries = 1
	}
	if t.plan.Initial != nil {
		from := t.plan.InitialFrom
		r.initial = &from
	}
	for i, root := range roots {
		r.Parameters.Values[i] = make([]float64, t.size)
		r.Seeded = r.Seeded || root.Seeded()
	}
	if probes := len(t.plan.Probes); probes > 0 {
		r.Probes = make([][][]float64, replicas)
		for i := range r.Probes {
			r.Probes[i] = make([][]float64, t.plan.Replicas[0].Steps)
			for step := range r.Probes[i] {
				r.Probes[i][step] = make([]float64, probes)
			}
		}
	}
	return r
}

// finish replaces weights that are not finite by zeros, and writes the warnings.
func (r *Result) finish() {
	for i, values := range r.Parameters.Values {
		if !allFinite(values) {
			clear(values)
			r.Diverged[i] = true
			r.clearProbes(i)
			r.Warnings = append(r.Warnings, fmt.Errorf("dpsgd: replica %d diverged: its weights are not finite", i))
		}
		if n := r.Excluded[i]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Errorf("dpsgd: replica %d: %d gradients were not finite and counted as zero", i, n))
		}
	}
}

// clearProbes replaces products that are not finite by zeros.
func (r *Result) clearProbes(replica int) {
	if r.Probes == nil {
		return
	}
	for _, products := range r.Probes[replica] {
		if !allFinite(products) {
			clear(products)
		}
	}
}

// Accuracy returns the share of examples that each model gets right, as the function of
// that name does.
func (r *Result) Accuracy(ctx context.Context, test data.Dataset) ([]float64, error) {
	return Accuracy(ctx, r.Model, r.Parameters, test, r.perf)
}

// Predict returns each model's class of each example, as the function of that name does.
func (r *Result) Predict(ctx context.Context, test data.Dataset) ([][]int32, error) {
	return Predict(ctx, r.Model, r.Parameters, test, r.perf)
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Parameters are the weights of R models of one shape. Values are float64, which holds
// those of either precision exactly.
type Parameters struct {
	// Architecture is that of the model that they are weights of, see [Model.Architecture], and
	// Tensors are that model's. Both are compared where they are used, unless they are empty.
	Architecture string      `json:",omitempty"`
	Tensors      []nn.Tensor // in the order in which Values holds them
	Values       [][]float64 // [R][P]: each model's tensors one after the other, row-major
}

// Replica returns the parameters of model r alone, sharing its values. It panics if r is
// out of range.
func (p Parameters) Replica(r int) Parameters {
	p.Values = p.Values[r : r+1 : r+1]
	return p
}

// Tensor returns the values of tensor i of model r, a view into Values. It panics if r or
// i is out of range.
func (p Parameters) Tensor(r, i int) []float64 {
	start := 0
	for _, t := range p.Tensors[:i] {
		start += t.Size()
	}
	end := start + p.Tensors[i].Size()
	return p.Values[r][start:end:end]
}

// validateFor returns an error unless there is a model and every one has the model's
// architecture, its size, and finite values.
func (p Parameters) validateFor(m Model) error {
	if len(p.Values) == 0 {
		return fmt.Errorf("dpsgd: parameters of no model: must be of at least one")
	}
	if err := p.validateArchitecture("Parameters", m); err != nil {
		return err
	}
	for r, values := range p.Values {
		if err := validateVector(fmt.Sprintf("Parameters.Values[%d]", r), values, m.Size()); err != nil {
			return err
		}
	}
	return nil
}

// validateArchitecture returns an error if the parameters are known to be of another model.
func (p Parameters) validateArchitecture(name string, m Model) error {
	if want := m.Architecture(); p.Architecture != "" && p.Architecture != want {
		return fmt.Errorf("dpsgd: %s.Architecture %q: must be %q, that of model %q, or empty to take the numbers as they are", name, p.Architecture, want, m.Name)
	}
	want := m.Tensors()
	for i, tensor := range p.Tensors {
		if i >= len(want) || tensor.Name != want[i].Name || !slices.Equal(tensor.Shape, want[i].Shape) {
			return fmt.Errorf("dpsgd: %s.Tensors[%d] is %q of shape %v: must be as in model %q, %v", name, i, tensor.Name, tensor.Shape, m.Name, want)
		}
	}
	if n := len(p.Tensors); n > 0 && n != len(want) {
		return fmt.Errorf("dpsgd: %s.Tensors has %d entries: must have %d, as in model %q", name, n, len(want), m.Name)
	}
	return nil
}
