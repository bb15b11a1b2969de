package firstabove

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// stopped returns the chances of each good output, the first that is met in at most K runs, and of none: by the definition, run by run.
func stopped(l law.Law, chances []float64, good func(output int) bool) []float64 {
	out := make([]float64, len(chances)+1)
	runs, left := l.Distribution(), 1.0 // left = P[K >= j], then times that no run was good
	bad := 0.0
	for i, c := range chances {
		if !good(i) {
			bad += c
		}
	}
	reached := 1.0 // (1-s)^(j-1)
	for k := 0; k <= mostRuns; k++ {
		p := math.Exp(runs.LogPMF(k))
		out[len(chances)] += p * reached // K = k runs, none good
		left -= p
		for i, c := range chances { // run k+1 takes place
			if good(i) {
				out[i] += math.Max(0, left) * reached * c
			}
		}
		reached *= bad
	}
	return out
}

// mostRuns is where the chances of K end: what is beyond is below 1e-13 for all laws here.
const mostRuns = 1500

func drawnLaw(rng *rand.Rand) law.Law {
	tnb := law.TNB{Eta: []float64{-0.5, 0, 1, 1, 3}[rng.IntN(5)], Gamma: 0.03 + 0.9*rng.Float64()}
	switch rng.IntN(6) {
	case 0:
		return law.Poisson{MeanRepeats: math.Exp(4*rng.Float64() - 2)}
	case 1:
		return law.Binomial{Trials: 1 + rng.IntN(30), P: 0.01 + 0.98*rng.Float64()}
	case 2:
		return law.Capped{Law: tnb, Max: 1 + rng.IntN(30)}
	case 3:
		return law.Withheld{Law: tnb, Max: 1 + rng.IntN(30)}
	case 4:
		return law.Fixed{Count: 1 + rng.IntN(12)}
	}
	return tnb
}

func knownOf(d enumerate.Pair) baserun.Run {
	return baserun.Run{Name: "discrete pair", Curve: d.Divergence, Profiles: []baserun.Profile{{Name: "exact", DeltaAt: d.Delta}}}
}

// No set of good outputs leaks more than its price, in either direction, nor has a larger Rényi divergence than the curve says: all sets of up
// to 6 outputs, random laws, random pairs.
func TestAgainstAllSets(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 10
	}
	rng := rand.New(rand.NewPCG(14, 1))
	closest, closestMoment, asBest := 0.0, 0.0, 0
	for range n {
		l, delta, order := drawnLaw(rng), math.Exp(-20*rng.Float64()), 1+math.Exp(2*rng.NormFloat64())
		pair := enumerate.DrawnPair(rng, 2+rng.IntN(5), math.Exp(rng.NormFloat64()))
		base := knownOf(pair)
		bound, err := Bound(l, base, delta)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := Curve(l, base)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := priceAt(l, base, delta) // by all bounds
		if err != nil {
			t.Fatal(err)
		}
		priced, worstPriced := whole.Guarantee.Epsilon.Upper, 0.0
		divergence, worst, worstDivergence := curve(order), 0.0, 0.0
		for set := range 1 << len(pair.P) {
			good := func(output int) bool { return set>>output&1 == 1 }
			exact := enumerate.Of(stopped(l, pair.P, good), stopped(l, pair.Q, good))
			worst, worstPriced = math.Max(worst, exact.Delta(bound.Epsilon)), math.Max(worstPriced, exact.Delta(priced))
			worstDivergence = math.Max(worstDivergence, exact.Divergence(order))
		}
		if !math.IsInf(bound.Epsilon, 1) {
			if worst > delta*(1+1e-9)+1e-13*math.Exp(bound.Epsilon) {
				t.Errorf("%v, %v: δ(%g) = %g for some set, above %g", l, pair, bound.Epsilon, worst, delta)
			}
			closest = math.Max(closest, worst/delta)
		}
		if priced > bound.Epsilon || worstPriced > delta*(1+1e-9)+1e-13*math.Exp(priced) {
			t.Errorf("%v, %v: priced at %g by %s, where δ = %g for some set: want at most %g", l, pair, priced, whole.Least().Name, worstPriced, delta)
		}
		if whole.Least().Epsilon < bound.Epsilon {
			asBest++
		}
		if worstDivergence > divergence*(1+1e-9)+1e-12 {
			t.Errorf("%v, %v: divergence %g at order %g for some set, above %g", l, pair, worstDivergence, order, divergence)
		}
		if divergence > 0 && !math.IsInf(divergence, 1) {
			closestMoment = math.Max(closestMoment, worstDivergence/divergence)
		}
	}
	t.Logf("nearest: δ %.4f of the bound's, divergence %.4f; %d of %d cheaper by another bound", closest, closestMoment, asBest, n)
	if closest < 0.9 || closestMoment < 0.9 {
		t.Errorf("the nearest exact δ is %.3g of the bound's, the nearest divergence %.3g: the cases do not try them", closest, closestMoment)
	}
}

