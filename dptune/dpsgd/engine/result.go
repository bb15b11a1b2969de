package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/streams"
)

// Result is the result of training one model.
//
// The guarantee of its config covers Parameters, Averaged, Slots, Curve, Probes and Diverged, which
// are computed from the noisy sums. It does not cover Excluded, Warnings and Elapsed, which depend
// on the data in other ways. Do not publish those.
type Result struct {
	Run
	Config     dpsgd.Config
	Steps      int                 // updates that ran: Config.Steps, or fewer if the context ended
	Parameters dpsgd.Parameters    // weights after these steps, of this model only
	Averaged   dpsgd.Parameters    // average of the weights after each step, by Plan.Average; empty without
	Slots      [][]float64         // [S][P], the optimizer's slots after the last step, with Plan.KeepSlots
	State      []float64           // of dpsgd.Own, after the last step; nil without
	Curve      dpsgd.LearningCurve // by Plan.Evaluate, of this model only
	Probes     [][]float64         // [Steps][K]: products of each step's noisy sum with Plan.Probes
	Diverged   bool                // weights became infinite or NaN; Parameters, Averaged, Slots and Probes have zeros instead
	Excluded   int                 // number of gradients, over all steps, that were not finite and added as zero
	Warnings   []error

	ran ran // what Statement prices
}

// Run has what all models of one run share.
type Run struct {
	Generator dpsgd.Generator // of the noise
	Seeded    bool            // from a fixed root: no guarantee against anyone who knows its name
	Backend   string
	Precision Precision
	Elapsed   time.Duration

	model    dpsgd.Model
	perf     Performance
	initial  *dpsgd.Provenance // source of weights that were given; nil if they were drawn
	own      *dpsgd.Own        // of the plan; nil without
	canaries int               // number of canaries that were in the data, or could have been
	declared string            // Plan.Evaluate.Declared
}

// Results is the result of a run of replicas. It has R models, and [Results.Model] returns one.
//
// [Result] lists what the guarantee of a config covers. Publishing several models costs the
// composition of their events, and more with Plan.SharedBatches.
type Results struct {
	Run
	Configs    []dpsgd.Config
	Steps      []int               // [R], updates that ran: Config.Steps, or fewer if the context ended
	Parameters dpsgd.Parameters    // weights of the R models after these steps
	Averaged   dpsgd.Parameters    // averages of the weights after each step, by Plan.Average; empty without
	Slots      [][][]float64       // [R][S][P], the optimizer's slots after the last step, with Plan.KeepSlots
	State      [][]float64         // [R][S], of dpsgd.Own, after the last step; nil without
	Curve      dpsgd.LearningCurve // by Plan.Evaluate
	Probes     [][][]float64       // [R][Steps][K], of the steps that ran
	Diverged   []bool              // [R]
	Excluded   []int               // [R]
	Warnings   []error             // of all models and of the run

	ran []ran // [R], set when the run is over
}

func newResults(t *Replicas, roots []streams.Root) *Results {
	replicas := len(roots)
	r := &Results{
		Run: Run{
			Generator: t.generator, Backend: t.perf.Backend, Precision: t.perf.Precision,
			model: t.model, perf: t.perf, canaries: t.plan.Canaries.Len(),
		},
		Configs:    t.plan.Clone().Replicas,
		Parameters: dpsgd.ParametersOf(t.model, make([][]float64, replicas)...),
		Diverged:   make([]bool, replicas), Excluded: make([]int, replicas), Steps: make([]int, replicas),
	}
	if t.plan.Average > 0 {
		r.Averaged = dpsgd.ParametersOf(t.model, arrays.Zeros(replicas, t.size)...)
	}
	if own := t.plan.Own; own != nil {
		r.own = own
		if len(own.State) > 0 {
			for range replicas {
				r.State = append(r.State, slices.Clone(own.State))
			}
		}
	}
	if t.plan.KeepSlots {
		for range replicas {
			r.Slots = append(r.Slots, arrays.Zeros(t.plan.optimizer().Slots(), t.size))
		}
	}
	if t.plan.Canary != nil {
		r.canaries = 1
	}
	if t.plan.Initial != nil {
		from := t.plan.InitialFrom
		r.initial = &from
	}
	if t.evaluator != nil {
		r.declared = t.plan.Evaluate.Declared
		r.Curve = newCurve(replicas, t.plan.Evaluate.At(t.plan.Replicas[0].Steps))
	}
	for i, root := range roots {
		r.Parameters.Values[i] = make([]float64, t.size)
		r.Seeded = r.Seeded || root.Seeded()
	}
	if probes := len(t.plan.Probes); probes > 0 {
		r.Probes = make([][][]float64, replicas)
		for i := range r.Probes {
			r.Probes[i] = arrays.Zeros(t.plan.Replicas[0].Steps, probes)
		}
	}
	return r
}

