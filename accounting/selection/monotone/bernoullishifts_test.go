package monotone_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// The price of equation (17) against its definition: both directions of δ by the trapezoid rule.
func TestBernoulliShiftsAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		rate, noise float64
		steps       int
	}{{0.1, 1, 20}, {0.5, 2, 40}, {0.02, 0.5, 12}} {
		event, err := monotone.BernoulliShifts(c.rate, c.noise, c.steps)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(c.steps)
		density := func(x float64) (with, without float64) {
			without = math.Exp(-x * x / 2)
			for i := range c.steps + 1 {
				z := x - float64(i)/(c.noise*math.Sqrt(n))
				with += float64(combin.Binomial(c.steps, i)) * math.Pow(c.rate, float64(i)) * math.Pow(1-c.rate, n-float64(i)) * math.Exp(-z*z/2)
			}
			return with / math.Sqrt(2*math.Pi), without / math.Sqrt(2*math.Pi)
		}
		for _, epsilon := range []float64{0.1, 1} {
			const step = 1e-3
			up, down := 0.0, 0.0
			for x := -10.0; x < 20; x += step {
				with, without := density(x)
				up += step * math.Max(0, with-math.Exp(epsilon)*without)
				down += step * math.Max(0, without-math.Exp(epsilon)*with)
			}
			got, err := auto.NewAccountant().DeltaAt(event, epsilon)
			if want := math.Max(up, down); err != nil || got.Upper < want*(1-1e-6) || got.Lower > want*(1+1e-6) || got.Width() > 0.02*want {
				t.Errorf("%+v: δ(%g) %v, %v: want %.9g", c, epsilon, got, err, want)
			}
		}
	}
}

// One step is a Poisson-sampled Gaussian, and at τ = 1 all N are one Gaussian.
func TestBernoulliShiftsAtTheEnds(t *testing.T) {
	one, err := monotone.BernoulliShifts(0.2, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := monotone.BernoulliShifts(1, 5, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ event, want accounting.Event }{
		{one, accounting.PoissonSampled{SamplingRate: 0.2, Event: accounting.Gaussian{NoiseMultiplier: 1}}},
		{all, accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 5}, Count: 50}},
	} {
		got, err := auto.NewAccountant().EpsilonAt(c.event, 1e-5)
		want, other := contour.NewAccountant().EpsilonAt(c.want, 1e-5)
		if err != nil || other != nil || got.Epsilon.Upper < want.Epsilon.Lower || got.Epsilon.Lower > want.Epsilon.Upper {
			t.Errorf("%v: %v, %v: want %v of %v, %v", c.event, got, err, want, c.want, other)
		}
	}
	for _, c := range []struct {
		rate, noise float64
		steps       int
	}{{0, 1, 1}, {1.5, 1, 1}, {0.5, 0, 1}, {0.5, 1, 0}, {0.5, 1, 1 << 17}} {
		if _, err := monotone.BernoulliShifts(c.rate, c.noise, c.steps); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// The law of large numbers leaves out that the number of steps with the canary is random.
func ExampleBernoulliShifts() {
	event, err := monotone.BernoulliShifts(0.1, 1, 500)
	if err != nil {
		panic(err)
	}
	exact, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		panic(err)
	}
	mu, err := monotone.LargeNumbersMu(0.1, 1, 500)
	if err != nil {
		panic(err)
	}
	approximate, err := gdp.EpsilonAt(mu.Mu, 1e-5)
	fmt.Printf("ε %.3f; %.3f by the law of large numbers %v\n", exact.Epsilon.Upper, approximate.Estimate, err)
	// Output:
	// ε 12.688; 11.480 by the law of large numbers <nil>
}
