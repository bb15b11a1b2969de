package firstabove

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// responseLeak is the largest δ at e^ε = x of a search over runs that answer the private bit rightly with odds e^e, a randomized response, whose
// profile is that of pure ε = e. The score is random: a share of the right answers is good, and a share of the wrong ones. A grid of both
// shares is tried; every one of them is a search that can be run.
func responseLeak(k law.Distribution, e, x float64) float64 {
	right := 1 / (1 + math.Exp(-e))
	wrong := right * math.Exp(-e)
	worst := 0.0
	shares := []float64{0}
	for a := 1.0; a > 1e-7; a *= 0.9 {
		shares = append(shares, a)
	}
	for _, a := range shares {
		for _, b := range shares {
			s, other := a*right+b*wrong, a*wrong+b*right
			if s == 0 {
				continue
			}
			g, gOther := k.SuccessProbability(s)/s, k.SuccessProbability(other)/other
			leak := math.Max(0, a*(right*g-x*wrong*gOther)) + math.Max(0, b*(wrong*g-x*right*gOther))
			worst = math.Max(worst, leak+math.Max(0, k.PGF(1-s)-x*k.PGF(1-other)))
		}
	}
	return worst
}

// Runs of pure ε cost with a threshold what some search over randomized responses leaks, up to the grid of both and the list of ε of a
// profile: to some 1e-4 at δ = 1e-6, where E[K] δ is small, and to 0.006 at 1e-3. Nothing can then be cheaper, and Liu and Talwar's 2ε, which holds at δ = 0, is too
// dear at any δ that matters.
func TestPureRunsAreAttained(t *testing.T) {
	for _, c := range []struct {
		law      law.Law
		e, delta float64
		near     float64 // of ε
	}{
		{law.TNB{Eta: 1, Gamma: 0.3}, 3, 1e-6, 0.002}, {law.TNB{Eta: 1, Gamma: 0.05}, 1, 1e-6, 1e-3}, {law.TNB{Eta: 1, Gamma: 0.01}, 0.1, 1e-6, 0.002},
		{law.TNB{Eta: 1, Gamma: 0.05}, 1, 1e-3, 0.006}, {law.Poisson{MeanRepeats: 10}, 1, 1e-6, 0.002}, {law.Fixed{Count: 8}, 1, 1e-6, 0.002},
	} {
		base, err := baserun.New(accounting.PureDP{Epsilon: c.e})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := Bound(c.law, base, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		k := c.law.Distribution()
		at, below := responseLeak(k, c.e, math.Exp(bound.Epsilon)), responseLeak(k, c.e, math.Exp(bound.Epsilon*(1-c.near)))
		t.Logf("%v, ε = %g: %.5f at δ = %g; attained %.4f of δ, and %.4f of it %g lower", c.law, c.e, bound.Epsilon, c.delta, at/c.delta, below/c.delta, c.near*bound.Epsilon)
		if at > c.delta*(1+1e-9) || below < c.delta {
			t.Errorf("%v, ε = %g: a search leaks δ = %g at %.6f, and %g at %g less: want at most %g, then more", c.law, c.e, at, bound.Epsilon, below, c.near*bound.Epsilon, c.delta)
		}
	}
}
