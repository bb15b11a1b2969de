package candidate

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/digest"
)

// run is what one hyper-parameter trains: a model, by a plan of one replica.
type run struct {
	model dpsgd.Model
	plan  dpsgd.Plan
}

func (r run) config() dpsgd.Config { return r.plan.Replicas[0] }

// runOf returns the run of a hyper-parameter, or every fault of it.
func (c DPSGD[H]) runOf(h H) (r run, err error) {
	if err := c.validateFunctions(); err != nil {
		return run{}, err
	}
	r = run{model: c.Model}
	if c.ModelFor != nil {
		if r.model, err = c.ModelFor(h); err != nil {
			return run{}, fmt.Errorf("candidate: DPSGD.ModelFor: %w", err)
		}
	}
	if c.Plan == nil {
		r.plan = c.Configure(h).Plan()
	} else {
		r.plan = c.Plan(h)
		if err := validatePlan(r.plan); err != nil {
			return run{}, err
		}
	}
	if r.plan.Initial == nil {
		r.plan.Initial = c.Initial
	}
	return r, errors.Join(c.validateModel(r.model), r.config().Validate(), c.validatePlanned(r))
}

// validateFunctions returns an error unless one function gives the plan and one value the model.
func (c DPSGD[H]) validateFunctions() error {
	errs := check.In("candidate: ")
	switch {
	case c.Configure == nil && c.Plan == nil:
		errs.Add(errors.New("candidate: DPSGD.Configure is nil: must be a function (or DPSGD.Plan)"))
	case c.Configure != nil && c.Plan != nil:
		errs.Add(errors.New("candidate: DPSGD.Plan is given: must be nil with Configure"))
	}
	if c.ModelFor != nil && len(c.Model.Layers) > 0 {
		errs.Add(errors.New("candidate: DPSGD.ModelFor is given: must be nil with Model"))
	}
	return errs.Err()
}

// validatePlan returns an error for a plan that a search cannot run. Only what trains and what is
// released may be set: one replica, the schedule, public initial weights, and how it is computed.
func validatePlan(p dpsgd.Plan) error {
	if len(p.Replicas) != 1 {
		return fmt.Errorf("candidate: DPSGD.Plan: Replicas has length %d: must be 1", len(p.Replicas))
	}
	p.Replicas, p.Schedule, p.Initial, p.ClipMethod, p.Generator = nil, nil, nil, 0, 0
	fields := reflect.ValueOf(p)
	for i := range fields.NumField() {
		if !fields.Field(i).IsZero() {
			return fmt.Errorf("candidate: DPSGD.Plan: %s is set: must be zero in a search (only Replicas, Schedule, Initial, ClipMethod and Generator may be set)", fields.Type().Field(i).Name)
		}
	}
	return nil
}

// validatePlanned checks a run whose plan or model depends on the hyper-parameter, before any run
// starts.
func (c DPSGD[H]) validatePlanned(r run) error {
	if c.Plan == nil && c.ModelFor == nil || r.model.Validate() != nil {
		return nil
	}
	var errs []error
	for _, part := range []struct {
		name string
		err  error
	}{
		{"Train", errors.Join(r.model.ValidateFor(c.Train.Shape, c.Train.Classes), r.model.ValidateRows(c.Train))},
		{"Validation", errors.Join(r.model.ValidateFor(c.Validation.Shape, c.Validation.Classes), r.model.ValidateRows(c.Validation))},
	} {
		if part.err != nil {
			errs = append(errs, fmt.Errorf("candidate: DPSGD.%s: %w", part.name, part.err))
		}
	}
	return errors.Join(append(errs, r.plan.ValidateFor(r.model, c.Train.Len()))...)
}

// runsOf returns the runs of hyper-parameters.
func (c DPSGD[H]) runsOf(hs []H) ([]run, error) {
	runs := make([]run, len(hs))
	for i, h := range hs {
		var err error
		if runs[i], err = c.runOf(h); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// groups returns the indices of runs that may train together, in the order in which the groups
// begin. All of a group have the same default size of microbatches, so no run's rounding depends on
// the batches of another.
func (c DPSGD[H]) groups(runs []run) [][]int {
	type program struct {
		steps            int
		private, clipped bool
		rules            [2]reflect.Type // of the clipping and the optimizer
		microbatch       int
		plan             string // of the schedule, the initial weights and the model
	}
	var list [][]int
	at := map[program]int{}
	for i, r := range runs {
		config := r.config()
		rules := [2]reflect.Type{
			reflect.TypeOf(cmp.Or[dpsgd.Clipping](config.Clipping, dpsgd.FlatClipping{})), reflect.TypeOf(cmp.Or[dpsgd.Optimizer](config.Optimizer, dpsgd.SGD{})),
		}
		p := program{config.Steps, !config.NonPrivate, config.ClipNorm > 0, rules, 0, c.sharedPlan(r, i)}
		if _, perf, err := engine.EstimateMemory(r.model, c.Train.Len(), config.Plan(), c.Performance); err == nil {
			p.microbatch = perf.Microbatch
		}
		if _, ok := at[p]; !ok {
			at[p] = len(list)
			list = append(list, nil)
		}
		list[at[p]] = append(list[at[p]], i)
	}
	return list
}

// sharedPlan returns a text that is equal for runs whose replicas may share a plan and a model.
// Code of the caller has no hash. With ModelFor, a run of a model with such code has its own text.
func (c DPSGD[H]) sharedPlan(r run, index int) string {
	if c.Plan == nil && c.ModelFor == nil {
		return ""
	}
	model, own := r.model.Identity()
	if c.ModelFor == nil {
		model = nil
	} else if !own {
		return fmt.Sprint("run ", index)
	}
	var factors []float64
	for t := range r.config().Steps {
		factors = append(factors, r.plan.Schedule.At(t))
	}
	var initial [][]float64
	if r.plan.Initial != nil {
		initial = r.plan.Initial.Values
	}
	return digest.Text(digest.JSON(model, factors, initial, r.plan.ClipMethod, r.plan.Generator))
}

// planned returns a hash of what a run has beyond its config, and whether all code has a hash.
func (c DPSGD[H]) planned(r run) (sum []byte, whole bool, err error) {
	plan, whole := r.plan.Identity(1)
	model, own := r.model.Identity()
	if !whole || !own {
		return nil, false, nil
	}
	chunk, goroutines, err := c.together(r)
	return digest.JSON(plan, model, r.plan.Generator, chunk, goroutines), true, err
}
