package selection_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Far above all draws that matter, truncating changes nothing.
func TestTruncationFarAboveCostsNothing(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 1}
	for i, c := range []struct {
		law  law.Law
		most int
	}{{tnb(t, 0, 10), 2000}, {tnb(t, 1, 5), 400}, {law.Poisson{MeanRepeats: 10}, 60}} {
		if testing.Short() && i != 1 {
			continue
		}
		whole := price(t, c.law, event, 1e-5)
		for _, limited := range []law.Law{law.Truncated{Law: c.law, Max: c.most}, law.Capped{Law: c.law, Max: c.most}} {
			p := price(t, limited, event, 1e-5)
			if got, want := p.Least().Epsilon, whole.Least().Epsilon; !near(got, want, 2e-3) {
				t.Errorf("%v: ε %.9g (%s), want about %.9g, the price without a limit", limited, got, p.Least().Name, want)
			}
		}
	}
}

// Close below, no bound falls under what an order of the outputs costs; Lemma 22 is not
// the least.
func TestTruncatedPrices(t *testing.T) {
	for i, limited := range []law.Law{
		law.Truncated{Law: tnb(t, 0, 10), Max: 30}, law.Truncated{Law: tnb(t, 1, 10), Max: 10}, law.Truncated{Law: tnb(t, -0.5, 20), Max: 50},
		law.Truncated{Law: law.Poisson{MeanRepeats: 10}, Max: 15}, law.Capped{Law: tnb(t, 0, 10), Max: 30}, law.Capped{Law: law.Poisson{MeanRepeats: 10}, Max: 12},
		law.PMF{Weights: []float64{0.05, 0.5, 0, 0, 0.45}},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		p := price(t, limited, accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
		if got := adversarialDelta(limited, 1, p.Least().Epsilon); got > 1e-5 {
			t.Errorf("%v: %s gives %.6f, where an order of the outputs has δ = %g", limited, p.Least().Name, p.Least().Epsilon, got)
		}
		if p.Least().Name == "Lemma 22" {
			t.Errorf("%v: least bound is the published Lemma 22, %g", limited, p.Least().Epsilon)
		}
		if exact := adversarialDelta(limited, 1, p.Least().Epsilon-2); exact < 1e-5 {
			t.Errorf("%v: least ε %g; 2 below it an order of the outputs has δ = %g only: the bound is loose", limited, p.Least().Epsilon, exact)
		}
	}
}

// Total variation: the exact δ of the limited search of small random examples is at most
// what follows from the exact δ of the search without a limit.
func TestLimitedDeltaHolds(t *testing.T) {
	rng := newRand(22)
	closest := 0.0
	cases := 400
	if testing.Short() {
		cases = 100
	}
	for range cases {
		pair, l := randomPair(rng), randomLaw(rng)
		most := 1 + rng.IntN(12)
		truncated, capped := law.Truncated{Law: l, Max: most}, law.Capped{Law: l, Max: most}
		for _, limited := range []law.Law{truncated, capped} {
			if limited.Validate() != nil {
				continue
			}
			for _, epsilon := range []float64{0, 0.3, 1.5} {
				bound, err := selection.CappedDelta(capped, accounting.ApproxDP{Epsilon: epsilon, Delta: pair.Best(l).Delta(epsilon)})
				if _, ok := limited.(law.Truncated); ok {
					bound, err = selection.TruncatedDelta(truncated, accounting.ApproxDP{Epsilon: epsilon, Delta: pair.Best(l).Delta(epsilon)})
				}
				if err != nil {
					t.Fatal(err)
				}
				exact := pair.Best(limited).Delta(epsilon)
				if exact > bound*(1+1e-11)+1e-14 { // rounding of the examples
					t.Fatalf("%v, pair %v: δ(%g) = %.12g, bound %.12g from the law without a limit", limited, pair, epsilon, exact, bound)
				}
				if bound < 0.5 {
					closest = math.Max(closest, exact/bound)
				}
			}
		}
	}
	if closest < 0.9 {
		t.Errorf("exact δ comes to %.3f of the bound at most: examples too weak", closest)
	}
}

// Lemma 22 against the exact divergence of truncated searches.
func TestLemma22Holds(t *testing.T) {
	rng := newRand(23)
	cases := 200
	if testing.Short() {
		cases = 60
	}
	for i := range cases {
		pair := randomPair(rng)
		l := law.Truncated{Law: law.TNB{Eta: []float64{-0.5, 0, 1, 3}[i%4], Gamma: math.Exp(-0.1 - 5*rng.Float64())}, Max: 1 + rng.IntN(30)}
		untruncated := theorem2(t, l.Law.(law.TNB), pair.Divergence)
		if i%5 == 4 {
			inner := law.Poisson{MeanRepeats: 1 + 9*rng.Float64()}
			curve, err := selection.Theorem6(inner, knownOf(pair))
			if err != nil {
				t.Fatal(err)
			}
			l.Law, untruncated = inner, curve
		}
		curve, err := selection.Lemma22(l, untruncated)
		if err != nil {
			t.Fatal(err)
		}
		bounds := map[string]rdp.Curve{"Lemma 22": curve}
		if i%5 == 0 { // slower, and TestBoundsHoldOnRandomPairs has it
			if bounds["Lemma 7"], err = selection.Lemma7(l, knownOf(pair)); err != nil {
				t.Fatal(err)
			}
		}
		for _, order := range []float64{1.2, 2, 5, 20} {
			exact := pair.Best(l).Divergence(order)
			if math.IsNaN(exact) || math.IsInf(exact, 1) {
				continue
			}
			for name, bound := range bounds {
				if got := bound(order); got < exact*(1-1e-9)-1e-12 {
					t.Errorf("%v, pair %v, order %g: %s %.12g below the exact divergence %.12g", l, pair, order, name, got, exact)
				}
			}
		}
	}
}

// Lemma 22 of any law, with the exact divergence of the search without the limit, and with Lemma 7 of it.
func TestLemma22OfAnyLaw(t *testing.T) {
	rng := newRand(2254)
	for i, inner := range enumerate.Laws {
		l := law.Truncated{Law: inner, Max: 1 + rng.IntN(8)}
		if l.Validate() != nil {
			continue
		}
		pair := randomPair(rng)
		untruncated, err := selection.Lemma7(inner, knownOf(pair))
		if err != nil {
			t.Fatal(err)
		}
		for name, curve := range map[string]rdp.Curve{"exact": pair.Best(inner).Divergence, "Lemma 7": untruncated} {
			bound, err := selection.Lemma22(l, curve)
			if err != nil {
				t.Fatal(err)
			}
			for _, order := range []float64{1.2, 2, 5} {
				if got, exact := bound(order), pair.Best(l).Divergence(order); got < exact*(1-1e-9)-1e-12 {
					t.Errorf("%d: %v, %v, order %g: %.12g from the %s curve, below the exact divergence %.12g", i, l, pair, order, got, name, exact)
				}
			}
		}
	}
}

// Lemma 22 as printed, formula (9), of a list of chances without K = 0: with τ = P[K > 3] = 0.1 and E[K; K > 3]/E[K] = 0.4/2.
func TestLemma22AsPrinted(t *testing.T) {
	l := law.Truncated{Law: law.PMF{Weights: []float64{0, 0.4, 0.3, 0.2, 0.1}}, Max: 3}
	curve, err := selection.Lemma22(l, func(order float64) float64 { return 0.3 * order })
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []float64{3, 8, 20} {
		want := 0.3*order - numeric.Log(1-0.1)/(order-1) + numeric.Log(1+0.4/(2-0.4))
		if got := curve(order); !near(got, want, 1e-11) {
			t.Errorf("order %g: %.12g, want %.12g", order, got, want)
		}
	}
}

// The search over ranks against the closed form of a law that is truncated far away.
func TestRanksMatchClosedForm(t *testing.T) {
	base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 2})
	if err != nil {
		t.Fatal(err)
	}
	told := law.Profile{DeltaAt: base.Profiles[0].DeltaAt, Quick: true}
	for _, l := range []law.Law{tnb(t, 0, 10), tnb(t, 1, 10), tnb(t, -0.5, 5)} {
		for _, order := range []float64{3, 20, math.Inf(1)} {
			want := l.Distribution().MaxLogWeight(order, told)
			got := law.Truncated{Law: l, Max: 4000}.Distribution().MaxLogWeight(order, told)
			if !(got > want*(1-1e-4) && got < want*(1+6e-3)) {
				t.Errorf("%v, order %g: %.9g, want about %.9g (closed form of the law that goes on)", l, order, got, want)
			}
		}
	}
}

