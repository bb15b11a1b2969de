package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// defaultDelta is the δ of most papers, and of dpaudit. The answer prints it.
const defaultDelta = 1e-5

// atOptions are the flags of sgd and gaussian for other points of the privacy profile.
type atOptions struct{ answer.At }

func (o *atOptions) define(set *flag.FlagSet) {
	flags.Define(set, map[string]flag.Value{"at-epsilon": &o.Epsilon, "at-fpr": &o.FPR})
}

func (o *atOptions) validate() error {
	return errors.Join(flags.Obey("at-epsilon", o.Epsilon, check.NotNegative), flags.Obey("at-fpr", o.FPR, check.OpenUnit))
}

// priceOptions are the flags of sgd, gaussian and tune.
type priceOptions struct {
	delta, noise, target flags.Number
	json                 bool
}

func (o *priceOptions) define(set *flag.FlagSet) {
	o.delta.Value = defaultDelta
	flags.Define(set, map[string]flag.Value{"delta": &o.delta, "target-epsilon": &o.target, "noise": &o.noise})
	command.SwitchVar(set, &o.json, "json", "")
}

// validate checks the flags. solve is -solve, where a command has it.
func (o *priceOptions) validate(solve flags.Word) error {
	target := flags.Obey("target-epsilon", o.target, check.Positive)
	if solve.Given {
		target = flags.Need("target-epsilon", o.target, check.Positive)
	}
	noise := flags.Need("noise", o.noise, check.Positive)
	if o.target.Given && (!solve.Given || solve.Text == input.SolveNoise) {
		noise = flags.Refuse("noise", o.noise, "with -target-epsilon, which finds it")
	}
	return errors.Join(flags.Obey("delta", o.delta, check.OpenUnit), target, noise)
}

// question asks for the price of the event, or for its noise.
func (o *priceOptions) question(event func(noise float64) accounting.Event) answer.Question {
	return answer.Question{Event: event, Delta: o.delta.Value, Noise: o.noise.Value, Target: o.target.Value}
}

// answer answers a question.
func (o *priceOptions) answer(q answer.Question) ([]byte, error) {
	r, err := q.Report()
	if err != nil {
		return nil, err
	}
	return output.Report(r, o.json)
}

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
	if err := flags.AsUsage(o.validate(sgd.Solve), at.validate(), sgd.Validate()); err != nil {
		return nil, err
	}
	var solved *answer.Solved
	if sgd.Solves() {
		var err error
		if solved, err = answer.Solve(&sgd, o.noise.Value, accounting.Target{Epsilon: o.target.Value, Delta: o.delta.Value}); err != nil {
			return nil, err
		}
		o.target = flags.Number{} // it is met
	}
	q := o.question(sgd.Event())
	q.At, q.Batches, q.Setting, q.Solved = at.At, sgd.Drawn(), sgd.Setting(), solved
	return o.answer(q)
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
	if err := flags.AsUsage(o.validate(flags.Word{}), at.validate(), flags.Obey("count", count, flags.WholeCount)); err != nil {
		return nil, err
	}
	q := o.question(input.Gaussian(count))
	q.At = at.At
	return o.answer(q)
}

// tuneOptions are the flags of tune.
type tuneOptions struct {
	priceOptions
	base             input.Base
	law              input.Law
	release, variant flags.Word
	tuningRate       flags.Number
}

func tuneCommand(args []string) ([]byte, error) {
	var o tuneOptions
	set := flag.NewFlagSet("tune", flag.ContinueOnError)
	o.define(set)
	o.base.Define(set)
	o.law.Define(set, &o.base.Count)
	flags.Define(set, map[string]flag.Value{"base-count": &o.base.BaseCount, "tuning-rate": &o.tuningRate, "variant": &o.variant, "release": &o.release})
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	k, lawErr := o.law.Law()
	run, baseErr := o.base.Event(o.law.TakesCount())
	variant, variantErr := o.variantOf()
	if err := flags.AsUsage(lawErr, baseErr, variantErr, o.validateRelease(), o.validateSample(), o.validate(flags.Word{})); err != nil {
		return nil, err
	}
	whole := func(noise float64) accounting.Event {
		if o.release.Text == "first" {
			return firstabove.Event{Law: k, Base: run(noise)}
		}
		tuning := selection.BestOf{Law: k, Base: run(noise)}
		if !o.tuningRate.Given {
			return tuning
		}
		return subsample.Event{TuningRate: o.tuningRate.Value, Variant: variant, Tuning: tuning, Training: run(noise)}
	}
	q := o.question(whole)
	q.Run, q.Batches, q.Setting = run, o.base.Drawn(), o.base.SGD.Setting()
	return o.answer(q)
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

// validateSample refuses a tuning on a sample that a loader shuffles. Its number of steps reveals
// the size of the sample.
func (o *tuneOptions) validateSample() error {
	if o.tuningRate.Given && o.base.SGD.Scheme() == input.Shuffled {
		return errors.New("-batches shuffled: must be poisson or fixed with -tuning-rate, as the number of batches of a shuffled sample depends on each example")
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
