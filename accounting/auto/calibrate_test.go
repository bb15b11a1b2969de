package auto_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// What was calibrated costs ε, from below, and a little less noise costs more.
func TestCalibrate(t *testing.T) {
	const epsilon = 1.0
	gaussian := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	for name, event := range map[string]func(sigma float64) accounting.Event{
		"tuning on a sample": func(sigma float64) accounting.Event {
			return subsample.TuneThenTrain{TuningRate: 0.1, Variant: subsample.RestOfData, Training: gaussian(sigma), Tuning: selection.Event{Law: law.Poisson{MeanRepeats: 10}, Base: gaussian(sigma)}}
		},
		"logarithmic": func(sigma float64) accounting.Event {
			return selection.Event{Law: tnb(t, 0, 10), Base: sgd(0.02, sigma, 500)}
		},
		"Poisson": func(sigma float64) accounting.Event {
			return selection.Event{Law: law.Poisson{MeanRepeats: 10}, Base: gaussian(sigma)}
		},
		"fixed": func(sigma float64) accounting.Event {
			return selection.Event{Law: law.Fixed{Count: 3}, Base: sgd(0.02, sigma, 500)}
		},
	} {
		if testing.Short() && (name == "Poisson" || name == "fixed") {
			continue
		}
		sigma, err := auto.CalibrateNoiseMultiplier(event, epsilon, delta)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := upper(t, auto.NewAccountant(), event(sigma), delta); !(got <= epsilon && got > 0.999*epsilon) {
			t.Errorf("%s: σ %g costs %g: want just below %g", name, sigma, got, epsilon)
		}
		if got := upper(t, auto.NewAccountant(), event(0.99*sigma), delta); got <= epsilon {
			t.Errorf("%s: σ %g, one percent less noise, costs %g: want more than %g", name, 0.99*sigma, got, epsilon)
		}
		if _, err := auto.CalibrateNoiseMultiplier(event, -1, delta); err == nil {
			t.Errorf("%s: ε -1: must be refused", name)
		}
	}
}
