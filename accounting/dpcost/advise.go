package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
)

// adviseOptions are the flags of advise.
type adviseOptions struct {
	sgd                                                         input.SGD
	delta, target                                               flags.Number
	examples, candidates, cost, quantile, parts, share, seconds flags.Number
	tuningRate                                                  flags.Number
	json                                                        bool
}

var (
	moreThanOne = check.Rule{Text: "must be > 1 and at most 1e4, as the last training counts", Holds: func(x float64) bool { return x > 1 && x <= 1e4 }}
	wantedRank  = check.Rule{Text: "must be in (0.5, 1), as one run has 0.5", Holds: func(x float64) bool { return x > 0.5 && x < 1 }}
	twoOrMore   = check.Rule{Text: "must be a whole number from 2 to 1e6", Holds: func(x float64) bool { return x >= 2 && x <= 1e6 && x == math.Floor(x) }}
)

func adviseCommand(args []string, report answer.ReportFunc) ([]byte, error) {
	o := adviseOptions{delta: flags.Number{Value: defaultDelta}}
	set := flag.NewFlagSet("advise", flag.ContinueOnError)
	o.sgd.Define(set)
	flags.Define(set, map[string]flag.Value{
		"delta": &o.delta, "target-epsilon": &o.target, "examples": &o.examples, "candidates": &o.candidates, "cost": &o.cost,
		"quantile": &o.quantile, "tuning-rate": &o.tuningRate, "parts": &o.parts, "score-share": &o.share, "seconds": &o.seconds,
	})
	command.SwitchVar(set, &o.json, "json", "")
	if err := flags.Parse(set, args); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	a, err := advise.Ask(o.question(), func(done, total int, name string) { report("%d of %d: %s", done+1, total, name) })
	if err != nil {
		return nil, err
	}
	drawings, err := a.Drawings()
	if err != nil {
		return nil, err
	}
	return output.Advice(a, drawings, o.sgd.Drawn(), o.json)
}

func (o *adviseOptions) validate() error {
	if scheme := o.sgd.Scheme(); !o.sgd.MayBeSampled() {
		return flags.AsUsage(fmt.Errorf("-batches %s: must be poisson or fixed, as some ways tune on a sample, and the number of batches of a sample depends on each example", scheme))
	}
	return flags.AsUsage(
		flags.Need("target-epsilon", o.target, check.Positive), flags.Obey("delta", o.delta, check.OpenUnit), flags.Need("examples", o.examples, flags.WholeCount), o.sgd.Validate(),
		flags.Need("candidates", o.candidates, twoOrMore), flags.Need("cost", o.cost, moreThanOne), flags.Obey("quantile", o.quantile, wantedRank),
		flags.Obey("tuning-rate", o.tuningRate, check.OpenUnit), flags.Obey("parts", o.parts, twoOrMore), flags.Obey("score-share", o.share, check.OpenUnit),
		flags.Obey("seconds", o.seconds, check.Positive))
}

func (o *adviseOptions) question() advise.Question {
	epochs := 0
	if o.sgd.Scheme() == input.Fixed {
		epochs = o.sgd.EpochCount()
	}
	return advise.Question{
		Epochs:  epochs,
		Epsilon: o.target.Value, Delta: o.delta.Value, Examples: int(o.examples.Value), SamplingRate: o.sgd.Rate.Value, Steps: int(o.sgd.Steps.Value),
		Candidates: int(o.candidates.Value), MeanCost: o.cost.Value, Quantile: o.quantile.Value, TuningRate: o.tuningRate.Value,
		Parts: int(o.parts.Value), ScoreShare: o.share.Value, Seconds: o.seconds.Value,
	}
}
