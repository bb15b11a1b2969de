package dpsgd

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dplab/dplab/data"
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

// probesAt returns the rows of the probes of some replicas at a step.
func (r *Result) probesAt(first, replicas, step int) [][]float64 {
	rows := make([][]float64, replicas)
	for i := range rows {
		rows[i] = r.Probes[first+i][step]
	}
	return rows
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
