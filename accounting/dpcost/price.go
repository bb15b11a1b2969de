package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
)

// defaultDelta is the δ of most papers, and of dpaudit. The answer prints it.
const defaultDelta = 1e-5

// atOptions are the flags of sgd and gaussian for other points of the privacy profile, and for a
// person with several records.
type atOptions struct{ answer.At }

func (o *atOptions) define(set *flag.FlagSet) {
	flags.Define(set, map[string]flag.Value{"at-epsilon": &o.Epsilon, "at-fpr": &o.FPR, "records-per-person": &o.Records, "target-tpr": &o.TPR})
}

func (o *atOptions) validate() error {
	tpr := flags.Obey("target-tpr", o.TPR, check.OpenUnit)
	if tpr == nil && o.TPR.Given && !(o.FPR.Given && o.FPR.Value < o.TPR.Value) {
		tpr = fmt.Errorf("-target-tpr %v: must be above -at-fpr, which must be given too", o.TPR.String())
	}
	return errors.Join(flags.Obey("at-epsilon", o.Epsilon, check.NotNegative), flags.Obey("at-fpr", o.FPR, check.OpenUnit), flags.Obey("records-per-person", o.Records, answer.MostRecords), tpr)
}

// statementOptions are the flags for a statement.
type statementOptions struct {
	wanted bool
	unit   flags.Word
}

// defaultUnit is what one record is called.
const defaultUnit = "one example"

func (o *statementOptions) define(set *flag.FlagSet) {
	o.unit.Text = defaultUnit
	command.SwitchVar(set, &o.wanted, "statement", "")
	set.Var(&o.unit, "unit", "")
}

func (o *statementOptions) validate() error {
	if !o.wanted {
		return flags.RefuseWord("unit", o.unit, "without -statement")
	}
	if strings.TrimSpace(o.unit.Text) == "" {
		return fmt.Errorf("-unit %q: must name one record, for instance \"one labelled image\"", o.unit.Text)
	}
	return nil
}

// add adds the statement to a price, if it is wanted.
func (o *statementOptions) add(r answer.Report) answer.Report {
	if o.wanted {
		s := answer.Statement(r, o.unit.Text)
		r.Statement = &s
	}
	return r
}

// validateWith checks the flags next to those of the price.
func (o *statementOptions) validateWith(price *priceOptions, at atOptions) error {
	errs := []error{o.validate()}
	if !o.wanted {
		return errs[0]
	}
	if len(price.noise.Each) > 1 || len(price.target.Each) > 1 {
		errs = append(errs, fmt.Errorf("-statement: must be given with one setting, not with -noise or -target-epsilon %s%s", price.noise.String(), price.target.String()))
	}
	if !price.json {
		const why = "with -statement, unless -json is given"
		errs = append(errs, flags.Refuse("at-epsilon", at.Epsilon, why), flags.Refuse("at-fpr", at.FPR, why), flags.Refuse("records-per-person", at.Records, why))
	}
	return errors.Join(errs...)
}

// priceOptions are the flags of sgd, gaussian and tune. One of the lists may have several values.
type priceOptions struct {
	delta         flags.Number
	noise, target flags.Numbers
	json          bool
	statement     statementOptions
}

func (o *priceOptions) define(set *flag.FlagSet) {
	o.delta.Value = defaultDelta
	flags.Define(set, map[string]flag.Value{"delta": &o.delta, "target-epsilon": &o.target, "noise": &o.noise})
	command.SwitchVar(set, &o.json, "json", "")
	o.statement.define(set)
}

// validate checks the flags. solve is -solve, where a command has it, and at has -target-tpr.
func (o *priceOptions) validate(solve flags.Word, at atOptions) error {
	if at.TPR.Given {
		const why = "with -target-tpr, for which the noise is found"
		return errors.Join(flags.Obey("delta", o.delta, check.OpenUnit), o.noise.Refuse("noise", why), o.target.Refuse("target-epsilon", why), flags.RefuseWord("solve", solve, why))
	}
	target := o.target.Obey("target-epsilon", check.Positive)
	if solve.Given {
		target = o.target.Need("target-epsilon", check.Positive)
	}
	noise := o.noise.Need("noise", check.Positive)
	if o.target.Given() && (!solve.Given || solve.Text == input.SolveNoise) {
		noise = o.noise.Refuse("noise", "with -target-epsilon, which finds it")
	}
	errs := []error{flags.Obey("delta", o.delta, check.OpenUnit), target, noise}
	if len(o.noise.Each) > 1 && len(o.target.Each) > 1 {
		errs = append(errs, fmt.Errorf("-noise %s and -target-epsilon %s: must not both be lists", o.noise.String(), o.target.String()))
	}
	return errors.Join(errs...)
}

// question asks for the price of the event at the noise, or for its noise if target is not 0.
func (o *priceOptions) question(event func(noise float64) accounting.Event, noise, target float64) answer.Question {
	return answer.Question{Event: event, Delta: o.delta.Value, Noise: noise, Target: target}
}

// answer answers the question of each value of a list. ask makes it. noise or target is 0 if it was
// not given.
func (o *priceOptions) answer(ask func(noise, target float64) (answer.Question, error)) ([]byte, error) {
	noises, targets := orNone(o.noise), orNone(o.target)
	var rows []answer.Report
	for _, noise := range noises {
		for _, target := range targets {
			q, err := ask(noise.Value, target.Value)
			if err != nil {
				return nil, err
			}
			r, err := q.Report()
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	if len(rows) > 1 {
		return output.Table(rows, o.json)
	}
	return output.Report(o.statement.add(rows[0]), o.json)
}

// orNone returns the values of a list, or a 0 if it was not given.
func orNone(n flags.Numbers) []flags.Number {
	if !n.Given() {
		return make([]flags.Number, 1)
	}
	return n.Each
}
