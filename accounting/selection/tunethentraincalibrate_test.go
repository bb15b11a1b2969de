package selection_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
)

// What was calibrated costs ε, from below, and a little less noise costs more.
func TestCalibrateTuneThenTrain(t *testing.T) {
	const epsilon, delta = 1.0, 1e-5
	event := func(sigma float64) selection.TuneThenTrain {
		run := accounting.Gaussian{NoiseMultiplier: sigma}
		return selection.TuneThenTrain{TuningRate: 0.1, Variant: selection.RestOfData, Training: run, Tuning: selection.Event{Law: selection.Poisson{MeanRepeats: 10}, Base: run}}
	}
	sigma, err := selection.CalibrateTuneThenTrain(event, epsilon, delta)
	if err != nil {
		t.Fatal(err)
	}
	at := func(sigma float64) float64 {
		price, err := selection.TuneThenTrainAt(event(sigma), delta)
		if err != nil {
			t.Fatal(err)
		}
		return price.Guarantee.Epsilon.Upper
	}
	if got := at(sigma); !(got <= epsilon && got > 0.999*epsilon) {
		t.Errorf("σ %g costs %g: want just below %g", sigma, got, epsilon)
	}
	if got := at(0.99 * sigma); got <= epsilon {
		t.Errorf("σ %g, one percent less noise, costs %g: want more than %g", 0.99*sigma, got, epsilon)
	}
	if _, err := selection.CalibrateTuneThenTrain(event, -1, delta); err == nil {
		t.Error("ε -1: must be refused")
	}
}