// An approximate run: its price by Lemma 20 holds for the worst such run, and Corollary 21
// is not below it.
func TestApproximate(t *testing.T) {
	const epsilon, delta = 0.7, 0.01
	e := math.Exp(epsilon)
	worst := func(order [4]int) discrete { // the (ε, δ) pair to which all others can be traced
		p := []float64{delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0}
		q := []float64{0, (1 - delta) / (1 + e), (1 - delta) * e / (1 + e), delta}
		d := enumerate.Of(make([]float64, 4), make([]float64, 4))
		for i, j := range order {
			d.P[i], d.Q[i] = p[j], q[j]
		}
		return d
	}
	for _, runs := range []law.Law{tnb(t, 0, 5), tnb(t, 1, 20), tnb(t, 3, 2), law.Poisson{MeanRepeats: 4}, law.Binomial{Trials: 6, P: 0.5}, law.TwoPoint{Runs: 9, Single: 0.3}, law.Fixed{Count: 3}} {
		got, err := selection.Approximate(runs, accounting.ApproxDP{Epsilon: epsilon, Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		gotEpsilon, gotDelta := got.Epsilon, got.Delta
		for _, order := range [][4]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 1, 0, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {2, 0, 3, 1}} {
			if exact := worst(order).Best(runs).Delta(gotEpsilon); exact > gotDelta*(1+1e-9) {
				t.Errorf("%v, outputs in order %v: δ(%.6g) = %.9g, above %.9g of Lemma 20", runs, order, gotEpsilon, exact, gotDelta)
			}
		}
		if l, ok := runs.(law.TNB); ok && gotEpsilon > (2+l.Eta)*epsilon*(1+1e-9) {
			t.Errorf("%v: ε %.9g, above (2+η)ε = %.9g of Corollary 3", runs, gotEpsilon, (2+l.Eta)*epsilon)
		}
		if l, ok := runs.(law.Poisson); ok {
			if want := -math.Expm1(-l.MeanRepeats * delta); !near(gotDelta, want, 1e-12) {
				t.Errorf("%v: δ %.15g, want 1 - e^(-µδ) = %.15g (Corollary 21)", runs, gotDelta, want)
			}
		}
	}
}

func TestLimitedDeltaRefuses(t *testing.T) {
	inner, nan := law.Poisson{MeanRepeats: 3}, math.NaN()
	for _, bad := range [][2]float64{{-1, 0.1}, {nan, 0.1}, {1, -1}, {1, nan}} {
		if _, err := selection.TruncatedDelta(law.Truncated{Law: inner, Max: 3}, accounting.ApproxDP{Epsilon: bad[0], Delta: bad[1]}); err == nil {
			t.Errorf("TruncatedDelta(%g, %g): no error", bad[0], bad[1])
		}
		if _, err := selection.Approximate(inner, accounting.ApproxDP{Epsilon: bad[0], Delta: bad[1]}); err == nil {
			t.Errorf("Approximate(%g, %g): no error", bad[0], bad[1])
		}
	}
}
