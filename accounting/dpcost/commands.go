package main

import (
	"flag"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// question is one validated command line: what costs how much at δ, or which noise costs
// at most the target.
type question struct {
	event  func(noise float64) accounting.Event // the whole
	run    func(noise float64) accounting.Event // one run of a tuning; nil if the whole is one
	delta  float64
	noise  float64
	target float64 // > 0: find the noise
	json   bool
	drawn  *batches // of the runs, by the flags
}

func (o *options) question(event func(noise float64) accounting.Event) question {
	return question{event: event, delta: o.delta.value, noise: o.noise.value, target: o.target.value, json: o.json, drawn: o.batchesOf()}
}

// answer finds the noise if it is asked for, and prices.
func (q question) answer() ([]byte, error) {
	var warnings []string
	moreThanLeast := false
	if q.target > 0 {
		noise, warning, err := leastNoise(q)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			warnings, moreThanLeast = append(warnings, warning), true
		}
		q.noise = noise
	}
	r, err := q.report()
	if err != nil {
		return nil, err
	}
	r.Warnings = append(warnings, r.Warnings...)
	if q.target > 0 {
		r.NoiseMultiplier, r.MoreThanLeast = &q.noise, moreThanLeast
	}
	if q.json {
		return r.json()
	}
	return r.text(), nil
}

func sgdCommand(args []string) ([]byte, error) {
	var o options
	set := flag.NewFlagSet("sgd", flag.ContinueOnError)
	o.common(set)
	o.sgdFlags(set)
	set.Var(&o.epochs, "epochs", "")
	if err := parse(set, args); err != nil {
		return nil, err
	}
	if err := asUsage(o.validateCommon(), o.validateSGD()); err != nil {
		return nil, err
	}
	return o.question(o.sgdEvent()).answer()
}

func (o *options) sgdFlags(set *flag.FlagSet) {
	set.Var(&o.rate, "rate", "")
	set.Var(&o.steps, "steps", "")
	set.Var(&o.batches, "batches", "")
}

func (o *options) validateSGD() error {
	if o.epochs.given && o.scheme() != batchesPoisson {
		return asUsage(o.validateBatches(), refuse("rate", o.rate, "with -epochs"), refuse("steps", o.steps, "with -epochs"))
	}
	return asUsage(o.validateBatches(), need("rate", o.rate, check.Rate), need("steps", o.steps, wholeCount))
}

func (o *options) sgdEvent() func(noise float64) accounting.Event {
	switch o.scheme() {
	case batchesFixed:
		return disjoint(o.epochCount(), distanceEmpty)
	case batchesShuffled:
		return disjoint(o.epochCount(), distanceShuffled)
	}
	rate, steps := o.rate.value, int(o.steps.value)
	return func(noise float64) accounting.Event {
		return accounting.SelfComposed{
			Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noise}},
			Count: steps,
		}
	}
}

func gaussianCommand(args []string) ([]byte, error) {
	var o options
	set := flag.NewFlagSet("gaussian", flag.ContinueOnError)
	o.common(set)
	set.Var(&o.count, "count", "")
	if err := parse(set, args); err != nil {
		return nil, err
	}
	if err := asUsage(o.validateCommon(), obey("count", o.count, wholeCount)); err != nil {
		return nil, err
	}
	q := o.question(gaussianEvent(o.count))
	q.drawn = nil
	return q.answer()
}

// gaussianEvent is count Gaussian releases, one if count was not given.
func gaussianEvent(count number) func(noise float64) accounting.Event {
	return func(noise float64) accounting.Event {
		one := accounting.Gaussian{NoiseMultiplier: noise}
		if !count.given || count.value == 1 {
			return one
		}
		return accounting.SelfComposed{Event: one, Count: int(count.value)}
	}
}