// Model returns the result of one model, sharing its values. Warnings are those of all models. It
// panics if i is not in [0, R).
func (r *Results) Model(i int) *Result {
	one := &Result{
		Run: r.Run, Config: r.Configs[i], Parameters: r.Parameters.Replica(i),
		Curve: r.Curve.Replica(i), Diverged: r.Diverged[i], Excluded: r.Excluded[i], Warnings: r.Warnings, Steps: r.Steps[i],
		ran: r.ran[i],
	}
	if len(r.Averaged.Values) > 0 {
		one.Averaged = r.Averaged.Replica(i)
	}
	if r.State != nil {
		one.State = r.State[i]
	}
	if r.Slots != nil {
		one.Slots = r.Slots[i]
	}
	if r.Probes != nil {
		one.Probes = r.Probes[i]
	}
	return one
}

// keptSlots returns the rows [S][R][P] that receive the slots of a run, nil for those that are not
// kept. The last slot is the average, if there is one.
func (r *Results) keptSlots(p prepared) [][][]float64 {
	rows := make([][][]float64, p.slots())
	for s := range rows {
		for _, one := range r.Slots {
			if s < len(one) {
				rows[s] = append(rows[s], one[s])
			}
		}
	}
	if p.Average > 0 {
		rows[len(rows)-1] = r.Averaged.Values
	}
	return rows
}

// keptArrays returns how many arrays [R, P] a result has in addition to the weights.
func (p prepared) keptArrays() (count int) {
	if p.KeepSlots {
		count = p.optimizer().Slots()
	}
	if p.Average > 0 {
		count++
	}
	return count
}

// derived returns the arrays of one model in addition to its weights.
func (r *Results) derived(i int) (list [][]float64) {
	if len(r.Averaged.Values) > 0 {
		list = append(list, r.Averaged.Values[i])
	}
	if r.Slots != nil {
		list = append(list, r.Slots[i]...)
	}
	return list
}

// finish cuts off what did not run, keeps what did, replaces weights that are not finite by zeros,
// and adds the warnings.
func (r *Results) finish() {
	r.cut()
	r.ran = r.whatRan()
	for i, values := range r.Parameters.Values {
		finite := allFinite(values)
		for _, more := range r.derived(i) {
			finite = finite && allFinite(more)
		}
		if !finite {
			clear(values)
			for _, more := range r.derived(i) {
				clear(more)
			}
			r.Diverged[i] = true
			r.clearProbes(i)
			r.Warnings = append(r.Warnings, fmt.Errorf("engine: replica %d diverged: its weights are not finite", i))
		}
		if n := r.Excluded[i]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Errorf("engine: replica %d: %d gradients were not finite and counted as zero", i, n))
		}
	}
}

// cut leaves out probes of steps that did not run, and points of the curve that no model has.
func (r *Results) cut() {
	points := 0
	for i, steps := range r.Steps {
		if r.Probes != nil {
			r.Probes[i] = r.Probes[i][:steps]
		}
		for points < len(r.Curve.Steps) && r.Curve.Steps[points] <= steps {
			points++
		}
	}
	r.Curve.Steps = r.Curve.Steps[:points]
	for i := range r.Curve.Accuracy {
		r.Curve.Accuracy[i], r.Curve.Loss[i] = r.Curve.Accuracy[i][:points], r.Curve.Loss[i][:points]
	}
}

// clearProbes replaces products that are not finite by zeros.
func (r *Results) clearProbes(replica int) {
	if r.Probes == nil {
		return
	}
	for _, products := range r.Probes[replica] {
		if !allFinite(products) {
			clear(products)
		}
	}
}

// Accuracy returns the share of examples that the model gets right, in [0, 1].
func (r *Result) Accuracy(ctx context.Context, test data.Dataset) (float64, error) {
	return first(Accuracy(ctx, r.model, r.Parameters, test, r.perf))
}

// Predict returns the model's class of each example, [N].
func (r *Result) Predict(ctx context.Context, test data.Dataset) ([]int32, error) {
	return first(Predict(ctx, r.model, r.Parameters, test, r.perf))
}

// Outputs returns the outputs of the model's last layer for each example, [N·K].
func (r *Result) Outputs(ctx context.Context, examples data.Dataset) ([]float64, error) {
	return first(Outputs(ctx, r.model, r.Parameters, examples, r.perf))
}

// first returns the first value, or the error.
func first[T any](of []T, err error) (one T, _ error) {
	if err != nil {
		return one, err
	}
	return of[0], nil
}

// Accuracy returns the share of examples that each model gets right, as function Accuracy does.
func (r *Results) Accuracy(ctx context.Context, test data.Dataset) ([]float64, error) {
	return Accuracy(ctx, r.model, r.Parameters, test, r.perf)
}

// Predict returns each model's class of each example, as function Predict does.
func (r *Results) Predict(ctx context.Context, test data.Dataset) ([][]int32, error) {
	return Predict(ctx, r.model, r.Parameters, test, r.perf)
}

// Outputs returns the outputs of the last layer of each model for each example, as function Outputs
// does.
func (r *Results) Outputs(ctx context.Context, examples data.Dataset) ([][]float64, error) {
	return Outputs(ctx, r.model, r.Parameters, examples, r.perf)
}
