package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
)

// curveOptions are the flags of curve.
type curveOptions struct {
	base                      input.Base
	delta, noise              flags.Number
	points, maxEpsilon        flags.Number
	kind, source, out, figure flags.Word
	over                      flags.Word
	json                      bool
}

const (
	defaultPoints = 101
	maxPoints     = 10000
)

var wholePoints = check.Rule{Text: fmt.Sprintf("must be a whole number from 2 to %d", maxPoints), Holds: func(x float64) bool { return x >= 2 && x <= maxPoints && x == math.Floor(x) }}

func curveCommand(args []string, report, note answer.ReportFunc) ([]byte, error) {
	o := curveOptions{delta: flags.Number{Value: defaultDelta}, points: flags.Number{Value: defaultPoints}, kind: flags.Word{Text: answer.Profile}}
	set := flag.NewFlagSet("curve", flag.ContinueOnError)
	o.base.Define(set)
	flags.Define(set, map[string]flag.Value{
		"delta": &o.delta, "noise": &o.noise, "kind": &o.kind, "over": &o.over, "plan": &o.source, "out": &o.out, "figure": &o.figure,
		"points": &o.points, "max-epsilon": &o.maxEpsilon,
	})
	command.SwitchVar(set, &o.json, "json", "")
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	p, err := o.base.Plan(o.noise, map[bool]string{true: "-plan"}[o.source.Given])
	if err := flags.AsUsage(o.validate(), err); err != nil {
		return nil, err
	}
	if o.source.Given {
		if p, err = input.ReadPlan(o.source.Text); err != nil {
			return nil, err
		}
	}
	if err := output.CheckFiles(output.File{Flag: "figure", Path: o.figure.Text}, output.File{Flag: "out", Path: o.out.Text}); err != nil {
		return nil, err
	}
	c, err := o.curve(p, report)
	if err != nil {
		return nil, err
	}
	if !o.source.Given {
		c.Batches = o.base.Drawn()
	}
	if c.Batches.IsShuffled() && c.Batches.Bounded {
		c.OnlyUpper()
	}
	return output.Curve(c, o.out.Text, o.figure.Text, o.json, note)
}

// curve computes the curve of the plan, or of the run up to each of its steps or epochs.
func (o *curveOptions) curve(p input.Plan, report answer.ReportFunc) (answer.Curve, error) {
	if o.over.Given {
		c, err := o.run().Over(o.over.Text, o.delta.Value, int(o.points.Value), report)
		if large := answer.LargeDelta(o.delta.Value, o.base.SGD.Setting()); large != nil {
			c.Warnings = append(c.Warnings, large.Error())
		}
		return c, err
	}
	return answer.NewCurve(p, o.kind.Text, deltaOr(o.delta, p.Delta), o.maxEpsilon.Value, int(o.points.Value), report)
}

// run returns the run that may be stopped early.
func (o *curveOptions) run() answer.Run {
	s, noise := o.base.SGD, o.noise.Value
	if s.IsShuffled() || s.Scheme() == input.Fixed {
		return answer.Run{Total: s.EpochCount(), Unit: 1, Event: func(epochs int) accounting.Event { return s.After(epochs)(noise) }}
	}
	r := answer.Run{Total: s.StepCount(), Unit: 1, Event: func(steps int) accounting.Event { return s.After(steps)(noise) }}
	if o.over.Text == answer.OverEpochs {
		if r.Unit = s.SamplingRate(); s.Scheme() == input.Allocation {
			r.Unit = 1 / float64(s.BatchesOfEpoch())
		}
	}
	return r
}

// validateOver checks -over and the flags that have no meaning with it.
func (o *curveOptions) validateOver() error {
	if !o.over.Given {
		return nil
	}
	const why = "with -over"
	errs := []error{flags.RefuseWord("kind", o.kind, why), flags.Refuse("max-epsilon", o.maxEpsilon, why), flags.RefuseWord("plan", o.source, why)}
	switch scheme := o.base.SGD.Scheme(); {
	case o.over.Text != answer.OverSteps && o.over.Text != answer.OverEpochs:
		errs = append(errs, fmt.Errorf("-over %q: must be steps or epochs", o.over.Text))
	case o.base.Name.Given && o.base.Name.Text != "sgd":
		errs = append(errs, fmt.Errorf("-over %s: must be given with -base sgd", o.over.Text))
	case o.over.Text == answer.OverSteps && (o.base.SGD.IsShuffled() || scheme == input.Fixed):
		errs = append(errs, fmt.Errorf("-over steps: must be epochs with -batches %s, which are priced by epochs", scheme))
	}
	return errors.Join(errs...)
}

func (o *curveOptions) validate() error {
	errs := []error{o.validateOver(), flags.Obey("delta", o.delta, check.OpenUnit), flags.Obey("points", o.points, wholePoints), flags.Obey("max-epsilon", o.maxEpsilon, check.Positive)}
	switch o.kind.Text {
	case answer.Profile:
	case answer.TradeOff:
		errs = append(errs, flags.Refuse("max-epsilon", o.maxEpsilon, "with -kind tradeoff"))
		if o.base.SGD.IsShuffled() {
			errs = append(errs, fmt.Errorf("-batches %s: must be poisson, allocation or fixed with -kind tradeoff, which needs near upper and lower ends", o.base.SGD.Scheme()))
		}
	default:
		errs = append(errs, fmt.Errorf("-kind %q: must be profile or tradeoff", o.kind.Text))
	}
	if o.figure.Given {
		if err := output.CheckPicture(o.figure.Text); err != nil {
			errs = append(errs, fmt.Errorf("-figure %w", err))
		}
	}
	if o.source.Given && o.source.Text == "" {
		errs = append(errs, errors.New("-plan \"\": must be the path of a plan, or - for standard input"))
	}
	if o.out.Given && o.out.Text == "" {
		errs = append(errs, errors.New("-out \"\": must be a file"))
	}
	if o.out.Given && o.figure.Given && filepath.Clean(o.out.Text) == filepath.Clean(o.figure.Text) {
		errs = append(errs, fmt.Errorf("-out %s and -figure %s: must be two files", o.out.Text, o.figure.Text))
	}
	if o.out.Given && command.SameFile(o.out.Text, o.source.Text) {
		errs = append(errs, fmt.Errorf("-out %s: is the file of the plan: must be another", o.out.Text))
	}
	return errors.Join(errs...)
}
