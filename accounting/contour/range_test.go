package contour

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// TestExtremeNoise asks where squares of noise multipliers are no numbers. The truths are limits:
// for µ -> 0 δ(xµ) = µ (φ(x) - x Φ(-x)), for σ -> 0 δ(ε) = 1-(1-q)^T below any loss of a sampled
// step.
func TestExtremeNoise(t *testing.T) {
	const three = 0.000382154317047724 // φ(3) - 3 Φ(-3), mpmath 1.3
	for _, c := range []struct {
		name    string
		event   accounting.Event
		epsilon float64
		want    float64
	}{
		{"tiny µ", accounting.Gaussian{NoiseMultiplier: 1e160}, 3e-160, 1e-160 * three},
		{"tiny µ of many", accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 1e170}, Count: 10000}, 3e-168, 1e-168 * three},
		{"no noise", accounting.Gaussian{NoiseMultiplier: 0x1p-1022}, 1e300, 1},
		{"1000 sampled", sgd(0.01, 1e-160, 1000), 1, 1 - math.Pow(0.99, 1000)},
		{"two sampled", sgd(0.5, 3e-308, 2), 10, 0.75},
		{"one sampled", sgd(1e-5, 0x1p-1022, 1), 10, 1e-5},
		{"epsilon beyond µ²", accounting.Gaussian{NoiseMultiplier: 1000}, 1.7e308, 0},
		{"noise beside no noise", accounting.Composed{Events: []accounting.Event{sgd(0.5, 3e-308, 2), sgd(0.5, 1e300, 100)}}, 1, 0.75},
	} {
		d, err := NewAccountant().DeltaAt(c.event, c.epsilon)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if d.Lower > c.want*(1+1e-11) || d.Upper < c.want*(1-1e-11) || d.Width() > 1e-10*c.want+1e-300 {
			t.Errorf("%s: δ(%g) of %v in [%.15g, %.15g], want %.15g inside", c.name, c.epsilon, c.event, d.Lower, d.Upper, c.want)
		}
	}
	// ε of σ is at least µ²/2 at δ < 1/2, here 5e319 and more: no float64.
	g, err := NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1e-160}, 1e-5)
	if err != nil || !math.IsInf(g.Epsilon.Upper, 1) || len(g.Warnings) == 0 {
		t.Errorf("σ 1e-160: %v, %v, warnings %v: want an upper end of +Inf with a warning", g.Epsilon, err, g.Warnings)
	}
}

// TestDeltaAboveSampling asks at δ above the total variation distance, where ε is 0: first cases
// that came out wide, then the ends of the bound, which is the truth for one step and for σ -> 0.
func TestDeltaAboveSampling(t *testing.T) {
	for _, c := range []drawn{
		{1.6e-6, 0.094, 173, numeric.Log(0.15)}, // Tq = 2.8e-4
		{7e-6, 0.55, 2, numeric.Log(1.2e-4)},    // 1.4e-5
		{0.5, 1e-3, 2, numeric.Log(0.9)},        // 0.75
		{0.01, 1e-6, 100, numeric.Log(0.64)},    // 0.634
	} {
		g, err := search.EpsilonAtLogDelta(c.event(), c.logDelta)
		if err != nil || g.Epsilon != accounting.Exact(0) || len(g.Warnings) > 0 {
			t.Errorf("%+v: ε %v, %v, warnings %v, want exactly 0 as δ(0) <= 1-(1-q)^T", c, g.Epsilon, err, g.Warnings)
		}
	}
	for _, c := range []struct {
		p    program
		want float64
	}{
		{program{phases: []transform.Phase{{Q: 0.5, Sigma: 1e-3, Count: 2}}}, numeric.Log(0.75)},
		{program{phases: []transform.Phase{{Q: 0.01, Sigma: 1e-6, Count: 100}, {Q: 0.5, Sigma: 1e-9, Count: 1}}}, math.Log1p(-0.5 * math.Pow(0.99, 100))},
		{program{mu: 1}, numeric.Log(math.Erf(1 / math.Sqrt(8)))},
		{program{phases: []transform.Phase{{Q: 1e-200, Sigma: 1, Count: 10}}, mu: 0}, numeric.Log(1e-199) + numeric.Log(math.Erf(1/math.Sqrt(8)))},
		{program{phases: []transform.Phase{{Q: 5e-324, Sigma: 1e-3, Count: 3}}}, -1074*math.Ln2 + numeric.Log(3)},
	} {
		if got := c.p.logMost(); got < c.want || got > c.want+1e-12 {
			t.Errorf("%+v: log δ is at most %.16g, want %.16g and no less", c.p, got, c.want)
		}
	}
}

// TestLeastNoise calibrates where every σ meets the target, since TV <= 1-(1-q)^2 = 0.75: the least
// of the range is the end of it, and is refused as a noise multiplier.
func TestLeastNoise(t *testing.T) {
	for _, epsilon := range []float64{0, 0.9, 5} {
		c := accounting.Calibration{Accountant: NewAccountant(), Event: func(s float64) accounting.Event { return sgd(0.5, s, 2) }, Target: accounting.Target{Epsilon: epsilon, Delta: 0.9}}
		if sigma, err := c.NoiseMultiplier(); !errors.Is(err, accounting.ErrNoBracket) {
			t.Errorf("ε %g: noise multiplier %g, %v, want ErrNoBracket", epsilon, sigma, err)
		}
		c.Low, c.High = 1e-6, 1e12
		if sigma, err := c.Least(); err != nil || sigma != 1e-6 {
			t.Errorf("ε %g: least %g, %v, want 1e-6", epsilon, sigma, err)
		}
	}
}

// TestSubnormalDelta: 38.8718328324943 is Balle and Wang's formula at µ = 1 and δ = 2^-1074, by
// mpmath at 60 digits.
func TestSubnormalDelta(t *testing.T) {
	g, err := NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1}, math.SmallestNonzeroFloat64)
	if want := 38.8718328324943; err != nil || g.Epsilon.Lower > want+1e-12 || g.Epsilon.Upper < want-1e-12 {
		t.Errorf("ε %v, %v, want %.15g", g.Epsilon, err, want)
	}
}

// TestFarGaussian: with a = ε/µ - µ/2 far above 1 and µ far below, δ = φ(a) µ/a² (1 + O(1/a²) +
// O(aµ)). The truths are Balle and Wang's formula at these float64, by mpmath 1.3 with 700 digits.
func TestFarGaussian(t *testing.T) {
	for mu, want := range map[float64]float64{1e-10: -2000000000052.962050898, 1e-100: -2000000000260.194508102, 1e-300: -2000000000720.711747914} {
		const a = 2e6
		near := -a*a/2 - numeric.LogSqrt2Pi + numeric.Log(mu) - 2*numeric.Log(a)
		if lower, _, upper := numeric.LogGaussian(mu, a*mu); lower > want || upper < want || upper-lower > 0.05 || math.Abs(near-want) > 0.01 {
			t.Errorf("µ %g: log δ in [%.17g, %.17g], want %.17g (mpmath), about %.17g", mu, lower, upper, want, near)
		}
	}
}

// Without noise ε is infinite by definition, so neither end is an estimate.
func TestNoNoiseIsExact(t *testing.T) {
	g, err := NewAccountant().EpsilonAt(accounting.NonPrivate{}, 1e-5)
	if want := "ε in [+Inf, +Inf], δ = 1e-05, add-or-remove-one, contour, no noise"; err != nil || g.String() != want {
		t.Errorf("%v, %v: want %s", g, err, want)
	}
}
