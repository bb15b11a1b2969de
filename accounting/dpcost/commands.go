package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

func sgdCommand(args []string) ([]byte, error) {
	var o priceOptions
	var at atOptions
	var sgd input.SGD
	set := flag.NewFlagSet("sgd", flag.ContinueOnError)
	o.define(set)
	at.define(set)
	sgd.Define(set)
	sgd.DefineCounts(set)
	sgd.DefineSolve(set)
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	if err := flags.AsUsage(o.validate(sgd.Solve, at), at.validate(), o.statement.validateWith(&o, at), sgd.Validate()); err != nil {
		return nil, err
	}
	return o.answer(func(noise, target float64) (answer.Question, error) {
		run, whole := sgd, o.question(nil, noise, target)
		if run.Solves() {
			var err error
			if whole.Solved, err = answer.Solve(&run, noise, accounting.Target{Epsilon: target, Delta: o.delta.Value}); err != nil {
				return answer.Question{}, err
			}
			whole.Target = 0 // it is met
		}
		whole.Event, whole.At, whole.Batches, whole.Setting = run.Event(), at.At, run.Drawn(), run.Setting()
		return whole, nil
	})
}

func gaussianCommand(args []string) ([]byte, error) {
	var o priceOptions
	var at atOptions
	var count flags.Number
	set := flag.NewFlagSet("gaussian", flag.ContinueOnError)
	o.define(set)
	at.define(set)
	set.Var(&count, "count", "")
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	if err := flags.AsUsage(o.validate(flags.Word{}, at), at.validate(), o.statement.validateWith(&o, at), flags.Obey("count", count, flags.WholeCount)); err != nil {
		return nil, err
	}
	return o.answer(func(noise, target float64) (answer.Question, error) {
		q := o.question(input.Gaussian(count), noise, target)
		q.At = at.At
		return q, nil
	})
}

// tuneOptions are the flags of tune.
type tuneOptions struct {
	priceOptions
	base             input.Base
	law              input.Law
	release, variant flags.Word
	tuningRate       flags.Number
	densities        flags.Numbers // c and C
}

func tuneCommand(args []string) ([]byte, error) {
	var o tuneOptions
	o.densities.Repeats = true // 1,1
	set := flag.NewFlagSet("tune", flag.ContinueOnError)
	o.define(set)
	o.base.Define(set)
	o.law.Define(set, &o.base.Count)
	flags.Define(set, map[string]flag.Value{"base-count": &o.base.BaseCount, "tuning-rate": &o.tuningRate, "variant": &o.variant, "release": &o.release, "densities": &o.densities})
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	k, lawErr := o.law.Law()
	run, baseErr := o.base.Event(o.law.TakesCount())
	variant, variantErr := o.variantOf()
	if err := flags.AsUsage(lawErr, baseErr, variantErr, o.validateRelease(), o.validateSample(), o.validateDensities(), o.validate(flags.Word{}, atOptions{}), o.statement.validateWith(&o.priceOptions, atOptions{})); err != nil {
		return nil, err
	}
	whole := func(noise float64) accounting.Event {
		if o.release.Text == "first" {
			return firstabove.Event{Law: k, Base: run(noise)}
		}
		if at := o.densities.Each; len(at) == 2 {
			return adaptive.Event{Law: k, Base: run(noise), Least: at[0].Value, Most: at[1].Value}
		}
		tuning := selection.BestOf{Law: k, Base: run(noise)}
		if !o.tuningRate.Given {
			return tuning
		}
		return subsample.Event{TuningRate: o.tuningRate.Value, Variant: variant, Tuning: tuning, Training: run(noise)}
	}
	return o.answer(func(noise, target float64) (answer.Question, error) {
		q := o.question(whole, noise, target)
		q.Run, q.Batches, q.Setting = run, o.base.Drawn(), o.base.SGD.Setting()
		return q, nil
	})
}

// validateRelease checks -release.
func (o *tuneOptions) validateRelease() error {
	switch {
	case !o.release.Given, o.release.Text == "best":
		return nil
	case o.release.Text != "first":
		return fmt.Errorf("-release %q: must be best or first", o.release.Text)
	case o.tuningRate.Given:
		return errors.New("-tuning-rate: must not be given with -release first")
	}
	return nil
}

// validateDensities checks -densities.
func (o *tuneOptions) validateDensities() error {
	switch at := o.densities.Each; {
	case len(at) == 0:
		return nil
	case o.tuningRate.Given, o.release.Text == "first":
		return o.densities.Refuse("densities", "with -tuning-rate or -release first")
	case len(at) != 2:
		return fmt.Errorf("-densities %s: must be two numbers, the least and the most", o.densities.String())
	default:
		for i, rule := range []check.Rule{adaptive.Below, adaptive.Above} {
			if !rule.Holds(at[i].Value) {
				return fmt.Errorf("-densities %s: number %d %s", o.densities.String(), i+1, rule.Text)
			}
		}
		return nil
	}
}

// validateSample refuses a tuning on a sample that is shuffled or allocated. Its number of steps
// reveals the size of the sample.
func (o *tuneOptions) validateSample() error {
	if o.tuningRate.Given && !o.base.SGD.MayBeSampled() {
		return fmt.Errorf("-batches %s: must be poisson or fixed with -tuning-rate, as the number of batches of a sample depends on each example", o.base.SGD.Scheme())
	}
	return nil
}

// variantOf returns the data of the training after a tuning on a sample.
func (o *tuneOptions) variantOf() (subsample.Variant, error) {
	switch {
	case !o.tuningRate.Given && o.variant.Given:
		return 0, fmt.Errorf("-variant %s: must not be given without -tuning-rate", o.variant.Text)
	case !o.tuningRate.Given:
		return 0, nil
	case !o.variant.Given, o.variant.Text == "rest":
		return subsample.RestOfData, flags.Obey("tuning-rate", o.tuningRate, check.Rate)
	case o.variant.Text == "all":
		return subsample.AllData, flags.Obey("tuning-rate", o.tuningRate, check.Rate)
	}
	return 0, fmt.Errorf("-variant %q: must be rest or all", o.variant.Text)
}
