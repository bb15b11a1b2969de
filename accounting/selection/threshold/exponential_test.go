package threshold_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/selection/threshold"
)

// What doc.go says of exponential noise. The chances p and q to be above, of a candidate that lacks z and one that lacks z+d, 0 <= d <= 2Δ, lie in
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

// How the pure ε of exponential noise compares, at the standard deviation of the Laplace noise that costs ε = 1: its scale is √2 of Laplace's, and its
// ε1 and ε2 are 1/√2 of Laplace's. It is less for few positives and more for many.
func TestExponentialNoiseBeside(t *testing.T) {
	for _, c := range []struct {
		tests int     // half as many positives, and a half
		want  float64 // as in doc.go
	}{{1, 0.71}, {9, 0.71}, {41, 0.86}, {199, 1.54}} {
		search, err := threshold.Calibrate(1, 1e-5, 1, c.tests, threshold.Once)
		if err != nil {
			t.Fatal(err)
		}
		if got := search.PureEpsilon() / math.Sqrt2; math.Abs(got-c.want) > 0.005 {
			t.Errorf("%d tests: ε = %.4f, want %.2f", c.tests, got, c.want)
		}
	}
}
