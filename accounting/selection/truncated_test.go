package selection_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// The checks of pmf, generating function and draws run over these laws too.
var limitedLaws = []selection.Law{
	selection.Truncated{Law: selection.TNB{Eta: 0, Gamma: 0.03}, Max: 20},
	selection.Truncated{Law: selection.TNB{Eta: -0.5, Gamma: 1e-3}, Max: 300},
	selection.Truncated{Law: selection.Poisson{MeanRepeats: 3}, Max: 4},
	selection.Truncated{Law: selection.Binomial{Trials: 9, P: 0.4}, Max: 5},
	selection.Capped{Law: selection.TNB{Eta: 1, Gamma: 0.1}, Max: 12},
	selection.Capped{Law: selection.Poisson{MeanRepeats: 10}, Max: 10},
	selection.Capped{Law: selection.TwoPoint{Runs: 30, Single: 0.2}, Max: 7},
	selection.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}},
	selection.PMF{Weights: []float64{0, 0.5, 0.25, 0.25}},
}

func init() { someLaws = append(someLaws, limitedLaws...) }

// The pmf of the two laws that stop at Max, from their definitions.
func TestLimitedPMF(t *testing.T) {
	inner := selection.Poisson{MeanRepeats: 2}
	p := func(k int) float64 { return math.Exp(-2) * math.Pow(2, float64(k)) / math.Gamma(float64(k+1)) }
	kept := p(0) + p(1) + p(2) + p(3)
	for k := range 5 {
		truncated, capped := 0.0, 0.0
		if k <= 3 {
			truncated, capped = p(k)/kept, p(k)
		}
		if k == 3 {
			capped = 1 - kept + p(3)
		}
		if got := math.Exp(selection.Truncated{Law: inner, Max: 3}.Distribution().LogPMF(k)); math.Abs(got-truncated) > 1e-14 {
			t.Errorf("truncated at 3, P[K=%d] = %.16g, want %.16g (Poisson pmf given K <= 3)", k, got, truncated)
		}
		if got := math.Exp(selection.Capped{Law: inner, Max: 3}.Distribution().LogPMF(k)); math.Abs(got-capped) > 1e-14 {
			t.Errorf("capped at 3, P[K=%d] = %.16g, want %.16g (Poisson pmf, the tail on 3)", k, got, capped)
		}
	}
}

