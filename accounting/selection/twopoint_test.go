package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// No bound falls below the exact ε, nor below what an order that is bad for privacy costs.
func TestTwoPointPrice(t *testing.T) {
	for _, l := range []law.TwoPoint{{Runs: 10, Single: 0.1}, {Runs: 1000, Single: 0.01}} {
		for _, mu := range []float64{0.25} {
			price, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1 / mu}}, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			least := price.Least().Epsilon
			if exact, err := (monotone.Gaussian{Law: l, Mu: mu}).EpsilonAt(1e-5); err != nil || least < exact.Lower {
				t.Errorf("%v, µ %g: %g (%s) is below the exact ε %v (%v)", l, mu, least, price.Least().Name, exact, err)
			}
			if delta := adversarialDelta(l, mu, least); delta > 1e-5 {
				t.Errorf("%v, µ %g: at ε = %g (%s) an order of the outputs has δ = %g > 1e-5", l, mu, least, price.Least().Name, delta)
			}
		}
	}
}

// The constant of MaxLogWeight against pairs of ranks that a Gaussian run can have: the
// events x > h.
func TestTwoPointMaxLogWeight(t *testing.T) {
	l := law.TwoPoint{Runs: 50, Single: 0.02}
	base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 2})
	if err != nil {
		t.Fatal(err)
	}
	runs, told := l.Distribution(), law.Profile{DeltaAt: base.Profiles[0].DeltaAt, Quick: true}
	for _, order := range []float64{1.5, 8, math.Inf(1)} {
		limit := runs.MaxLogWeight(order, told)
		for h := -6.0; h < 6; h += 0.05 {
			for _, shift := range []float64{0.5, -0.5} {
				for _, q := range [][2]float64{{numeric.NormalCDF(h), numeric.NormalCDF(h - shift)}, {numeric.NormalCDF(-h), numeric.NormalCDF(shift - h)}} {
					value := runs.LogPGFDerivative(q[0]) - runs.LogPGFDerivative(q[1]) + (runs.LogPGFDerivative(q[0])-runs.LogPGFDerivative(1))/(order-1)
					if value > limit+1e-12 {
						t.Errorf("order %g: ranks %v have %g, above the bound %g", order, q, value, limit)
					}
				}
			}
		}
	}
}
