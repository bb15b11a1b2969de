package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// Without an accountant named, every base that anybody knows has a price, which is never above
// that by the Rényi curve where there is one, and never below the exact price of a run that
// must be at least as good: one run.
func TestDefaultBases(t *testing.T) {
	laplace := accounting.Laplace{NoiseMultiplier: 2}
	for _, event := range []accounting.Event{
		laplace, accounting.RandomizedResponse{Truth: 0.7}, accounting.PureDP{Epsilon: 0.5}, accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-8},
		accounting.ZCDP{Rho: 0.1}, accounting.Gaussian{NoiseMultiplier: 2}, sgd(0.01, 1, 500),
		accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace},
		accounting.Composed{Events: []accounting.Event{laplace, accounting.Gaussian{NoiseMultiplier: 2}}},
	} {
		tuning := selection.Event{Law: tnb(t, 0, 10), Base: event}
		got, err := selection.EventAt(tuning, 1e-5)
		if err != nil {
			t.Errorf("%v: %v", event, err)
			continue
		}
		if !(got.Least().Epsilon >= got.Base.Epsilon.Upper*(1-1e-9) && got.Least().Epsilon < math.Inf(1)) {
			t.Errorf("%v: ε %g (%s), one run %g", event, got.Least().Epsilon, got.Least().Name, got.Base.Epsilon.Upper)
		}
		if rdpOnly, err := selection.EventAt(tuning, 1e-5, rdp.NewAccountant()); err == nil && got.Least().Epsilon > rdpOnly.Least().Epsilon*(1+1e-9) {
			t.Errorf("%v: ε %g (%s), above %g by Rényi bounds alone", event, got.Least().Epsilon, got.Least().Name, rdpOnly.Least().Epsilon)
		}
	}
}

// The best of K pure runs costs (2+η)ε at δ = 0, or less (Corollary 3), and an approximate
// one little more.
func TestBestOfPureRuns(t *testing.T) {
	law := tnb(t, 1, 5)
	for _, event := range []accounting.Event{accounting.PureDP{Epsilon: 0.3}, accounting.ApproxDP{Epsilon: 0.3, Delta: 1e-9}} {
		p, err := selection.EventAt(selection.Event{Law: law, Base: event}, 1e-8)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Least().Epsilon, (2+law.Eta)*0.3; !(got <= want*(1+1e-6) && got > 0.3) {
			t.Errorf("%v: ε %.9g (%s), want at most (2+η)ε = %.9g (Corollary 3 of Papernot and Steinke 2022)", event, got, p.Least().Name, want)
		}
	}
}
