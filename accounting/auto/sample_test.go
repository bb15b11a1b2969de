package auto_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
)

// Whatever is sampled costs at most ln(1+q(e^ε-1)), ε its own price at δ/q (Balle, Barthe and
// Gaboardi 2018, Theorem 8).
func TestSamplingLemma(t *testing.T) {
	a := auto.NewAccountant()
	both := func(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }
	gaussian := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	tuning := selection.BestOf{Law: tnb(t, 0, 5), Base: gaussian(2)}
	for name, event := range map[string]accounting.Event{
		"a tuning of trainings":     selection.BestOf{Law: tnb(t, 0, 5), Base: sgd(0.01, 1, 1000)},
		"a tuning":                  tuning,
		"a tuning and a release":    both(tuning, gaussian(3)),
		"two kinds of noise":        both(gaussian(2), accounting.Laplace{NoiseMultiplier: 4}),
		"(ε, δ) and a Gaussian":     both(accounting.ApproxDP{Epsilon: 1, Delta: 1e-6}, gaussian(1)),
		"parts":                     accounting.Parallel{Events: []accounting.Event{gaussian(1), accounting.Laplace{NoiseMultiplier: 1}}},
		"a choice":                  accounting.WorstCase{Events: []accounting.Event{gaussian(1), accounting.Laplace{NoiseMultiplier: 1}}},
		"a training":                sgd(0.01, 1, 1000),
		"zCDP":                      accounting.ZCDP{Rho: 0.5},
		"zCDP and a training":       both(accounting.ZCDP{Rho: 0.05}, sgd(0.01, 1, 1000)),
		"a choice, then a training": both(accounting.WorstCase{Events: []accounting.Event{gaussian(3), accounting.Laplace{NoiseMultiplier: 3}}}, sgd(0.01, 1, 1000)),
	} {
		for _, q := range []float64{0.01, 0.1} {
			if testing.Short() && q < 0.1 {
				continue
			}
			lemma := math.Log1p(q * math.Expm1(upper(t, a, event, delta/q)))
			g, err := a.EpsilonAt(accounting.PoissonSampled{SamplingRate: q, Event: event}, delta)
			if err != nil || !(g.Epsilon.Upper <= lemma*(1+1e-11) && g.Epsilon.Upper > 0) || g.Epsilon.HasLower && g.Epsilon.Lower > lemma {
				t.Errorf("%s at q = %g: %v, %v, want at most %g", name, q, g, err, lemma)
			}
		}
	}
}

// A composition that holds zCDP, parts, or a sample of a tuning costs no more than by the pairs of
// their profiles, and no less than where a Gaussian of that ρ, or the dearest part each time,
// stands in their place.
func TestCompositionsOfAnything(t *testing.T) {
	a := auto.NewAccountant()
	training := sgd(0.01, 1, 1000)
	beside := func(event accounting.Event) accounting.Event {
		return accounting.Composed{Events: []accounting.Event{event, training}}
	}
	for _, c := range []struct{ rho, most float64 }{{0.005, 1.9001}, {0.05, 2.3567}, {0.5, 5.1972}} {
		if testing.Short() && c.rho != 0.05 {
			continue
		}
		least := upper(t, a, beside(accounting.Gaussian{NoiseMultiplier: 1 / math.Sqrt(2*c.rho)}), delta)
		if got := upper(t, a, beside(accounting.ZCDP{Rho: c.rho}), delta); !(got >= least && got <= c.most) {
			t.Errorf("ρ = %g beside a training: %g, want from %g to %g", c.rho, got, least, c.most)
		}
	}
	run, score := sgd(0.1, 2, 60), accounting.Gaussian{NoiseMultiplier: 4}
	parts := accounting.SelfComposed{Count: 8, Event: accounting.Parallel{Events: []accounting.Event{run, score}}}
	least := upper(t, a, accounting.SelfComposed{Count: 8, Event: run}, delta) // the same split each time
	if got := upper(t, a, parts, delta); !(got >= least && got <= 5.4415) {
		t.Errorf("eight runs, each beside its score: %g, want from %g to 5.4415", got, least)
	}
	tuning := accounting.PoissonSampled{SamplingRate: 0.1, Event: selection.BestOf{Law: tnb(t, 0, 5), Base: accounting.Gaussian{NoiseMultiplier: 2}}}
	price, err := a.PriceAt(beside(tuning), delta)
	if least := upper(t, a, training, delta); err != nil || price.Bounds[0].Name != "dominating pairs" || !(price.Guarantee.Epsilon.Upper <= 1.94 && price.Guarantee.Epsilon.Upper > least) {
		t.Errorf("a tuning on a sample beside a training: %v, %v, want pairs least, and more than %g for the training", price, err, least)
	}
	// As the base of a tuning: 0.7636 and 2.8319 by Rényi curves.
	for want, base := range map[float64]accounting.Event{
		0.5745: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, accounting.Laplace{NoiseMultiplier: 4}}}},
		2.4755: beside(accounting.ZCDP{Rho: 0.005}),
	} {
		if got := upper(t, a, selection.BestOf{Law: tnb(t, 0, 5), Base: base}, delta); !(got <= want && got > upper(t, a, base, delta)) {
			t.Errorf("best of 5 of %v: %g, want at most %g", base, got, want)
		}
	}
}
