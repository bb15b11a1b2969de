package selection_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// randomPair draws a pair of distributions on 2 to 5 ordered outputs. Spread between the
// weights and between the two distributions vary over orders of magnitude.
func randomPair(rng *rand.Rand) discrete {
	n := 2 + rng.IntN(4)
	spread, shift := math.Exp(rng.Float64()*3-1), math.Exp(rng.Float64()*4-3)
	d := enumerate.Of(make([]float64, n), make([]float64, n))
	var sumP, sumQ float64
	for i := range n {
		d.P[i] = math.Exp(spread * rng.NormFloat64())
		d.Q[i] = d.P[i] * math.Exp(shift*rng.NormFloat64())
		sumP, sumQ = sumP+d.P[i], sumQ+d.Q[i]
	}
	for i := range n {
		d.P[i], d.Q[i] = d.P[i]/sumP, d.Q[i]/sumQ
	}
	return d
}

func randomLaw(rng *rand.Rand) law.Law {
	switch rng.IntN(6) {
	case 0:
		return law.Poisson{MeanRepeats: math.Exp(rng.Float64()*8 - 4)}
	case 1:
		return law.Binomial{Trials: 1 + rng.IntN(30), P: 0.01 + 0.98*rng.Float64()}
	case 2:
		w := make([]float64, 2+rng.IntN(8))
		sum := 0.0
		for i := range w {
			w[i] = math.Exp(2 * rng.NormFloat64())
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return law.PMF{Weights: w}
	}
	eta := []float64{-0.9, -0.5, 0, 1e-9, 0.5, 1, 2, 5}[rng.IntN(8)]
	l := law.TNB{Eta: eta, Gamma: math.Exp(-0.01 - 12*rng.Float64())}
	switch rng.IntN(6) {
	case 0:
		return law.Truncated{Law: l, Max: 1 + rng.IntN(40)}
	case 1:
		return law.Capped{Law: l, Max: 1 + rng.IntN(40)}
	case 2:
		return law.Withheld{Law: l, Max: 1 + rng.IntN(40)}
	}
	return l
}

// The curve and the prices against the exact divergence and the exact δ of random small
// examples, in both directions. A bound that is wrong for some order of outputs fails.
func TestBoundsHoldOnRandomPairs(t *testing.T) {
	rng := newRand(11)
	tightest, tightestDelta := math.Inf(1), math.Inf(1)
	cases := 120
	if testing.Short() {
		cases = 15
	}
	for i := range cases {
		pair, law := randomPair(rng), randomLaw(rng)
		best := pair.Best(law)
		{
			curve, err := selection.RDP(law, knownOf(pair))
			if err != nil {
				t.Fatal(err)
			}
			for _, order := range []float64{1.01, 1.3, 2, 3.7, 9, 40} {
				exact, bound := best.Divergence(order), curve(order)
				if math.IsNaN(exact) || math.IsInf(exact, 1) { // underflow of the example
					continue
				}
				if !(bound >= exact*(1-1e-9)-1e-12) {
					t.Fatalf("%v, order %g, pair %v: bound %.12g below the exact divergence %.12g", law, order, pair, bound, exact)
				}
				if exact > 1e-3 {
					tightest = math.Min(tightest, bound/exact)
				}
			}
		}
		for _, delta := range [][]float64{{1e-6}, {0.02}}[i%2] {
			price, err := selection.PriceAt(law, knownOf(pair), delta)
			if err != nil {
				t.Fatal(err)
			}
			for _, bound := range price.Bounds {
				exact := best.Delta(bound.Epsilon)
				rounding := 1e-15 * (1 + math.Exp(bound.Epsilon)) // of the example's probabilities
				if !(exact <= delta*(1+1e-9)+rounding) {
					t.Fatalf("%v, pair %v: %s says ε = %.12g at δ = %g, the exact δ there is %g", law, pair, bound.Name, bound.Epsilon, delta, exact)
				}
				if exact > 0 {
					tightestDelta = math.Min(tightestDelta, delta/exact)
				}
			}
		}
	}
	// The examples must come near the bounds, or the test shows little.
	if tightest > 1.05 || tightestDelta > 1.5 {
		t.Errorf("closest bound is %.3f times the exact divergence, %.3f times the exact δ: examples too weak", tightest, tightestDelta)
	}
}

// Papernot and Steinke (2022), Appendix D.3: three outputs, the one with the large
// likelihood ratio in the middle, and the worst one of probability near 1.
func TestBoundsHoldOnTightExample(t *testing.T) {
	for _, l := range []law.Law{tnb(t, 0, 10), tnb(t, 1, 10), tnb(t, 1, 1000), tnb(t, -0.5, 20), law.Poisson{MeanRepeats: 0.5}, law.Poisson{MeanRepeats: 1}, law.Poisson{MeanRepeats: 30}} {
		for _, scale := range []float64{1e-1, 1e-2, 1e-4} {
			for _, s := range []float64{0.1, 1, 3} {
				for _, r := range []float64{0.1, 1, 3} {
					b, bPrime := scale*math.Exp(s)*0.03, scale*0.03
					top, topPrime := scale*0.03, scale*0.03*math.Exp(r)
					pair := enumerate.Of([]float64{1 - b - top, b, top}, []float64{1 - bPrime - topPrime, bPrime, topPrime})
					curve, err := selection.RDP(l, knownOf(pair))
					if err != nil {
						t.Fatal(err)
					}
					for _, order := range []float64{1.1, 2, 6, 30} {
						if exact := pair.Best(l).Divergence(order); curve(order) < exact*(1-1e-9) {
							t.Errorf("%v, order %g, %v: bound %g, exact %g", l, order, pair, curve(order), exact)
						}
					}
				}
			}
		}
	}
}

// Every bound of a Gaussian run lies above the exact ε of a monotone score and above the
// adversarial order, and the least one is not above the published profile bound.
func TestBestOfKGaussian(t *testing.T) {
	v := readVectors(t)
	const delta, mu, printed = 1e-5, 1, 6e-4 // values have three decimals
	for i, row := range v.BestOfK.Rows {
		if testing.Short() && i%3 != 0 {
			continue
		}
		var l law.Law
		switch row.Law {
		case "tnb":
			l = tnb(t, row.Eta, row.Mean)
		case "poisson":
			l = law.Poisson{MeanRepeats: row.Mean}
		case "binomial":
			l = law.Binomial{Trials: row.Trials, P: row.P}
		}
		if exact, err := (monotone.Gaussian{Law: l, Mu: mu}).EpsilonAt(delta); err != nil || exact.Upper < row.Monotone-printed || exact.Lower > row.Monotone+printed {
			t.Errorf("%v: monotone score has ε in %v (%v), want %.3f (%s)", l, exact, err, row.Monotone, v.BestOfK.Note)
		}
		if got := adversarialDelta(l, mu, row.Adversarial-printed); got < delta {
			t.Errorf("%v: adversarial order has δ = %g at ε = %.3f, want at least %g (%s)", l, got, row.Adversarial, delta, v.BestOfK.Note)
		}
		price, err := selection.EventAt(selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1 / mu}}, delta)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range price.Bounds {
			if got := adversarialDelta(l, mu, b.Epsilon); got > delta {
				t.Errorf("%v: %s gives %.6f, where the adversarial order has δ = %g", l, b.Name, b.Epsilon, got)
			}
		}
		if price.Least().Epsilon > row.Profile+printed {
			t.Errorf("%v: least bound %.6f, published profile bound %.3f (%s)", l, price.Least().Epsilon, row.Profile, v.BestOfK.Note)
		}
	}
}

// Sharpened and Theorem6 take the same δ̂, so that the sharpened curve is below the theorem's.
func TestSharpenedIsBelowTheorem6(t *testing.T) {
	base := baserun.Run{Name: "0.1-zCDP", Curve: func(order float64) float64 { return 0.1 * order }}
	for _, mean := range []float64{1, 3, 10, 30, 100} {
		l := law.Poisson{MeanRepeats: mean}
		theorem, err := selection.Theorem6(l, base)
		if err != nil {
			t.Fatal(err)
		}
		sharpened, err := selection.Sharpened(l, base)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{1.5, 2, 3, 5, 9.2, 17, 30, 50} {
			if s, th := sharpened(order), theorem(order); !(s <= th*(1+1e-12)) {
				t.Errorf("mean %g, order %g: sharpened %.12g is above Theorem 6, %.12g", mean, order, s, th)
			}
		}
	}
}
