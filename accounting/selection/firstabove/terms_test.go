package firstabove

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The bound is not below the proof's formulas, which are written out here, at any share s of a
// grid. δ near 1 counts too: only there does the chance of no good run matter next to the mass of
// the good.
func TestBoundHasEveryTerm(t *testing.T) {
	for _, c := range []struct {
		law   law.Law
		noise float64
	}{{law.Fixed{Count: 3}, 0.3}, {law.TNB{Eta: 1, Gamma: 0.1}, 0.3}, {law.Poisson{MeanRepeats: 3}, 1}, {law.TwoPoint{Runs: 20, Single: 0.1}, 0.3}} {
		base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: c.noise})
		if err != nil {
			t.Fatal(err)
		}
		k := c.law.Distribution()
		known := ranks.Around(base.Prepared(), 1e-5/k.Mean())[0]
		bound := newProfile(k, known)
		for _, epsilon := range []float64{0, 0.5, 2, 5, 10} {
			x, least := math.Exp(epsilon), 0.0
			for s := 1e-6; s < 0.999; s *= 1.02 {
				p := known.MostMass(s)
				g := func(s float64) float64 { return k.SuccessProbability(s) / s }
				h := func(s float64) float64 {
					if 1-s < 1e-6 { // no digits are left, and h(s) is the mean of G' up to 1-s
						return math.Exp(k.LogPGFDerivative(1 - s))
					}
					return (k.PGF(1-s) - k.PGF(0)) / (1 - s)
				}
				none := math.Max(0, k.PGF(1-s)-x*k.PGF(1-p))
				apart := g(s)*known.HockeyStick(x*g(p)/g(s)) + none
				some := k.SuccessProbability(s) + none
				together := bothSticks(g(s), x*g(p), h(s), x*h(p), known.HockeyStick)
				least = math.Max(least, math.Min(math.Min(apart, some), together))
			}
			if got := bound.deltaAt(epsilon); !(got >= math.Min(1, least)*(1-1e-6)) {
				t.Errorf("%v of runs of σ %g at ε %g: δ %.9g, want at least %.9g (the proof of Bound on a grid of shares)", c.law, c.noise, epsilon, got, least)
			}
		}
	}
}

// bothSticks is ∫ max((a r - u)₊, (b r - v)₊) dQ' for a >= b: the steeper of both once it is above.
func bothSticks(a, u, b, v float64, hockeyStick func(t float64) float64) float64 {
	if b <= 0 || u/a <= v/b {
		return a * hockeyStick(u/a)
	}
	return b*hockeyStick(v/b) + (a-b)*hockeyStick((u-v)/(a-b))
}
