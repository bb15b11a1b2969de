package firstabove_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The first good run costs less than the best of as many, for laws that both know.
func TestBelowBestOf(t *testing.T) {
	run := accounting.Gaussian{NoiseMultiplier: 1}
	for _, l := range []law.Law{law.TNB{Eta: 1, Gamma: 0.1}, law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5}, law.Withheld{Law: law.TNB{Eta: 1, Gamma: 0.1}, Max: 30}} {
		first, err := firstabove.PriceAt(firstabove.Event{Law: l, Base: run}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		best, err := selection.EventAt(selection.BestOf{Law: l, Base: run}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if first.Guarantee.Epsilon.Upper >= best.Guarantee.Epsilon.Upper || first.Guarantee.Epsilon.Upper < first.OneRun.Epsilon.Upper {
			t.Errorf("%v: the first good run costs %g, the best %g, one %g", l, first.Guarantee.Epsilon.Upper, best.Guarantee.Epsilon.Upper, first.OneRun.Epsilon.Upper)
		}
	}
}

// The pair costs what the bound says, up to what its lists and the grid add; two searches cost less by it than added.
func TestDominatingPair(t *testing.T) {
	search := firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.05}, Base: accounting.Gaussian{NoiseMultiplier: 2}}
	price, err := firstabove.PriceAt(search, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := firstabove.DominatingPair(search, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := pld.NewAccountant().EpsilonAt(pair, 1e-5)
	if want := price.Guarantee.Epsilon.Upper; err != nil || alone.Epsilon.Upper < want*(1-2e-3) || alone.Epsilon.Lower > want*(1+5e-3) {
		t.Errorf("the pair costs %v, %v: want %g", alone.Epsilon, err, want)
	}
	twice, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: pair, Count: 2}, 1e-5)
	if err != nil || twice.Epsilon.Upper > 1.9*alone.Epsilon.Upper || twice.Epsilon.Upper < alone.Epsilon.Upper {
		t.Errorf("two searches cost %v, %v, one %v", twice.Epsilon, err, alone.Epsilon)
	}
}

func TestErrors(t *testing.T) {
	good := firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.1}, Base: accounting.Gaussian{NoiseMultiplier: 1}}
	for name, c := range map[string]struct {
		search firstabove.Event
		delta  float64
	}{
		"no law":    {firstabove.Event{Base: good.Base}, 1e-5},
		"no base":   {firstabove.Event{Law: good.Law}, 1e-5},
		"a bad law": {firstabove.Event{Law: law.Poisson{}, Base: good.Base}, 1e-5},
		"δ = 0":     {good, 0},
	} {
		if p, err := firstabove.PriceAt(c.search, c.delta); err == nil {
			t.Errorf("%s: priced at %v", name, p.Guarantee.Epsilon)
		}
		if _, err := firstabove.DominatingPair(c.search, c.delta); err == nil {
			t.Errorf("%s: a pair of laws", name)
		}
	}
	open := firstabove.Event{Law: good.Law, Base: accounting.NonPrivate{}}
	if p, err := firstabove.PriceAt(open, 1e-5); err != nil || !math.IsInf(p.Guarantee.Epsilon.Upper, 1) {
		t.Errorf("runs without noise: %v, %v, want +Inf as for the best of them", p.Guarantee, err)
	}
	if _, err := firstabove.DominatingPair(open, 1e-5); err == nil {
		t.Error("runs without noise: a pair of laws")
	}
	if _, err := firstabove.Bound(good.Law, baserun.Run{}, 1e-5); err == nil {
		t.Error("a base of which nothing is known is priced")
	}
	if p, err := firstabove.PriceAt(good, 0.7); err != nil || !(p.Guarantee.Epsilon.Upper >= 0 && p.Guarantee.Epsilon.Upper < 2) {
		t.Errorf("δ = 0.7: %v, %v", p.Guarantee.Epsilon, err)
	}
}

// BenchmarkPrice is a price by every bound.
func BenchmarkPrice(b *testing.B) {
	for b.Loop() {
		if _, err := firstabove.PriceAt(firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.05}, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5); err != nil {
			b.Fatal(err)
		}
	}
}

// After a run that is not good the search ends with chance 1/20.
func ExamplePriceAt() {
	stopping := law.TNB{Eta: 1, Gamma: 1.0 / 20}
	for _, run := range []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, accounting.PureDP{Epsilon: 1}} {
		price, err := firstabove.PriceAt(firstabove.Event{Law: stopping, Base: run}, 1e-5)
		if err != nil {
			panic(err)
		}
		fmt.Printf("one run %.2f, the first good one %.2f\n", price.OneRun.Epsilon.Upper, math.Ceil(100*price.Guarantee.Epsilon.Upper)/100)
	}
	// Output:
	// one run 4.38, the first good one 6.02
	// one run 1.00, the first good one 1.90
}