// Far above all draws that matter, truncating changes nothing.
func TestTruncationFarAboveCostsNothing(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 1}
	for _, c := range []struct {
		law  selection.Law
		most int
	}{{tnb(t, 0, 10), 2000}, {tnb(t, 1, 5), 400}, {selection.Poisson{MeanRepeats: 10}, 60}} {
		whole := price(t, c.law, event, 1e-5)
		for _, limited := range []selection.Law{selection.Truncated{Law: c.law, Max: c.most}, selection.Capped{Law: c.law, Max: c.most}} {
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
	for _, limited := range []selection.Law{
		selection.Truncated{Law: tnb(t, 0, 10), Max: 30}, selection.Truncated{Law: tnb(t, 1, 10), Max: 10}, selection.Truncated{Law: tnb(t, -0.5, 20), Max: 50},
		selection.Truncated{Law: selection.Poisson{MeanRepeats: 10}, Max: 15}, selection.Capped{Law: tnb(t, 0, 10), Max: 30}, selection.Capped{Law: selection.Poisson{MeanRepeats: 10}, Max: 12},
		selection.PMF{Weights: []float64{0.05, 0.5, 0, 0, 0.45}},
	} {
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
func TestDeltaFromHolds(t *testing.T) {
	rng := newRand(22)
	closest := 0.0
	for range 400 {
		pair, law := randomPair(rng), randomLaw(rng)
		most := 1 + rng.IntN(12)
		for _, limited := range []interface {
			selection.Law
			DeltaFrom(epsilon, whole float64) (float64, error)
		}{selection.Truncated{Law: law, Max: most}, selection.Capped{Law: law, Max: most}} {
			if limited.Validate() != nil {
				continue
			}
			for _, epsilon := range []float64{0, 0.3, 1.5} {
				bound, err := limited.DeltaFrom(epsilon, pair.best(law).delta(epsilon))
				if err != nil {
					t.Fatal(err)
				}
				exact := pair.best(limited).delta(epsilon)
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
	for i := range 200 {
		pair := randomPair(rng)
		law := selection.Truncated{Law: selection.TNB{Eta: []float64{-0.5, 0, 1, 3}[i%4], Gamma: math.Exp(-0.1 - 5*rng.Float64())}, Max: 1 + rng.IntN(30)}
		untruncated := theorem2(t, law.Law.(selection.TNB), pair.divergence)
		if i%5 == 4 {
			inner := selection.Poisson{MeanRepeats: 1 + 9*rng.Float64()}
			curve, err := selection.Theorem6(inner, pair.base())
			if err != nil {
				t.Fatal(err)
			}
			law.Law, untruncated = inner, curve
		}
		curve, err := selection.Lemma22(law, untruncated)
		if err != nil {
			t.Fatal(err)
		}
		bounds := map[string]rdp.Curve{"Lemma 22": curve}
		if i%5 == 0 { // slower, and TestBoundsHoldOnRandomPairs has it
			if bounds["Lemma 7"], err = selection.Lemma7(law, pair.base()); err != nil {
				t.Fatal(err)
			}
		}
		for _, order := range []float64{1.2, 2, 5, 20} {
			exact := pair.best(law).divergence(order)
			if math.IsNaN(exact) || math.IsInf(exact, 1) {
				continue
			}
			for name, bound := range bounds {
				if got := bound(order); got < exact*(1-1e-9)-1e-12 {
					t.Errorf("%v, pair %v, order %g: %s %.12g below the exact divergence %.12g", law, pair, order, name, got, exact)
				}
			}
		}
	}
}

// The search over ranks against the closed form of a law that is truncated far away.
func TestRanksMatchClosedForm(t *testing.T) {
	base, err := selection.NewBase(accounting.Gaussian{NoiseMultiplier: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range []selection.Law{tnb(t, 0, 10), tnb(t, 1, 10), tnb(t, -0.5, 5)} {
		for _, order := range []float64{3, 20, math.Inf(1)} {
			want := law.Distribution().MaxLogWeight(order, base.Profiles[0])
			got := selection.Truncated{Law: law, Max: 4000}.Distribution().MaxLogWeight(order, base.Profiles[0])
			if !(got > want*(1-1e-4) && got < want*(1+6e-3)) {
				t.Errorf("%v, order %g: %.9g, want about %.9g (closed form of the law that goes on)", law, order, got, want)
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
		d := discrete{make([]float64, 4), make([]float64, 4)}
		for i, j := range order {
			d.p[i], d.q[i] = p[j], q[j]
		}
		return d
	}
	for _, law := range []selection.Law{tnb(t, 0, 5), tnb(t, 1, 20), tnb(t, 3, 2), selection.Poisson{MeanRepeats: 4}, selection.Binomial{Trials: 6, P: 0.5}, selection.TwoPoint{Runs: 9, Single: 0.3}, selection.Fixed{Count: 3}} {
		gotEpsilon, gotDelta, err := selection.Approximate(law, epsilon, delta)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range [][4]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 1, 0, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {2, 0, 3, 1}} {
			if exact := worst(order).best(law).delta(gotEpsilon); exact > gotDelta*(1+1e-9) {
				t.Errorf("%v, outputs in order %v: δ(%.6g) = %.9g, above %.9g of Lemma 20", law, order, gotEpsilon, exact, gotDelta)
			}
		}
		if l, ok := law.(selection.TNB); ok && gotEpsilon > (2+l.Eta)*epsilon*(1+1e-9) {
			t.Errorf("%v: ε %.9g, above (2+η)ε = %.9g of Corollary 3", law, gotEpsilon, (2+l.Eta)*epsilon)
		}
		if l, ok := law.(selection.Poisson); ok {
			if want := -math.Expm1(-l.MeanRepeats * delta); !near(gotDelta, want, 1e-12) {
				t.Errorf("%v: δ %.15g, want 1 - e^(-µδ) = %.15g (Corollary 21)", law, gotDelta, want)
			}
		}
	}
}

func TestLimitedLawsRefuse(t *testing.T) {
	inner := selection.Poisson{MeanRepeats: 3}
	nan := math.NaN()
	for _, c := range []struct {
		law  selection.Law
		want string
	}{
		{selection.Truncated{Law: inner}, "Max 0"}, {selection.Truncated{Max: 3}, "Law is nil"}, {selection.Truncated{Law: selection.Poisson{}, Max: 3}, "MeanRepeats"},
		{selection.Truncated{Law: selection.Fixed{Count: 9}, Max: 3}, "chance"}, {selection.Truncated{Law: inner, Max: 1 << 20}, "Max 1048576"},
		{selection.Capped{Law: inner, Max: -1}, "Max -1"}, {selection.Capped{Max: 3}, "Law is nil"},
		{selection.PMF{}, "0 entries"}, {selection.PMF{Weights: []float64{1, 0}}, "K >= 1"}, {selection.PMF{Weights: []float64{0.5, 0.4}}, "sum"},
		{selection.PMF{Weights: []float64{0.5, -0.5, 1}}, "Weights[1]"}, {selection.PMF{Weights: []float64{0.5, nan}}, "Weights[1]"},
	} {
		if err := c.law.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: error %v, want one with %q", c.law, c.law, err, c.want)
		}
		if _, err := c.law.Distribution().Rand(newRand(1)); err == nil {
			t.Errorf("%T %+v: Rand gave no error", c.law, c.law)
		}
	}
	for _, bad := range [][2]float64{{-1, 0.1}, {nan, 0.1}, {1, -1}, {1, nan}} {
		if _, err := (selection.Truncated{Law: inner, Max: 3}).DeltaFrom(bad[0], bad[1]); err == nil {
			t.Errorf("DeltaFrom(%g, %g): no error", bad[0], bad[1])
		}
		if _, _, err := selection.Approximate(inner, bad[0], bad[1]); err == nil {
			t.Errorf("Approximate(%g, %g): no error", bad[0], bad[1])
		}
	}
}
