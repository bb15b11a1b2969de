package accounting

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

func TestFormatUpper(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0.0000"}, {1, "1.0000"}, {1.00001, "1.0001"}, {2.5966, "2.5966"}, {2.59660000001, "2.5967"},
		{1e-12, "0.0001"}, {999999.99999, "1000000.0000"}, {1234567.1, "1.23457e+06"}, {1e300, "1e+300"},
		{math.Inf(1), "+Inf"}, {math.NaN(), "NaN"},
	} {
		if got := FormatUpper(c.x); got != c.want {
			t.Errorf("FormatUpper(%v) = %s, want %s", c.x, got, c.want)
		}
	}
}

// What is printed is never on the wrong side, and at most one unit of the last place off.
func TestPrintedBoundsAreBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := math.Exp(rng.Float64()*200 - 100)
		for _, c := range []struct {
			text      string
			direction float64
			error     float64
		}{
			{FormatUpper(x), +1, math.Max(1.01e-4, 1.01e-5*x)},
			{numeric.Significant(x, 6, +1), +1, 1.01e-5 * x},
			{numeric.Significant(x, 9, -1), -1, 1.01e-8 * x},
		} {
			printed, err := strconv.ParseFloat(c.text, 64)
			if off := (printed - x) * c.direction; err != nil || off < 0 || off > c.error {
				t.Fatalf("%v printed as %s towards %+g: off by %g", x, c.text, c.direction, off)
			}
		}
	}
}

func TestSignificantAtPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		x         float64
		direction float64
		want      string
	}{
		{math.Nextafter(1, 2), +1, "1.00001"},
		{math.Nextafter(1, 0), -1, "0.999999"},
		{math.Nextafter(10, 11), +1, "10.0001"},
		{math.Nextafter(0.001, 1), +1, "0.00100001"},
		{math.Inf(1), +1, "+Inf"},
		{0, +1, "0"},
	} {
		if got := numeric.Significant(c.x, 6, c.direction); got != c.want {
			t.Errorf("Significant(%v, 6, %g) = %s, want %s", c.x, c.direction, got, c.want)
		}
	}
}

// Six digits of a parameter, each rounded to its safe side; what has no more stays, and so does
// every other number.
func TestRoundParameters(t *testing.T) {
	for text, want := range map[string]string{
		"100 x PoissonSampled(q=0.0042666667, Gaussian(σ=5.150537144965789))":                         "100 x PoissonSampled(q=0.00426666, Gaussian(σ=5.15054))",
		"Poisson law (mean 9.999545799255369)":                                                        "Poisson law (mean 9.99954)",
		"logarithmic law (η=0.3333333333333333, γ=0.02691834567, mean 10)":                            "logarithmic law (η=0.3333333333333333, γ=0.0269184, mean 10)",
		"Laplace(b=0.3333333333), ApproxDP(ε=1.00000001, δ=1e-05)":                                    "Laplace(b=0.333334), ApproxDP(ε=1.00001, δ=1e-05)",
		"Gaussian(σ=1.2345675e+06), σ=2, PureDP(ε=1.2345678e-07)":                                     "Gaussian(σ=1.23457e+06), σ=2, PureDP(ε=1.23457e-07)",
		`ProfileBound("Shuffled(ours), q=0.123456789, \"mean 0.123456789", 2 entries), q=0.123456789`: `ProfileBound("Shuffled(ours), q=0.123456789, \"mean 0.123456789", 2 entries), q=0.123456`,
		"RandomizedResponse(p=0.9999999), 1234567 x Gaussian(σ=1)":                                    "RandomizedResponse(p=0.9999999), 1234567 x Gaussian(σ=1)",
	} {
		if got := RoundParameters(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got, want := describe(`ProfileBound("mean 10.0000001, η=0.123456789", 2 entries)`), `ProfileBound("mean 10.0000001, η=0.123456789", 2 entries)`; got != want {
		t.Errorf("a statement has %s, want %s, a user's own name", got, want)
	}
}
