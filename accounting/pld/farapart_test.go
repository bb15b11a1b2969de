package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/pld"
)

// Gaussians so far apart that where one has mass the other has none that float64 holds: the search
// for a window saw no losses, and the program panicked. Beside a part that costs 1e-9 the truth
// is the closed form of the Gaussian, to 1e-9.
func TestGaussiansFarApart(t *testing.T) {
	for i, mu := range []float64{30, 60, 100, 300} {
		for j, delta := range []float64{1e-20, 0.3} {
			if testing.Short() && j != i%2 {
				continue
			}
			exact, err := gdp.EpsilonAt(mu, delta)
			if err != nil {
				t.Fatal(err)
			}
			event := accounting.Composed{Events: []accounting.Event{gaussian(1 / mu), accounting.PureDP{Epsilon: 1e-9}}}
			got, err := accounting.Unchecked(pld.NewAccountant()).EpsilonAt(event, delta)
			if err != nil || got.Epsilon.Lower > exact.Upper+1e-9 || got.Epsilon.Upper < exact.Lower || got.Epsilon.Width() > 2e-5*exact.Upper+0.02 {
				t.Errorf("µ %g, δ %g: ε %v, %v, want about %.9g", mu, delta, got.Epsilon, err, exact.Estimate)
			}
		}
	}
	// What cannot be seen is not known, and no panic: infinite losses of most of the mass.
	event := accounting.Composed{Events: []accounting.Event{
		times(pld.DiscretePair{With: []float64{1, 0}, Without: []float64{1e-9, 1 - 1e-9}}, 4000), gaussian(0.006)}}
	if got, err := pld.NewAccountant().EpsilonAt(event, 0.999995); err == nil && !math.IsInf(got.Epsilon.Upper, 1) && !(got.Epsilon.Upper > 13_000) {
		t.Errorf("ε %v, want above that of the Gaussian, about 14,000", got.Epsilon)
	}
}