// For a Gaussian run the worst set is {x > h} or {x < l}: the largest δ over a grid of both is below the bound, and within 5 % of it, which
// is some 0.01 in ε; the grid misses as much.
func TestGaussianIsAttained(t *testing.T) {
	normal := distuv.UnitNormal
	for _, c := range []struct {
		law   law.Law
		mu    float64
		delta float64
	}{
		{law.TNB{Eta: 1, Gamma: 0.05}, 1, 1e-5}, {law.TNB{Eta: 1, Gamma: 0.01}, 0.5, 1e-6}, {law.Poisson{MeanRepeats: 10}, 1, 1e-5},
		{law.Capped{Law: law.TNB{Eta: 1, Gamma: 0.05}, Max: 40}, 1, 1e-5}, {law.Fixed{Count: 8}, 1, 1e-5},
	} {
		base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1 / c.mu})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := Bound(c.law, base, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		k, x := c.law.Distribution(), math.Exp(bound.Epsilon)
		worst := 0.0
		above := func(a, mean float64) float64 { return normal.Survival(a - mean) }
		for _, means := range [][2]float64{{c.mu, 0}, {0, -c.mu}} { // Q and Q'; the law of the ratio is the same, so are all δ
			for h := -4.0; h < 9; h += 0.05 {
				for low := -9.0; low <= h; low += 0.05 {
					s, other := above(h, means[0])+normal.CDF(low-means[0]), above(h, means[1])+normal.CDF(low-means[1])
					g, gOther := k.SuccessProbability(s)/s, k.SuccessProbability(other)/other
					cut := numeric.Log(x*gOther/g)/c.mu + (means[0]+means[1])/2 // above it Q g > x Q' g'
					top := math.Max(h, cut)
					delta := g*above(top, means[0]) - x*gOther*above(top, means[1])
					if low > cut {
						delta += g*(normal.CDF(low-means[0])-normal.CDF(cut-means[0])) - x*gOther*(normal.CDF(low-means[1])-normal.CDF(cut-means[1]))
					}
					worst = math.Max(worst, delta+math.Max(0, k.PGF(1-s)-x*k.PGF(1-other)))
				}
			}
		}
		t.Logf("%v, µ = %g: ε %.5f, attained δ %.4f of %g", c.law, c.mu, bound.Epsilon, worst/c.delta, c.delta)
		if worst > c.delta || worst < 0.95*c.delta {
			t.Errorf("%v, µ = %g: δ(%g) of the worst set is %g, want at most %g and not 5 %% below", c.law, c.mu, bound.Epsilon, worst, c.delta)
		}
	}
}

// One run whose bad outputs are merged costs what the run costs.
func TestOneRun(t *testing.T) {
	for _, sigma := range []float64{0.7, 3} {
		price, err := PriceAt(Event{Law: law.Fixed{Count: 1}, Base: accounting.Gaussian{NoiseMultiplier: sigma}}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if one := price.OneRun.Epsilon.Upper; price.Guarantee.Epsilon.Upper < one || price.Guarantee.Epsilon.Upper > one*1.001+1e-4 {
			t.Errorf("σ = %g: one run with a threshold costs %g, without %g", sigma, price.Guarantee.Epsilon.Upper, one)
		}
	}
}

// A run of pure ε costs at most twice that with geometric K (Liu and Talwar, Theorem 3.1), and 2ε + ε0 if the search ends after
// T = max(ln(2/ε0)/γ, 1 + 1/(eγ)) runs, as OpenDP's make_select_private_candidate states it (ε0 = 2 exp(-Tγ)); both at δ = 0. Our
// prices, at δ = 1e-6, are below.
func TestBelowLiuAndTalwar(t *testing.T) {
	for _, epsilon := range []float64{0.1, 3} {
		for _, gamma := range []float64{0.3, 0.01} {
			if testing.Short() && (epsilon == 3) != (gamma == 0.3) {
				continue
			}
			geometric := law.TNB{Eta: 1, Gamma: gamma}
			whole, err := PriceAt(Event{Law: geometric, Base: accounting.PureDP{Epsilon: epsilon}}, 1e-6)
			if err != nil {
				t.Fatal(err)
			}
			published, ok := whole.LeastPublished()
			if !ok || math.Abs(published.Epsilon/(2*epsilon)-1) > 1e-12 {
				t.Errorf("published results give %g, %t: want 2ε = %g", published.Epsilon, ok, 2*epsilon)
			}
			const extra = 0.1
			end := int(math.Ceil(math.Max(numeric.Log(2/extra)/gamma, 1+1/(math.E*gamma))))
			ended, err := PriceAt(Event{Law: law.Capped{Law: geometric, Max: end}, Base: accounting.PureDP{Epsilon: epsilon}}, 1e-6)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("ε = %g, γ = %g: %.4f; at most %d runs: %.4f (published %.4g, %.4g)", epsilon, gamma, whole.Least().Epsilon, end, ended.Least().Epsilon, 2*epsilon, 2*epsilon+extra)
			if whole.Least().Epsilon >= 2*epsilon || ended.Least().Epsilon >= 2*epsilon+extra {
				t.Errorf("ε = %g, γ = %g: %g and, ended after %d runs, %g: want below %g and %g", epsilon, gamma, whole.Least().Epsilon, end, ended.Least().Epsilon, 2*epsilon, 2*epsilon+extra)
			}
		}
	}
}
