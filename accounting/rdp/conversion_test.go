package rdp_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Values at a given order, where both sides are exact.
func TestConversionPublished(t *testing.T) {
	for _, c := range []struct {
		q, sigma, steps, delta, order float64
		want, tolerance               float64
		src                           string
	}{
		{150. / 60000, 1.3, 6000, 1e-5, 19, 0.7242234026109595, 1e-9, "tensorflow/privacy compute_dp_sgd_privacy_test Test0, best order 19"},
		{100. / 100000, 1, 30000, 1e-7, 13, 1.4154988495444842, 1e-9, "tensorflow/privacy compute_dp_sgd_privacy_test Test1, best order 13"},
		{256. / 60000, 1.3, 3516, 1e-5, 17, 0.9545639531461374, 1e-9, "dp_accounting 0.6.0 on the tensorflow/privacy tutorial, best order 17"},
	} {
		divergence := c.steps * rdp.SampledGaussian(c.q, c.sigma)(c.order)
		got := rdp.CanonneKamathSteinke.Epsilon(c.order, divergence, c.delta)
		if math.Abs(got/c.want-1) > c.tolerance {
			t.Errorf("ε(q=%g, σ=%g, T=%g, δ=%g) at order %g = %.15g, want %.15g; %s", c.q, c.sigma, c.steps, c.delta, c.order, got, c.want, c.src)
		}
	}
}

// The factor of Canonne, Kamath, Steinke is the maximum of (1-e^{-z}) e^{-(α-1)z} over
// z > 0 (their proof bounds E[max(0, 1-e^{ε-Z})] by it), here found by brute force.
func TestConversionFactor(t *testing.T) {
	for _, order := range []float64{1.0001, 1.1, 2, 7.5, 100, 1e5} {
		best := math.Inf(-1)
		for x := -20.0; x < 20; x += 1e-4 {
			z := math.Exp(x) / order
			best = math.Max(best, numeric.Log(-math.Expm1(-z))-(order-1)*z)
		}
		// With ε = 1 and divergence 1 the factor is all of δ.
		got := rdp.CanonneKamathSteinke.LogDelta(order, 1, 1)
		if math.Abs(got-best) > 1e-6 { // the grid's error, about (1e-4)²
			t.Errorf("log δ factor at order %g = %.9g, want %.9g by brute force", order, got, best)
		}
	}
}

