package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
)

// A list of values is above the true ones, and near what one question at a time gives.
func TestDeltasAt(t *testing.T) {
	var epsilons []float64
	for i := range 200 {
		epsilons = append(epsilons, 0.03*float64(i))
	}
	for _, event := range []accounting.Event{
		accounting.Gaussian{NoiseMultiplier: 1}, accounting.Laplace{NoiseMultiplier: 0.5},
		accounting.Composed{Events: []accounting.Event{accounting.Laplace{NoiseMultiplier: 1}, accounting.Gaussian{NoiseMultiplier: 1}}},
		accounting.SelfComposed{Count: 20, Event: accounting.PureDP{Epsilon: 0.3}},
		accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 1}}},
		pld.DiscretePair{With: []float64{0.7, 0.2, 0.1, 0}, Without: []float64{0.2, 0.2, 0.5, 0.1}},
	} {
		a := pld.NewAccountant()
		deltas, err := a.DeltasAt(event, epsilons)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(epsilons); i += 17 {
			one, err := a.DeltaAt(event, epsilons[i])
			if err != nil {
				t.Fatal(err)
			}
			if got := deltas[i].Upper; got < one.Lower || got > 1.2*one.Upper && one.Upper > 1e-12 {
				t.Errorf("%v: δ(%g) <= %g in a list, alone in [%g, %g]", event, epsilons[i], got, one.Lower, one.Upper)
			}
		}
	}
	for _, wrong := range [][]float64{{-1}, {2, 1}, {math.NaN()}} {
		if _, err := pld.NewAccountant().DeltasAt(accounting.Laplace{NoiseMultiplier: 1}, wrong); err == nil {
			t.Errorf("ε %v: must be refused", wrong)
		}
	}
}
