package verify_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/verify"
)

func BenchmarkVerify(b *testing.B) {
	logarithmic, err := law.Logarithmic(10)
	if err != nil {
		b.Fatal(err)
	}
	for name, event := range map[string]accounting.Event{
		"sgd":                 sgd(0.01, 2, 5000),
		"best of Gaussians":   selection.BestOf{Law: logarithmic, Base: accounting.Gaussian{NoiseMultiplier: 2}},
		"best of sgd":         selection.BestOf{Law: logarithmic, Base: sgd(0.01, 2, 5000)},
		"Poisson best of sgd": selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: sgd(0.01, 2, 5000)},
	} {
		g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil {
			b.Fatal(err)
		}
		answer, err := verify.Of(g)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := answer.Verify(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
