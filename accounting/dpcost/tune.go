package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

func tuneCommand(args []string) ([]byte, error) {
	var o options
	set := flag.NewFlagSet("tune", flag.ContinueOnError)
	o.common(set)
	o.sgdFlags(set)
	set.Var(&o.epochs, "epochs", "")
	define(set, map[string]flag.Value{
		"count": &o.count, "base-count": &o.baseCount, "law": &o.law, "eta": &o.eta, "mean": &o.mean, "gamma": &o.gamma,
		"base": &o.base, "tuning-rate": &o.tuningRate, "variant": &o.variant, "release": &o.release,
	})
	if err := parse(set, args); err != nil {
		return nil, err
	}
	law, lawErr := o.lawOf()
	event, baseErr := o.baseOf()
	variant, variantErr := o.variantOf()
	if err := asUsage(lawErr, baseErr, variantErr, o.validateRelease(), o.validateSample(), o.validateCommon()); err != nil {
		return nil, err
	}
	q := o.question(func(noise float64) accounting.Event {
		if o.release.text == "first" {
			return firstabove.Search{Law: law, Base: event(noise)}
		}
		tuning := selection.Event{Law: law, Base: event(noise)}
		if !o.tuningRate.given {
			return tuning
		}
		return subsample.TuneThenTrain{TuningRate: o.tuningRate.value, Variant: variant, Tuning: tuning, Training: event(noise)}
	})
	q.run = event
	return q.answer()
}

// validateRelease checks which run is released.
func (o *options) validateRelease() error {
	switch {
	case !o.release.given, o.release.text == "best":
		return nil
	case o.release.text != "first":
		return fmt.Errorf("-release %q: must be best or first", o.release.text)
	case o.tuningRate.given:
		return errors.New("-tuning-rate: must not be given with -release first")
	}
	return nil
}

// validateSample refuses a tuning on a sample that a loader shuffles: its number of steps tells how
// large the sample is.
func (o *options) validateSample() error {
	if o.tuningRate.given && o.scheme() == batchesShuffled {
		return errors.New("-batches shuffled: must be poisson or fixed with -tuning-rate: how many batches a loader makes of the sample depends on the example in question")
	}
	return nil
}

// variantOf returns what the training after a tuning on a sample reads.
func (o *options) variantOf() (subsample.Variant, error) {
	switch {
	case !o.tuningRate.given && o.variant.given:
		return 0, fmt.Errorf("-variant %s: must not be given without -tuning-rate", o.variant.text)
	case !o.tuningRate.given:
		return 0, nil
	case !o.variant.given, o.variant.text == "rest":
		return subsample.RestOfData, obey("tuning-rate", o.tuningRate, check.Rate)
	case o.variant.text == "all":
		return subsample.AllData, obey("tuning-rate", o.tuningRate, check.Rate)
	}
	return 0, fmt.Errorf("-variant %q: must be rest or all", o.variant.text)
}

// lawOf returns the law of the number of runs, from the flags that belong to it.
func (o *options) lawOf() (law.Law, error) {
	with := "with -law " + o.law.text
	switch {
	case !o.law.given:
		return nil, fmt.Errorf("-law is missing: it is required, and must be tnb, poisson or fixed")
	case o.law.text == "tnb":
		return o.tnb()
	case o.law.text == "poisson":
		law := law.Poisson{MeanRepeats: o.mean.value}
		return law, asUsage(need("mean", o.mean, poisson), refuse("eta", o.eta, with), refuse("gamma", o.gamma, with))
	case o.law.text == "fixed":
		law := law.Fixed{Count: int(o.count.value)}
		return law, asUsage(need("count", o.count, wholeCount), refuse("eta", o.eta, with), refuse("gamma", o.gamma, with), refuse("mean", o.mean, with))
	}
	return nil, fmt.Errorf("-law %q: must be tnb, poisson or fixed", o.law.text)
}

func (o *options) tnb() (law.Law, error) {
	if err := asUsage(obey("eta", o.eta, aboveMinus), obey("mean", o.mean, aboveOne), obey("gamma", o.gamma, gamma)); err != nil {
		return nil, err
	}
	switch {
	case o.mean.given && o.gamma.given:
		return nil, fmt.Errorf("-mean %v and -gamma %v: must give one of them, not both", o.mean.String(), o.gamma.String())
	case o.gamma.given:
		law := law.TNB{Eta: o.eta.value, Gamma: o.gamma.value}
		return law, law.Validate()
	case o.mean.given:
		law, err := law.TNBFromMean(o.eta.value, o.mean.value)
		if err != nil {
			return nil, fmt.Errorf("-mean %v: %w", o.mean.String(), err)
		}
		return law, nil
	}
	return nil, fmt.Errorf("-mean is missing: -law tnb needs -mean (> 1) or -gamma (in (0, 1))")
}

// baseSGD is a base whose steps draw batches.
const baseSGD = "sgd"

// baseOf returns one run, from the flags that belong to it. With a law other than fixed,
// -count is the base's, as it is in the command gaussian.
func (o *options) baseOf() (func(noise float64) accounting.Event, error) {
	with := "with -base " + o.base.text
	lawTakesCount := o.law.text == "fixed"
	switch {
	case !o.base.given:
		return nil, fmt.Errorf("-base is missing: it is required, and must be sgd or gaussian")
	case o.base.text == baseSGD:
		errs := []error{o.validateSGD(), refuse("base-count", o.baseCount, with)}
		if !lawTakesCount {
			errs = append(errs, refuse("count", o.count, with+" and this law"))
		}
		return o.sgdEvent(), asUsage(errs...)
	case o.base.text == "gaussian":
		errs := []error{obey("base-count", o.baseCount, wholeCount), refuse("rate", o.rate, with), refuse("steps", o.steps, with), refuse("epochs", o.epochs, with), refuseWord("batches", o.batches, with)}
		count := o.baseCount
		if !lawTakesCount && o.count.given {
			errs = append(errs, obey("count", o.count, wholeCount), refuse("base-count", o.baseCount, "with -count, which means the same here"))
			count = o.count
		}
		return gaussianEvent(count), asUsage(errs...)
	}
	return nil, fmt.Errorf("-base %q: must be sgd or gaussian", o.base.text)
}
