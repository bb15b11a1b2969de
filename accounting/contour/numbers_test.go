package contour

import (
	"math"
	"testing"
)

const mpmathSource = "mpmath 1.4.1, 80 digits"

func TestMills(t *testing.T) {
	for _, c := range [][2]float64{
		{-5, 672621.636722879252}, {-1, 3.47705181170369447}, {0, 1.25331413731550025},
		{2.5, 0.354265111329793667}, {3, 0.304590298710103296}, {3.5, 0.266567768968223757},
		{5, 0.192808104715315765}, {8, 0.123131963257932296}, {12, 0.0827662865013691773},
		{20, 0.0498759259818367837}, {37, 0.0270073279651283361}, {100, 0.00999900029985010491},
	} {
		if got := mills(c[0]); math.Abs(got-c[1]) > 4e-15*c[1] {
			t.Errorf("mills(%g) = %.18g, want %.18g; %s", c[0], got, c[1], mpmathSource)
		}
	}
}

func TestH2(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-9, 5.00000000166666667e-19}, {0.4999, 0.148656406816389708}, {0.5001, 0.148786151071079307},
		{-0.3, 0.0408182206817178661}, {-20, 19.0000000020611536}, {3, 16.0855369231876677},
	} {
		if got := h2(c[0]); math.Abs(got-c[1]) > 2e-15*c[1] {
			t.Errorf("h2(%g) = %.18g, want %.18g; %s", c[0], got, c[1], mpmathSource)
		}
	}
}

// TestLogGaussian checks that the bracket holds the truth, float64's rounding of it allowed
// for, and is narrow.
func TestLogGaussian(t *testing.T) {
	for _, c := range []struct{ mu, epsilon, want float64 }{
		{1, 1, -2.06406644650039053}, {0.001, 0.01, -62.4558774377640902}, {0.03, 0.5, -148.701985499901321},
		{10, 0.5, -7.35278503788000079e-7}, {100, 4000, -8.47470291614665754e-24}, {0.25, 8, -517.247421781949114},
		{1e-6, 1e-6, -16.3006310836769948}, {3, 0, -0.1434252068611771},
	} {
		lower, estimate, upper := logGaussian(c.mu, c.epsilon)
		if !(lower <= c.want && c.want <= upper && lower <= estimate && estimate <= upper) || upper-lower > 1e-10 {
			t.Errorf("log δ(µ=%g, ε=%g) in [%.18g, %.18g, %.18g], want %.18g; %s", c.mu, c.epsilon, lower, estimate, upper, c.want, mpmathSource)
		}
	}
}
