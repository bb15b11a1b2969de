package engine

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// ran is what a model's statement rests on, as it was when the run ended. A caller can change the
// exported fields of a Result, and a price must not follow them.
type ran struct {
	config    dpsgd.Config
	steps     int
	generator dpsgd.Generator
	backend   string
	seeded    bool
	evaluated bool
}

// whatRan returns copies of what each model ran.
func (r *Results) whatRan() []ran {
	configs := dpsgd.Plan{Replicas: r.Configs}.Clone().Replicas
	list := make([]ran, len(configs))
	for i, config := range configs {
		list[i] = ran{
			config: config, steps: r.Steps[i], generator: r.Generator, backend: r.Backend, seeded: r.Seeded,
			evaluated: len(r.Curve.Replica(i).Steps) > 0,
		}
	}
	return list
}

// Statement returns the guarantee of publishing the model's weights after the steps that ran, by
// [dpsgd.Training.Statement]. It returns an error if none ran.
//
// It prices what ran, and the result keeps that apart from its fields. If Config, Steps, Seeded,
// Generator or Backend differs from it, Statement returns an error. A Result that was read from a
// file has no statement: keep the statement with the weights.
func (r *Result) Statement(delta float64, unit string, accountants ...accounting.Accountant) (accounting.Statement, error) {
	if err := r.unchanged(); err != nil {
		return accounting.NoStatement(), err
	}
	return dpsgd.Training{
		Config: r.ran.config, Own: r.own, Steps: r.ran.steps, Model: r.model, Initial: r.initial, Canaries: r.canaries,
		Generator: r.ran.generator, Backend: r.ran.backend, Seeded: r.ran.seeded, Evaluated: r.ran.evaluated, Declared: r.declared,
	}.Statement(delta, unit, accountants...)
}

// unchanged returns an error unless a run returned the result and its fields are still those of it.
func (r *Result) unchanged() error {
	was := r.ran
	switch {
	case r.Steps == 0 && was.steps == 0:
		return errors.New("engine: Result.Steps 0: must be at least 1, or there is nothing to state")
	case r.model.Loss == nil: // every run has one
		return errors.New("engine: Result was not returned by a run: must be, since Statement prices what ran")
	case r.Steps != was.steps:
		return changed("Steps", r.Steps, was.steps)
	case r.Seeded != was.seeded:
		return changed("Seeded", r.Seeded, was.seeded)
	case r.Generator != was.generator:
		return changed("Generator", r.Generator, was.generator)
	case r.Backend != was.backend:
		return changed("Backend", r.Backend, was.backend)
	case !sameConfig(r.Config, was.config):
		return errors.New("engine: Result.Config was changed after the run: must be the config that ran")
	}
	return nil
}

func changed(field string, now, was any) error {
	return fmt.Errorf("engine: Result.%s %v: must be %v, as in the run", field, now, was)
}

// sameConfig reports whether two configs are equal, up to the fields of the user's own clipping and
// optimizer. They may be functions, which cannot be compared. The price is that of the kept config.
func sameConfig(a, b dpsgd.Config) bool {
	for _, c := range []*dpsgd.Config{&a, &b} {
		*c = c.WithDefaults()
		if !dpsgd.Builtin(c.Clipping) {
			c.Clipping = nil
		}
		if !dpsgd.Builtin(c.Optimizer) {
			c.Optimizer = nil
		}
	}
	return reflect.DeepEqual(a, b)
}
