package selection_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

func pointwise(t *testing.T, law law.Law, base selection.Base, delta float64) float64 {
	t.Helper()
	b, err := selection.PointwiseAt(law, base, delta)
	if err != nil {
		t.Fatal(err)
	}
	return b.Epsilon
}

func baseOf(t *testing.T, event accounting.Event) selection.Base {
	t.Helper()
	base, err := selection.NewBase(event)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func tnbOf(t *testing.T, eta, mean float64) law.Law {
	t.Helper()
	law, err := law.TNBFromMean(eta, mean)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// The wanted values are upper bounds by another program, which searched the ranks in two other ways on coarser lists for
// DP-SGD, at δ = 1e-5. An explicit order of the outputs attains the second number, so that no bound can be below.
func TestPointwiseValues(t *testing.T) {
	gaussian, sgd := baseOf(t, accounting.Gaussian{NoiseMultiplier: 1}), baseOf(t, sgd(0.01, 2, 5000))
	for _, c := range []struct {
		base           selection.Base
		law            law.Law
		want, attained float64
	}{
		{gaussian, tnbOf(t, 0, 10), 6.0813, 6.0812},
		{gaussian, tnbOf(t, 1, 10), 6.4244, 6.4243},
		{gaussian, law.Poisson{MeanRepeats: 10}, 8.1616, 8.1613},
		{gaussian, law.Binomial{Trials: 20, P: 0.5}, 9.1188, 9.1180},
		{gaussian, law.Fixed{Count: 10}, 16.04, 14.935},
		{sgd, tnbOf(t, 0, 10), 2.125, 1.478},
		{sgd, law.Poisson{MeanRepeats: 10}, 2.867, 1.478},
		{sgd, law.Binomial{Trials: 20, P: 0.5}, 3.201, 1.478},
	} {
		got := pointwise(t, c.law, c.base, 1e-5)
		if got > c.want+0.02 || got < c.attained {
			t.Errorf("%v: ε %.4f, want at most %.4f + 0.02 and at least %.4f", c.law, got, c.want, c.attained)
		}
	}
}

// No order of the outputs of a random pair leaks more than the bound, in either direction.
func TestPointwiseAgainstEveryOrder(t *testing.T) {
	pairs := 40
	if testing.Short() {
		pairs = 10
	}
	rng := newRand(71)
	closest := 0.0
	for range pairs {
		law := randomLaw(rng)
		pair := enumerate.DrawnPair(rng, 2+rng.IntN(4), math.Exp(rng.NormFloat64()))
		base := knownOf(pair)
		for _, delta := range []float64{0.2, 1e-2, 1e-4} {
			bound := pointwise(t, law, base, delta)
			if math.IsInf(bound, 1) {
				continue
			}
			worst := 0.0
			permutations(len(pair.P), func(order []int) {
				ordered := enumerate.Of(make([]float64, len(order)), make([]float64, len(order)))
				for i, j := range order {
					ordered.P[i], ordered.Q[i] = pair.P[j], pair.Q[j]
				}
				worst = math.Max(worst, ordered.Best(law).Delta(bound))
			})
			if worst > delta*(1+1e-9)+1e-15*(1+math.Exp(bound)) {
				t.Errorf("%v, pair %v: δ(%g) = %g for some order, above %g", law, pair, bound, worst, delta)
			}
			closest = math.Max(closest, worst/delta)
		}
	}
	if closest < 0.5 {
		t.Errorf("the nearest exact δ is %.3g of the bound's: the cases do not try it", closest)
	}
}

// permutations calls f with all orders of 0..n-1 (Heap's algorithm).
func permutations(n int, f func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var visit func(k int)
	visit = func(k int) {
		if k <= 1 {
			f(slices.Clone(order))
			return
		}
		for i := range k {
			visit(k - 1)
			j := 0
			if k%2 == 0 {
				j = i
			}
			order[j], order[k-1] = order[k-1], order[j]
		}
	}
	visit(n)
}

// It is below the bounds with one constant, and above the order that is known to be bad.
func TestPointwiseBetweenItsNeighbors(t *testing.T) {
	for _, mu := range []float64{0.01, 0.2, 2} {
		base := baseOf(t, accounting.Gaussian{NoiseMultiplier: 1 / mu})
		for _, law := range append([]law.Law{law.Poisson{MeanRepeats: 1e4}, law.Fixed{Count: 1}}, enumerate.Laws...) {
			for _, delta := range []float64{1e-2, 1e-8} {
				got := pointwise(t, law, base, delta)
				price, err := selection.PriceAt(law, base, delta)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range price.Bounds {
					if b.Name == "sharpened profile, exact Gaussian" && got > 1.02*b.Epsilon+0.003 {
						t.Errorf("%v, µ = %g, δ = %g: ε %.6g, above the %.6g of %s", law, mu, delta, got, b.Epsilon, b.Name)
					}
				}
				if exact := adversarialDelta(law, mu, got); exact > delta*(1+1e-6)+1e-15*math.Exp(got) {
					t.Errorf("%v, µ = %g: δ(%g) of an explicit order is %g, above %g", law, mu, got, exact, delta)
				}
			}
		}
	}
}

func TestPointwiseErrors(t *testing.T) {
	base := baseOf(t, accounting.Gaussian{NoiseMultiplier: 1})
	if _, err := selection.PointwiseAt(law.Poisson{}, base, 1e-5); err == nil {
		t.Error("a law that is not valid is priced")
	}
	if _, err := selection.PointwiseAt(law.Fixed{Count: 2}, base, 0); err == nil {
		t.Error("δ = 0 is priced")
	}
	if got := pointwise(t, law.Fixed{Count: 2}, baseOf(t, accounting.Gaussian{NoiseMultiplier: 1e-3}), 1e-5); !math.IsInf(got, 1) {
		t.Errorf("a run with almost no noise costs %g", got)
	}
}
