package exact

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

// The closed form of a uniform and a Gaussian summand: P[aU + Z > t] = (Ψ(t-a) - Ψ(t+a))/(2a), with Ψ(z) = φ(z) - zΦ(-z) the integral of Φ(-z)
// from z on. The best threshold is searched on a grid.
func uniformGaussianDelta(mu, a, epsilon float64) float64 {
	psi := func(z float64) float64 {
		return math.Exp(-z*z/2)/math.Sqrt(2*math.Pi) - z*math.Erfc(z/math.Sqrt2)/2
	}
	above := func(t float64) float64 { return (psi(t-a) - psi(t+a)) / (2 * a) }
	best, n := 0.0, 200_000
	for i := range n {
		t := -a - 10 + (2*a+20+mu)*float64(i)/float64(n)
		best = math.Max(best, above(t-mu)-math.Exp(epsilon)*above(t))
	}
	return best
}

func TestUnknownInitialWeightAgainstClosedForm(t *testing.T) {
	for _, c := range []Coordinate{
		{NoiseMultiplier: 4, Steps: 250, Every: 1, Initial: 1375}, // about the ConvNet of cebere2024 (η = 0.01, B = 128)
		{NoiseMultiplier: 4, Steps: 1250, Every: 5, Initial: 100}, // less than one standard deviation of the noise
		{NoiseMultiplier: 1, Steps: 100, Every: 25, Initial: 0.7},
	} {
		law := must[Law](t)(c.Law())
		noise := c.NoiseMultiplier * math.Sqrt(float64(c.Steps))
		mu, a := float64(c.Steps/c.Every)/noise, c.Initial/noise
		for _, epsilon := range []float64{0, 0.5, 2} {
			got, want := must[accounting.Interval](t)(law.DeltaAt(epsilon)), uniformGaussianDelta(mu, a, epsilon)
			// The grid of thresholds misses the best by at most 1e-4 of a standard deviation, where δ is flat to the second order.
			if got.Upper < want-1e-13 || got.Lower > want+1e-8*(1+want) || got.Width() > 1e-9 {
				t.Errorf("%+v: δ(%g) %v: want %.12g (closed form)", c, epsilon, got, want)
			}
		}
	}
}

// Known initial weights leave a Gaussian, as do unknown ones that hardly differ. More spread hides more.
func TestKnownInitialWeightIsGaussian(t *testing.T) {
	for _, c := range []struct {
		game Coordinate
		mu   float64
	}{
		{Coordinate{NoiseMultiplier: 4, Steps: 250, Every: 1}, 3.952847}, // √250/4
		{Coordinate{NoiseMultiplier: 4, Steps: 1250, Every: 5}, 1.767767},
		{Coordinate{NoiseMultiplier: 4, Steps: 6250, Every: 25}, 0.790569},
	} {
		mu := must[float64](t)(c.game.Mu())
		if math.Abs(mu-c.mu) > 1e-6 {
			t.Errorf("%+v: µ %.7g: want %.7g", c.game, mu, c.mu)
		}
		want := must[accounting.Interval](t)(gdp.EpsilonAt(mu, 1e-5))
		before := math.Inf(1) // absErr, times e^24 for the first, widens ε
		for _, initial := range []float64{0, 1e-6, 50, 200, 2000} {
			c.game.Initial = initial
			got := must[accounting.Interval](t)(must[Law](t)(c.game.Law()).EpsilonAt(1e-5))
			if got.Width() > 1e-4 || initial < 1 && !meet(got, accounting.Certified(want.Lower-1e-8, want.Estimate, want.Upper+1e-8)) || initial >= 1 && !(got.Upper < before) {
				t.Errorf("%+v: ε %v: want that of µ = %.6f, %v, and less the more is unknown", c.game, got, mu, want)
			}
			before = got.Lower
		}
	}
}

// At large ε a component of the mixture near the end of the band decides. The search that finds it
// needs means that grow.
func TestCoordinateAtLargeEpsilon(t *testing.T) {
	for _, c := range []struct {
		game           Coordinate
		epsilon, delta float64 // mpmath, 60 digits: the closed form of uniformGaussianDelta at the best threshold, found by bisection
	}{
		{Coordinate{NoiseMultiplier: 0.55608365034742591, Steps: 1400, Every: 28, Initial: 17.527492906788133}, 20, 2.5077318251903535e-14},
		{Coordinate{NoiseMultiplier: 0.2183324539413779, Steps: 1752, Every: 6, Initial: 103.40066672780863}, 20, 0.99990808411654663},
	} {
		got := must[accounting.Interval](t)(must[Law](t)(c.game.Law()).DeltaAt(c.epsilon))
		if got.Lower > c.delta || got.Upper < c.delta || got.Width() > 1e-10 {
			t.Errorf("%+v: δ(%g) %v: want %.12g", c.game, c.epsilon, got, c.delta)
		}
	}
}

func TestCoordinateIsValidated(t *testing.T) {
	for text, c := range map[string]Coordinate{
		"NoiseMultiplier 0": {Steps: 10, Every: 1},
		"Steps 0":           {NoiseMultiplier: 1, Every: 1},
		"Every 3: must be >= 1 and divide the 10 steps": {NoiseMultiplier: 1, Steps: 10, Every: 3},
		"Every 0":       {NoiseMultiplier: 1, Steps: 10},
		"Initial -1":    {NoiseMultiplier: 1, Steps: 10, Every: 1, Initial: -1},
		"Initial 1e+09": {NoiseMultiplier: 1, Steps: 10, Every: 1, Initial: 1e9},
	} {
		_, err := c.Mu()
		if _, other := c.Law(); err == nil || other == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v, %v: want an error that names %q", c, err, other, text)
		}
	}
}
