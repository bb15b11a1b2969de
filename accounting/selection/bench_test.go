package selection_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
)

func BenchmarkPrice(b *testing.B) {
	sgd := accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}, Count: 5000}
	logarithmic, err := selection.TNBFromMean(0, 10)
	if err != nil {
		b.Fatal(err)
	}
	for name, event := range map[string]selection.Event{
		"gaussian/logarithmic": {Law: logarithmic, Base: accounting.Gaussian{NoiseMultiplier: 1}},
		"gaussian/poisson":     {Law: selection.Poisson{MeanRepeats: 10}, Base: accounting.Gaussian{NoiseMultiplier: 1}},
		"sgd/logarithmic":      {Law: logarithmic, Base: sgd},
		"sgd/poisson":          {Law: selection.Poisson{MeanRepeats: 10}, Base: sgd},
		"sgd/fixed":            {Law: selection.Fixed{Count: 10}, Base: sgd},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := selection.EventAt(event, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
