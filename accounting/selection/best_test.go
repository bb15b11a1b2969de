package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
	"github.com/dplab/dplab/accounting/selection"
)

// Every base that accounting/best knows has a price, which is never above that by the
// Rényi curve where there is one, and never below the exact price of a run that must be
// at least as good: one run.
func TestBestBases(t *testing.T) {
	laplace := accounting.Laplace{NoiseMultiplier: 2}
	for _, event := range []accounting.Event{
		laplace, accounting.RandomizedResponse{Truth: 0.7}, accounting.PureDP{Epsilon: 0.5}, accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-8},
		accounting.ZCDP{Rho: 0.1}, accounting.Gaussian{NoiseMultiplier: 2}, sgd(0.01, 1, 500),
		accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace},
		accounting.Composed{Events: []accounting.Event{laplace, accounting.Gaussian{NoiseMultiplier: 2}}},
	} {
		tuning := selection.Event{Law: tnb(t, 0, 10), Base: event}
		got, err := selection.EventAt(tuning, 1e-5, certified.NewAccountant())
		if err != nil {
			t.Errorf("%v: %v", event, err)
			continue
		}
		if !(got.Least().Epsilon >= got.Base.Epsilon.Upper*(1-1e-9) && got.Least().Epsilon < math.Inf(1)) {
			t.Errorf("%v: ε %g (%s), one run %g", event, got.Least().Epsilon, got.Least().Name, got.Base.Epsilon.Upper)
		}
		if rdpOnly, err := selection.EventAt(tuning, 1e-5); err == nil && got.Least().Epsilon > rdpOnly.Least().Epsilon*(1+1e-9) {
			t.Errorf("%v: ε %g (%s), above %g without the accountant", event, got.Least().Epsilon, got.Least().Name, rdpOnly.Least().Epsilon)
		}
	}
}

// The best of K pure runs costs (2+η)ε at δ = 0, or less (Corollary 3), and an approximate
// one little more.
func TestBestOfPureRuns(t *testing.T) {
	law := tnb(t, 1, 5)
	for _, event := range []accounting.Event{accounting.PureDP{Epsilon: 0.3}, accounting.ApproxDP{Epsilon: 0.3, Delta: 1e-9}} {
		p, err := selection.EventAt(selection.Event{Law: law, Base: event}, 1e-8, certified.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Least().Epsilon, (2+law.Eta)*0.3; !(got <= want*(1+1e-6) && got > 0.3) {
			t.Errorf("%v: ε %.9g (%s), want at most (2+η)ε = %.9g (Corollary 3 of Papernot and Steinke 2022)", event, got, p.Least().Name, want)
		}
	}
}

// A tuning in a composition: with certified runs it costs no more than by Rényi curves, and
// a tuning whose run has no curve is priced at all.
func TestBestAccountantComposes(t *testing.T) {
	certified := selection.NewBestAccountant()
	tuning := selection.Event{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	event := accounting.Composed{Events: []accounting.Event{tuning, sgd(0.01, 1.5, 1000)}}
	with, err := certified.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	without, err := selection.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil || !(with.Epsilon.Upper <= without.Epsilon.Upper*(1+1e-9)) { // two searches over orders
		t.Errorf("ε %v (%s) with certified runs, %v, %v by Rényi curves", with.Epsilon, with.Method, without.Epsilon, err)
	}
	if alone, err := certified.EpsilonAt(tuning, 1e-5); err != nil || !(with.Epsilon.Upper > alone.Epsilon.Upper) {
		t.Errorf("ε %v, below that of the tuning alone, %v, %v", with.Epsilon, alone.Epsilon, err)
	}
	sampled := selection.Event{Law: tnb(t, 0, 5), Base: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 3}}}
	g, err := certified.EpsilonAt(accounting.Composed{Events: []accounting.Event{sampled, accounting.Gaussian{NoiseMultiplier: 4}}}, 1e-5)
	if err != nil || !(g.Epsilon.Upper > 0 && g.Epsilon.Upper < 20) {
		t.Errorf("a tuning of sampled Laplace runs, then a Gaussian: %v, %v", g, err)
	}
}