// At every order a conversion of the Gaussian's divergence is an upper bound of its
// exact profile, the newer one is the smaller, and the formulas invert each other.
func TestConversionIsBound(t *testing.T) {
	for _, mu := range []float64{0.02, 0.3, 1, 5, 40} {
		for _, order := range []float64{1.001, 1.3, 2, 9, 130, 1e4} {
			divergence := order * mu * mu / 2
			for _, delta := range []float64{1e-200, 1e-9, 1e-3, 0.3} {
				exact, err := gdp.EpsilonAt(mu, delta)
				if err != nil {
					t.Fatal(err)
				}
				tight := rdp.CanonneKamathSteinke.Epsilon(order, divergence, delta)
				classic := rdp.Classic.Epsilon(order, divergence, delta)
				if tight < exact.Lower || classic < tight {
					t.Errorf("µ=%g, α=%g, δ=%g: classic %g, tight %g, exact %v: want them in falling order", mu, order, delta, classic, tight, exact)
				}
				for _, c := range []rdp.Conversion{rdp.CanonneKamathSteinke, rdp.Classic} {
					epsilon := c.Epsilon(order, divergence, delta)
					if epsilon == 0 {
						continue
					}
					// ε and log δ have rounding of their largest part.
					slack := 1e-14 * (1 + divergence*order - numeric.Log(delta))
					if back := c.LogDelta(order, divergence, epsilon); math.Abs(back-numeric.Log(delta)) > slack {
						t.Errorf("%v: α=%g, R=%g: log δ(ε(δ)) = %.15g, want %.15g", c, order, divergence, back, numeric.Log(delta))
					}
					if back := c.Divergence(order, accounting.Target{Epsilon: epsilon, Delta: delta}); math.Abs(back-divergence) > 1e-14*(divergence+epsilon) {
						t.Errorf("%v: α=%g, δ=%g: divergence(ε) = %.15g, want %.15g", c, order, delta, back, divergence)
					}
				}
			}
			for _, epsilon := range []float64{0, 0.1, 3, 200} {
				exact, err := gdp.LogDeltaAt(mu, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				if got := rdp.CanonneKamathSteinke.LogDelta(order, divergence, epsilon); got < exact.Lower {
					t.Errorf("µ=%g, α=%g, ε=%g: log δ <= %g, exact %v", mu, order, epsilon, got, exact)
				}
			}
			if zero, err := gdp.LogDeltaAt(mu, 0); err != nil || rdp.LogTotalVariation(divergence) < zero.Lower {
				t.Errorf("µ=%g, α=%g: log TV <= %g, exact %v, %v", mu, order, rdp.LogTotalVariation(divergence), zero, err)
			}
		}
	}
}

func TestConversionEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ order, divergence, delta, want float64 }{
		{2, 0, 0.5, 0},          // log(1-1/2) - log(2·0.5) < 0
		{1 + 1e-12, 0, 0.99, 0}, // log(1e-12) + 1e10 > 0 would be ε; see below
		{2, inf, 1e-5, inf}, {inf, 3, 1e-5, 3},
		{1, 1, 1e-5, inf}, {nan, 1, 1e-5, inf}, {2, nan, 1e-5, inf}, {2, -1, 1e-5, inf},
		{2, 1, 0, inf}, {2, 1, 1, inf}, {2, 1, nan, inf},
	} {
		got := rdp.CanonneKamathSteinke.Epsilon(c.order, c.divergence, c.delta)
		if c.order == 1+1e-12 {
			if !(got >= 0) { // so near 1 the bound is useless, but a number
				t.Errorf("ε(α=%g, R=%g, δ=%g) = %g, want a number >= 0", c.order, c.divergence, c.delta, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("ε(α=%g, R=%g, δ=%g) = %g, want %g", c.order, c.divergence, c.delta, got, c.want)
		}
	}
	if got := rdp.Classic.LogDelta(2, 1, nan); got != 0 {
		t.Errorf("log δ at ε NaN = %g, want 0", got)
	}
	if got := rdp.Classic.LogDelta(inf, 1, 1); !math.IsInf(got, -1) {
		t.Errorf("log δ at order +Inf, R <= ε: %g, want -Inf (pure differential privacy)", got)
	}
	if got := rdp.Classic.LogDelta(inf, 2, 1); got != 0 {
		t.Errorf("log δ at order +Inf, R > ε: %g, want 0", got)
	}
	if got := rdp.Conversion(7).Epsilon(2, 1, 1e-5); !math.IsInf(got, 1) || rdp.Conversion(7).Validate() == nil {
		t.Errorf("unknown conversion: ε = %g, want +Inf, and Validate an error", got)
	}
}

func FuzzConversion(f *testing.F) {
	f.Add(2.0, 0.5, 1e-5, 1.0)
	f.Add(1.0000001, 1e-9, 0.9, 0.0)
	f.Fuzz(func(t *testing.T, order, divergence, delta, epsilon float64) {
		for _, c := range []rdp.Conversion{rdp.CanonneKamathSteinke, rdp.Classic} {
			if got := c.Epsilon(order, divergence, delta); !(got >= 0) {
				t.Errorf("%v: ε(%g, %g, %g) = %g", c, order, divergence, delta, got)
			}
			if got := c.LogDelta(order, divergence, epsilon); !(got <= 0) {
				t.Errorf("%v: log δ(%g, %g, %g) = %g", c, order, divergence, epsilon, got)
			}
		}
	})
}
