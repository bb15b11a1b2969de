package auto_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

func listedCurve(t *testing.T, curve rdp.Curve) accounting.RenyiBound {
	t.Helper()
	e, err := accounting.NewRenyiBound("mine", curve)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func listedGaussian(t *testing.T, mu float64) accounting.ProfileBound {
	t.Helper()
	e, err := accounting.NewProfileBound("mine", func(epsilon float64) float64 {
		d, err := gdp.DeltaAt(mu, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		return d.Upper
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func upperEnd(t *testing.T, event accounting.Event, delta float64, a accounting.Accountant) accounting.Guarantee {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func oneAfterAnother(events ...accounting.Event) accounting.Event {
	return accounting.Composed{Events: events}
}

// A zCDP release next to DP-SGD costs more than a Gaussian of that ρ, which is one such release,
// and less than by the sum of Rényi curves. So does its curve, listed.
func TestZCDPBesideSGD(t *testing.T) {
	run := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	for _, c := range []struct{ rho, most float64 }{{0.005, 1.9001}, {0.05, 2.3567}, {0.5, 5.1972}} {
		least := upperEnd(t, oneAfterAnother(accounting.Gaussian{NoiseMultiplier: 1 / math.Sqrt(2*c.rho)}, run), 1e-5, auto.NewAccountant()).Epsilon.Lower
		for _, event := range []accounting.Event{accounting.ZCDP{Rho: c.rho}, listedCurve(t, rdp.ZCDP(c.rho))} {
			whole := oneAfterAnother(event, run)
			got, before := upperEnd(t, whole, 1e-5, auto.NewAccountant()), upperEnd(t, whole, 1e-5, rdp.NewAccountant())
			if got.Epsilon.HasLower || !(got.Epsilon.Upper >= least && got.Epsilon.Upper <= c.most && c.most < before.Epsilon.Upper) {
				t.Errorf("%v: %v, want from %g to %g, and below %v", event, got.Epsilon, least, c.most, before.Epsilon)
			}
			if got.Certificate == nil || got.Certificate.Epsilon != got.Epsilon.Upper {
				t.Errorf("%v: certificate %+v, %v", event, got.Certificate, got.Warnings)
			}
		}
	}
}

// Runs next to their scores, as a loop of one's own composes them, and as the split allows.
func TestParallelRuns(t *testing.T) {
	run := accounting.SelfComposed{Count: 60, Event: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	score := accounting.Gaussian{NoiseMultiplier: 4}
	times := func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Count: 8, Event: e} }
	loop := times(accounting.Parallel{Events: []accounting.Event{run, score}})
	apart := accounting.Parallel{Events: []accounting.Event{times(run), times(score)}}
	least, got, before := upperEnd(t, apart, 1e-5, auto.NewAccountant()), upperEnd(t, loop, 1e-5, auto.NewAccountant()), upperEnd(t, loop, 1e-5, rdp.NewAccountant())
	if !(least.Epsilon.Upper <= 5.4293 && got.Epsilon.Upper >= least.Epsilon.Lower && got.Epsilon.Upper <= 5.4415 && before.Epsilon.Upper > 5.8) {
		t.Errorf("%v apart, %v in a loop, %v by curves", least.Epsilon, got.Epsilon, before.Epsilon)
	}
	if least.Certificate == nil || got.Certificate == nil {
		t.Errorf("certificates %v, %v", least.Certificate, got.Certificate)
	}
}

// A bound on a mechanism is priced at least as the mechanism, and not much higher, in every place.
func TestBoundsInEveryPlace(t *testing.T) {
	gaussian, run := accounting.Gaussian{NoiseMultiplier: 1}, accounting.SelfComposed{Count: 500, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	profile, curve := listedGaussian(t, 1), listedCurve(t, rdp.Gaussian(1))
	for name, place := range map[string]func(accounting.Event) accounting.Event{
		"alone":  func(e accounting.Event) accounting.Event { return e },
		"beside": func(e accounting.Event) accounting.Event { return oneAfterAnother(run, e) },
		"thrice": func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 3} },
		"sample": func(e accounting.Event) accounting.Event {
			return accounting.PoissonSampled{SamplingRate: 0.1, Event: e}
		},
		"samples": func(e accounting.Event) accounting.Event {
			return accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.05, Event: e}}
		},
		"sample of a composition": func(e accounting.Event) accounting.Event {
			return oneAfterAnother(run, accounting.PoissonSampled{SamplingRate: 0.1, Event: oneAfterAnother(e, accounting.Laplace{NoiseMultiplier: 3})})
		},
		"part": func(e accounting.Event) accounting.Event {
			return accounting.Parallel{Events: []accounting.Event{e, run}}
		},
		"part, beside": func(e accounting.Event) accounting.Event {
			return oneAfterAnother(run, accounting.WorstCase{Events: []accounting.Event{e, run}})
		},
		"selection": func(e accounting.Event) accounting.Event { return tuningOf(e) },
		"of both": func(e accounting.Event) accounting.Event {
			return selection.BestOf{Law: law.Fixed{Count: 3}, Base: oneAfterAnother(run, e)}
		},
		"two tunings": func(e accounting.Event) accounting.Event {
			return accounting.SelfComposed{Event: tuningOf(e), Count: 2}
		},
		"sampled runs": func(e accounting.Event) accounting.Event {
			return tuningOf(accounting.PoissonSampled{SamplingRate: 0.1, Event: e})
		},
		"after a price": func(e accounting.Event) accounting.Event {
			return oneAfterAnother(accounting.ExponentialMechanism{Epsilon: 1}, e)
		},
	} {
		if quick := name == "alone" || name == "beside" || name == "sample" || name == "selection"; testing.Short() && !quick {
			continue
		}
		want := upperEnd(t, place(gaussian), 1e-5, auto.NewAccountant()).Epsilon
		byCurve := upperEnd(t, place(accounting.ZCDP{Rho: 0.5}), 1e-5, auto.NewAccountant()).Epsilon.Upper
		// Without a lower end the price of the Gaussian is an upper end too, on another grid: 7e-5 apart.
		floor := want.Upper * (1 - 2e-4)
		if want.HasLower {
			floor = want.Lower
		}
		got := upperEnd(t, place(profile), 1e-5, auto.NewAccountant()).Epsilon
		if got.HasLower && got.Lower > want.Upper || !(got.Upper >= floor) || got.Upper > want.Upper*1.005+0.01 {
			t.Errorf("%s: the profile %v, want about %v", name, got, want)
		}
		if got = upperEnd(t, place(curve), 1e-5, auto.NewAccountant()).Epsilon; !(got.Upper >= floor) || math.Abs(got.Upper-byCurve) > 1e-3*byCurve {
			t.Errorf("%s: the curve %v, want about %g", name, got, byCurve)
		}
	}
}

// A stand-in has no lower end under any relation.
func TestBoundsHaveNoLowerEnd(t *testing.T) {
	profile, curve := listedGaussian(t, 1), listedCurve(t, rdp.Gaussian(1))
	for r, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		a, err := auto.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		events := []accounting.Event{
			profile, curve, oneAfterAnother(profile, accounting.Laplace{NoiseMultiplier: 1}), oneAfterAnother(curve, accounting.Laplace{NoiseMultiplier: 1}),
			accounting.PoissonSampled{SamplingRate: 0.1, Event: profile}, accounting.PoissonSampled{SamplingRate: 0.1, Event: curve},
			accounting.SelfComposed{Count: 3, Event: accounting.PoissonSampled{SamplingRate: 0.1, Event: profile}},
		}
		if relation != accounting.ReplaceOne { // there a curve is not on the grid, and a profile has no curve
			events = append(events, oneAfterAnother(curve, profile))
		}
		for i, event := range events {
			if testing.Short() && i%3 != r { // each event under one relation
				continue
			}
			g, err := a.EpsilonAt(event, 1e-5)
			if err != nil || g.Epsilon.HasLower || math.IsInf(g.Epsilon.Upper, 1) {
				t.Errorf("%v, %v: %v, %v", relation, event, g, err)
			}
			d, err := a.DeltaAt(event, 1)
			if err != nil || d.HasLower || !(d.Upper < 1) {
				t.Errorf("%v, %v: δ %v, %v", relation, event, d, err)
			}
		}
	}
}
