package threshold_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// What the proof says of a comparison. The chances p and q to be above, of a candidate that lacks z and one that lacks z+d, 0 <= d <= 2Δ, lie in
// the triangle with corners (0, 0), (1, 1) and (1, e^-ε2), and reach the last one, so that no smaller one will do.
func TestTriangleOfExponentialNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 7))
	above := func(lack, scale float64) float64 { return math.Exp(-math.Max(0, lack) / scale) }
	for range 10_000 {
		scale := math.Exp(2 * rng.NormFloat64())
		s := math.Exp(-2 / scale) // Δ = 1
		z, d := 4*rng.NormFloat64(), 2*rng.Float64()
		p, q := above(z, scale), above(z+d, scale)
		if q > p || q < p*s*(1-1e-12) {
			t.Fatalf("scale %g, lacks %g and %g: chances %g and %g, outside of the triangle", scale, z, z+d, p, q)
		}
		if p, q := above(0, scale), above(2, scale); p != 1 || math.Abs(q-s) > 1e-15 {
			t.Fatalf("scale %g: the corner is (%g, %g), want (1, %g)", scale, p, q, s)
		}
	}
}

// The table of Noise: the standard deviation of a comparison, both noises together, in units of Δ.
func TestNoisesBeside(t *testing.T) {
	for _, c := range []struct {
		tests                int // half as many positives, and a half
		laplace, exponential float64
	}{{1, 5.89, 4.16}, {9, 18.9, 13.4}, {41, 54.8, 47.3}, {199, 135, 209}} {
		for noise, want := range map[threshold.Noise]float64{threshold.Laplace: c.laplace, threshold.Exponential: c.exponential} {
			search, err := threshold.Calibrate(accounting.Target{Epsilon: 1, Delta: 1e-5}, 1, c.tests, threshold.Once, noise)
			if err != nil {
				t.Fatal(err)
			}
			got := math.Hypot(search.ThresholdNoise, search.ScoreNoise)
			if noise == threshold.Laplace {
				got *= math.Sqrt2
			}
			if math.Abs(got/want-1) > 0.005 {
				t.Errorf("%v, %d positives: standard deviation %.4g Δ, want %.3g", noise, search.MaxPositives, got, want)
			}
		}
	}
}

// What the table of Noise says that an explicit search leaks. The first test has n candidates that are likely to be
// below unless the threshold's noise is small, and then one that passes; each other test has that one alone. On D' the n have scores larger by Δ and the one a
// score smaller by Δ. With noise ρ of the threshold the chance that the one passes in every test is
//
//	(1 - e^-(ρ+a)/s)^n e^(-c max(0, ρ+b)/s),   s = ScoreNoise, a and b what the scores lack at ρ = 0
//
// whose mean over ρ is P on D and P' on D'; and ε(δ) >= ln((P-δ)/P'). The places a and b are tried on a grid.
func TestWhatExponentialNoiseLeaks(t *testing.T) {
	const n, delta = 1e9, 1e-5
	for _, c := range []struct {
		tests int
		want  float64 // as in the table of Noise
	}{{1, 0.998}, {9, 0.849}, {41, 0.537}, {199, 0.490}} {
		e, err := threshold.Calibrate(accounting.Target{Epsilon: 1, Delta: delta}, 1, c.tests, threshold.Once, threshold.Exponential)
		if err != nil {
			t.Fatal(err)
		}
		chance := func(a, b float64) float64 {
			sum := 0.0
			const cells = 1000
			width := 40 * e.ThresholdNoise / cells
			for i := range cells {
				rho := (float64(i) + 0.5) * width
				if rho+a <= 0 {
					continue
				}
				below := n * math.Log1p(-math.Exp(-(rho+a)/e.ScoreNoise))
				sum += width / e.ThresholdNoise * math.Exp(-rho/e.ThresholdNoise+below-float64(e.MaxPositives)*math.Max(0, rho+b)/e.ScoreNoise)
			}
			return sum
		}
		best := 0.0
		for late := -2.0; late < 11; late += 0.5 { // the n are below from about this noise on, in units of ThresholdNoise
			for _, shift := range []float64{-3, -2.5, -2, -1.5, -1, -0.75, -0.5, -0.4, -0.3, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1} {
				a, b := e.ScoreNoise*numeric.Log(n)-late*e.ThresholdNoise, -late*e.ThresholdNoise-shift*e.ScoreNoise
				if p, q := chance(a, b), chance(a-1, b+1); p > delta {
					best = math.Max(best, numeric.Log((p-delta)/q))
				}
			}
		}
		if best > e.PureEpsilon()*(1+1e-9) || math.Abs(best-c.want) > 0.002 {
			t.Errorf("%d positives: a search leaks ε = %.4f at δ = %g, want %.3f and at most the pure bound %.4f", e.MaxPositives, best, delta, c.want, e.PureEpsilon())
		}
	}
}
