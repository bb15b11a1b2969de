package rdp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// The exact divergence of P against (1-q)P + qP', both ways and both roles, is never above
// the amplified curve of the pair; and ours is never above the published one.
func TestPoissonAmplifiedAgainstExactMixtures(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 23))
	tightest := math.Inf(1)
	for range 400 {
		d := enumerate.DrawnPair(rng, 2+rng.IntN(4), math.Exp(2*rng.NormFloat64()-1))
		rate := 1 / (1 + math.Exp(2*rng.NormFloat64()+1))
		amplified, err := rdp.PoissonAmplified(d.Divergence, rate)
		if err != nil {
			t.Fatal(err)
		}
		published, err := rdp.ZhuWang(d.Divergence, rate)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{1.01, 1.5, 2, 2.5, 3, 4, 7.3, 16, 33, 600} {
			bound := amplified(order)
			if p := published(order); p < bound*(1-1e-9) {
				t.Errorf("rate %g order %g: published %g below ours %g", rate, order, p, bound)
			}
			for _, pair := range []enumerate.Pair{
				enumerate.Of(d.P, enumerate.Mixed(rate, d.P, d.Q)),
				enumerate.Of(d.Q, enumerate.Mixed(rate, d.Q, d.P)),
			} {
				truth := pair.Divergence(order)
				if bound < truth*(1-1e-9)-1e-15 {
					t.Errorf("pair %v rate %g order %g: bound %.12g below the exact divergence %.12g", d, rate, order, bound, truth)
				}
				if order == 4 {
					tightest = math.Min(tightest, bound/truth)
				}
			}
		}
	}
	if tightest > 1.0001 {
		t.Errorf("the bound is nowhere tight: least ratio to the truth %g: must reach 1", tightest)
	}
}

// Randomized response is where the second direction is the worst relative to the first:
// a search over its two parameters and the rate looks for a failure of the claim.
func TestPoissonAmplifiedOnTwoOutputs(t *testing.T) {
	for _, a := range []float64{1e-6, 1e-3, 0.02, 0.1, 0.3, 0.5} {
		for _, b := range []float64{1e-5, 1e-2, 0.05, 0.2, 0.4, 0.6, 0.9, 0.999} {
			d := enumerate.Of([]float64{1 - a, a}, []float64{1 - b, b})
			for _, rate := range []float64{1e-3, 0.03, 0.2, 0.5, 0.9, 0.99} {
				curve, err := rdp.PoissonAmplified(d.Divergence, rate)
				if err != nil {
					t.Fatal(err)
				}
				for _, order := range []float64{2, 3, 5, 12} {
					truth := enumerate.Of(d.P, enumerate.Mixed(rate, d.P, d.Q)).Divergence(order)
					if bound := curve(order); bound < truth*(1-1e-9) {
						t.Errorf("a %g b %g rate %g order %g: bound %.12g below the exact divergence %.12g", a, b, rate, order, bound, truth)
					}
				}
			}
		}
	}
}

// For the Gaussian mechanism the sum is the closed form of Mironov, Talwar, Zhang (2019),
// arXiv:1908.10530v1, Section 3.3, which package rdp tests against outside values.
func TestPoissonAmplifiedGaussian(t *testing.T) {
	for _, sigma := range []float64{0.5, 1, 4} {
		for _, rate := range []float64{1e-4, 0.01, 0.3} {
			curve, err := rdp.PoissonAmplified(rdp.Gaussian(sigma), rate)
			if err != nil {
				t.Fatal(err)
			}
			for _, order := range []float64{2, 3, 10, 100} {
				if got, want := curve(order), rdp.SampledGaussian(rate, sigma)(order); !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
					t.Errorf("σ %g rate %g order %g: %.15g: want %.15g of the closed form", sigma, rate, order, got, want)
				}
			}
		}
	}
}

func TestPoissonAmplifiedEnds(t *testing.T) {
	infinite := func(float64) float64 { return math.Inf(1) }
	nan := func(float64) float64 { return math.NaN() }
	for name, curve := range map[string]rdp.Curve{"infinite": infinite, "NaN": nan} {
		amplified, err := rdp.PoissonAmplified(curve, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{1.5, 2, 30.5, 1e6} {
			if got := amplified(order); !math.IsInf(got, 1) {
				t.Errorf("%s curve, order %g: %g: must be +Inf", name, order, got)
			}
		}
	}
	base := rdp.Gaussian(2)
	whole, err := rdp.PoissonAmplified(base, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := whole(7), base(7); got != want {
		t.Errorf("rate 1: %g: must be the curve, %g", got, want)
	}
	tiny, err := rdp.PoissonAmplified(base, 1e-300)
	if err != nil {
		t.Fatal(err)
	}
	if got := tiny(3); !(got > 0 && got < 1e-300) {
		t.Errorf("rate 1e-300: %g: must be tiny and above 0", got)
	}
	for _, rate := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := rdp.PoissonAmplified(base, rate); err == nil {
			t.Errorf("rate %g: must be refused", rate)
		}
		if _, err := subsample.KoskelaTheorem6(base, base, rate); err == nil {
			t.Errorf("KoskelaTheorem6, rate %g: must be refused", rate)
		}
	}
	if _, err := rdp.PoissonAmplified(nil, 0.5); err == nil {
		t.Error("nil curve: must be refused")
	}
	if _, err := subsample.TrainOnRest(base, nil, 0.5); err == nil {
		t.Error("nil training curve: must be refused")
	}
}
