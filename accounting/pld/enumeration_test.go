package pld_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return pld.Accountant{Width: 0.05, MaxGrid: 1 << 13} })
}

// twinDelta enumerates all outcomes of a composition: Σ (Πp - e^ε Πq)_+, both directions.
func twinDelta(pairs []pld.DiscretePair, epsilon float64) float64 {
	var sum func(i int, p, q float64) (float64, float64)
	sum = func(i int, p, q float64) (remove, add float64) {
		if i == len(pairs) {
			return math.Max(0, p-math.Exp(epsilon)*q), math.Max(0, q-math.Exp(epsilon)*p)
		}
		for k := range pairs[i].With {
			r, a := sum(i+1, p*pairs[i].With[k], q*pairs[i].Without[k])
			remove, add = remove+r, add+a
		}
		return remove, add
	}
	return math.Max(sum(0, 1, 1))
}

func drawPair(rng *rand.Rand, outcomes int) pld.DiscretePair {
	draw := func() []float64 {
		p := make([]float64, outcomes)
		total := 0.0
		for i := range p {
			p[i] = math.Exp(2 * rng.NormFloat64())
			total += p[i]
		}
		for i := range p {
			p[i] /= total
		}
		return p
	}
	return pld.DiscretePair{With: draw(), Without: draw()}
}

// Small pairs, sampled or not, against the sum over all outcomes.
func TestAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	cases := 12
	if testing.Short() {
		cases = 3
	}
	for range cases {
		a, b := drawPair(rng, 3), drawPair(rng, 2)
		b.Without[0], b.Without[1] = 1, 0 // an outcome that only one law has
		rate := 0.05 + 0.9*rng.Float64()
		mixed := pld.DiscretePair{Without: a.Without}
		for i := range a.With {
			mixed.With = append(mixed.With, (1-rate)*a.Without[i]+rate*a.With[i])
		}
		event := accounting.Composed{Events: []accounting.Event{times(a, 3), times(sampled(rate, a), 3), b}}
		pairs := []pld.DiscretePair{a, a, a, mixed, mixed, mixed, b}
		for _, epsilon := range []float64{0, 0.3, 2, 5} {
			want := twinDelta(pairs, epsilon)
			got, err := pld.Accountant{Width: 1e-3}.DeltaAt(event, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			if want < got.Lower*(1-1e-9) || want > got.Upper*(1+1e-9) {
				t.Errorf("δ(ε=%g) in [%g, %g], sum over all outcomes %g; %+v", epsilon, got.Lower, got.Upper, want, a)
			}
			if got.Lower < 0.9*got.Upper {
				t.Errorf("δ(ε=%g) in [%g, %g]: too wide", epsilon, got.Lower, got.Upper)
			}
		}
	}
}

// δ(ε) = 1 - e^{(ε-1/b)/2} for ε <= 1/b: the profile of Laplace noise.
func TestLaplaceClosedForm(t *testing.T) {
	for _, b := range []float64{0.05, 0.3, 1, 20} {
		for _, delta := range []float64{1e-9, 1e-5, 0.01} {
			want := math.Max(0, 1/b+2*math.Log1p(-delta))
			check(t, pld.NewAccountant(), laplace(b), delta, want, 1e-12, "closed form of the Laplace profile")
		}
	}
}

// Pure DP composed: the binomial sum of Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776v4, Theorem
// 3.3).
func TestPureComposition(t *testing.T) {
	const epsilon, count = 0.3, 20
	for _, target := range []float64{0.6, 1.5, 3} {
		want := 0.0
		for k := range count + 1 { // k truthful answers
			lg := func(n int) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
			logChoose := lg(count) - lg(k) - lg(count-k)
			truth, lie := -math.Log1p(math.Exp(-epsilon)), -math.Log1p(math.Exp(epsilon))
			p := math.Exp(logChoose + float64(k)*truth + float64(count-k)*lie)
			q := math.Exp(logChoose + float64(k)*lie + float64(count-k)*truth)
			want += math.Max(0, p-math.Exp(target)*q)
		}
		got, err := pld.NewAccountant().DeltaAt(times(accounting.PureDP{Epsilon: epsilon}, count), target)
		if err != nil || want < got.Lower*(1-1e-12) || want > got.Upper*(1+1e-12) || got.Width() > 1e-8 {
			t.Errorf("δ(%g) of %d x ε=%g: %v, %v, want %.15g by the binomial sum", target, count, epsilon, got, err, want)
		}
	}
}

