package selection_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

// A run without a certified profile is priced by its Rényi curve, and the price has a warning. If a
// profile is certified, or only Rényi bounds are wanted, it has none.
func TestNoCertifiedProfileIsSaid(t *testing.T) {
	l := law.Poisson{MeanRepeats: 10}
	says := func(event accounting.Event, accountants ...accounting.Accountant) (accounting.Price, bool) {
		p, err := selection.EventAt(selection.BestOf{Law: l, Base: event}, 1e-5, accountants...)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range p.Guarantee.Warnings {
			if strings.Contains(w.Error(), "no certified profile of one run: bounds come from its Rényi curve only") {
				return p, true
			}
		}
		return p, false
	}
	for _, event := range []accounting.Event{accounting.ZCDP{Rho: 0.1}, selection.BestOf{Law: law.Fixed{Count: 2}, Base: accounting.Gaussian{NoiseMultiplier: 4}}} {
		p, said := says(event, auto.NewAccountant())
		if !said {
			t.Errorf("%v: warnings %v, want that no profile is certified", event, p.Guarantee.Warnings)
		}
		for _, b := range p.Bounds {
			if source, ok := strings.CutPrefix(b.Name, "pointwise, "); ok && source != "RDP" {
				t.Errorf("%v: bound %q of a profile that nobody certifies", event, b.Name)
			}
		}
		if _, said := says(event, auto.NewAccountant(rdp.NewAccountant())); said {
			t.Errorf("%v: a warning where Rényi bounds alone were asked for", event)
		}
	}
	for _, event := range []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, sgd(0.01, 2, 100), accounting.Laplace{NoiseMultiplier: 1}, accounting.ApproxDP{Epsilon: 1, Delta: 1e-8}} {
		if p, said := says(event); said {
			t.Errorf("%v: warnings %v, though its profile is certified", event, p.Guarantee.Warnings)
		}
	}
}

// A law without a finite mean is refused by field, value and rule, wherever it stands.
func TestInfiniteMeanIsRefused(t *testing.T) {
	endless := law.TNB{Eta: 1e12, Gamma: 1e-300}
	for _, l := range []law.Law{endless, law.Truncated{Law: endless, Max: 10}, law.Capped{Law: endless, Max: 10}, law.Withheld{Law: endless, Max: 10}} {
		_, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5)
		if err == nil || !strings.Contains(err.Error(), "Eta 1e+12, Gamma 1e-300") || !strings.Contains(err.Error(), "mean +Inf: must be finite") {
			t.Errorf("%v: %v, want its parameters, its mean and the rule", l, err)
		}
	}
}

// Lemma 7 needs f' on all of [0, 1]. It refuses a law without: of an infinite mean, without a distribution, or no law.
func TestLemma7NeedsADerivative(t *testing.T) {
	base := baserun.Run{Curve: rdp.ZCDP(0.1)}
	for text, l := range map[string]law.Law{
		"mean +Inf: must be finite": law.TNB{Eta: 1e12, Gamma: 1e-300},
		"Distribution is empty":     emptyLaw{},
		"law is nil":                nil,
	} {
		if _, err := selection.Lemma7(l, base); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v, want an error with %q", l, err, text)
		}
	}
	if _, err := selection.Lemma7(law.Fixed{Count: 2}, baserun.Run{}); err == nil {
		t.Error("a run without a curve: no error")
	}
}

type emptyLaw struct{}

func (emptyLaw) Validate() error                { return nil }
func (emptyLaw) String() string                 { return "a law without a distribution" }
func (emptyLaw) Distribution() law.Distribution { return law.Distribution{} }

// A δ above 1/E[K] is answered: the price is above what an order of the outputs leaks, and falls with δ down to nothing.
func TestDeltaAboveOneOverTheMean(t *testing.T) {
	pair := worstorder.Gaussian(1, 100)
	for j, l := range []law.Law{tnb(t, 0, 10), tnb(t, 1, 100), law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5}, law.Fixed{Count: 10}, law.Capped{Law: tnb(t, 0, 10), Max: 30}} {
		if testing.Short() && j%2 == 1 {
			continue
		}
		last := 1e9
		for i, delta := range []float64{0.11, 0.3, 0.6, 0.9, 0.999} {
			if testing.Short() && i%2 == 1 {
				continue
			}
			p, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1}}, delta)
			if err != nil {
				t.Fatal(err)
			}
			limit, err := worstorder.EpsilonAt(l, pair, delta)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Guarantee.Epsilon.Upper; got < limit || got > last {
				t.Errorf("%v, δ = %g: ε %g, want at least %g, which an order leaks, and at most %g, that at a smaller δ", l, delta, got, limit, last)
			}
			last = p.Guarantee.Epsilon.Upper
		}
		if last > 0.5 {
			t.Errorf("%v: ε %g at δ = 0.999", l, last)
		}
	}
}

// A Base of which a profile alone is known has a price for a fixed number of runs too, and an error that says so where a Rényi curve is needed.
func TestProfileAlone(t *testing.T) {
	pair := enumerate.Of([]float64{0.5, 0.3, 0.2}, []float64{0.45, 0.34, 0.21})
	base := baserun.Run{Name: "a pair", Profiles: []baserun.Profile{{Name: "exact", DeltaAt: pair.Delta}}}
	p, err := selection.PriceAt(law.Fixed{Count: 3}, base, 1e-3)
	if err != nil || !(p.Least().Epsilon > 0.12 && p.Least().Epsilon < 1) { // one run has 0.125
		t.Errorf("the best of 3: %v, %v", p.Guarantee, err)
	} else if worst := worstDelta(t, law.Fixed{Count: 3}, pair, p.Least().Epsilon); worst > 1e-3 {
		t.Errorf("the best of 3: an order leaks δ = %g at ε = %g, above 1e-3", worst, p.Least().Epsilon)
	}
	for _, l := range []law.Law{law.Poisson{MeanRepeats: 3}, law.Binomial{Trials: 3, P: 0.5}, law.Fixed{Count: 1}} {
		if _, err := selection.RDP(l, base); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "Rényi curve of a pair") {
			t.Errorf("%v: curve: %v, want ErrUnsupportedEvent, and of what", l, err)
		}
	}
	tuning := selection.BestOf{Law: law.Poisson{MeanRepeats: 3}, Base: accounting.ApproxDP{Epsilon: 1, Delta: 1e-9}}
	if _, err := selection.CurveOf(tuning); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v: %v, want ErrUnsupportedEvent", tuning, err)
	}
}
