package numeric_test

import (
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

const mpmathSource = "mpmath 1.4.1, 80 digits"

// TestLogGaussian checks that the bracket holds the truth, float64's rounding of it allowed
// for, and is narrow.
func TestLogGaussian(t *testing.T) {
	for _, c := range []struct{ mu, epsilon, want float64 }{
		{1, 1, -2.06406644650039053}, {0.001, 0.01, -62.4558774377640902}, {0.03, 0.5, -148.701985499901321},
		{10, 0.5, -7.35278503788000079e-7}, {100, 4000, -8.47470291614665754e-24}, {0.25, 8, -517.247421781949114},
		{1e-6, 1e-6, -16.3006310836769948}, {3, 0, -0.1434252068611771},
	} {
		lower, estimate, upper := numeric.LogGaussian(c.mu, c.epsilon)
		if !(lower <= c.want && c.want <= upper && lower <= estimate && estimate <= upper) || upper-lower > 1e-10 {
			t.Errorf("log δ(µ=%g, ε=%g) in [%.18g, %.18g, %.18g], want %.18g; %s", c.mu, c.epsilon, lower, estimate, upper, c.want, mpmathSource)
		}
	}
}