// Intervals of the contour and of the grid hold the same truth, so they meet.
func TestMeetsContour(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	accountant := pld.Accountant{Width: 0.05, MaxGrid: 1 << 13}
	cases := 25
	if testing.Short() {
		cases = 5
	}
	for range cases {
		event, delta := sgd(log(1e-4, 0.7), log(0.4, 10), int(log(1, 1e4))), log(1e-30, 0.05)
		a, err := contour.NewAccountant().EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		b, err := accountant.EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		if a.Epsilon.Lower > b.Epsilon.Upper || b.Epsilon.Lower > a.Epsilon.Upper {
			t.Errorf("ε(%v, δ=%g): contour %v and grid %v do not meet", event, delta, a.Epsilon, b.Epsilon)
		}
	}
}

// A width that the grid cannot reach comes with a warning; a smaller one is reached.
func TestWidth(t *testing.T) {
	event := sgd(0.01, 1, 1000)
	for _, width := range []float64{0.1, 1e-2, 1e-3} {
		g, err := pld.Accountant{Width: width}.EpsilonAt(event, 1e-5)
		if err != nil || g.Epsilon.Width() > width || len(g.Warnings) > 0 {
			t.Errorf("width %g: %v, %v, %v", width, g.Epsilon, g.Warnings, err)
		}
	}
	g, err := pld.Accountant{Width: 1e-6, MaxGrid: 1 << 12}.EpsilonAt(event, 1e-5)
	if err != nil || len(g.Warnings) != 1 || !errors.Is(g.Warnings[0], pld.ErrWide) {
		t.Errorf("width 1e-6 on 4096 points: %v, %v, %v, want a warning that wraps ErrWide", g.Epsilon, g.Warnings, err)
	}
}

func TestRefuses(t *testing.T) {
	for name, event := range map[string]accounting.Event{
		"zCDP":               accounting.ZCDP{Rho: 1},
		"sampled SGD":        sampled(0.5, sgd(0.1, 1, 3)),
		"composed WorstCase": times(accounting.WorstCase{Events: []accounting.Event{laplace(1), laplace(2)}}, 2),
	} {
		if g, err := pld.NewAccountant().EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("%s: %v, %v, want ErrUnsupportedEvent", name, g, err)
		}
	}
	nan := math.NaN()
	for name, event := range map[string]accounting.Event{
		"lengths":  pld.DiscretePair{With: []float64{1}, Without: []float64{0.5, 0.5}},
		"NaN":      pld.DiscretePair{With: []float64{nan, 1}, Without: []float64{0.5, 0.5}},
		"sum":      pld.DiscretePair{With: []float64{0.5, 0.4}, Without: []float64{0.5, 0.5}},
		"empty":    pld.DiscretePair{},
		"noise":    sgd(0.1, 1e-5, 3),
		"parallel": accounting.Parallel{},
	} {
		if g, err := pld.NewAccountant().EpsilonAt(event, 1e-5); err == nil {
			t.Errorf("%s: %v, want an error", name, g)
		}
	}
	for _, a := range []pld.Accountant{{Width: -1}, {Width: nan}, {MaxGrid: 10}, {MaxGrid: 1 << 30}} {
		if g, err := a.EpsilonAt(laplace(1), 1e-5); err == nil {
			t.Errorf("%+v: %v, want an error", a, g)
		}
	}
}
