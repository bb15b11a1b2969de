package methods

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// Training returns the event of one training.
func Training(samplingRate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: samplingRate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}},
		Count: steps,
	}
}

// Around returns the events of the four methods around one training: the training by itself,
// variant 1, variant 2 and the baseline.
func Around(training accounting.Event, runs law.Law, tuningRate float64) [4]accounting.Event {
	tuning := selection.BestOf{Law: runs, Base: training}
	variant := func(v subsample.Variant) accounting.Event {
		return subsample.Event{TuningRate: tuningRate, Tuning: tuning, Training: training, Variant: v}
	}
	return [4]accounting.Event{training, variant(subsample.RestOfData), variant(subsample.AllData), tuning}
}
