package rdp_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return rdp.NewAccountant() })
}

func TestClassicAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return rdp.Accountant{Conversion: rdp.Classic} })
}

func sgd(rate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}},
		Count: steps,
	}
}

// Other libraries minimize over a fixed list of orders, some with an over-estimate at the
// fractional ones: ours is never above theirs, and little below.
func TestAccountantAgainstGrids(t *testing.T) {
	for _, c := range []struct {
		q, sigma    float64
		steps       int
		delta, want float64
		conversion  rdp.Conversion
		src         string
	}{
		{256. / 60000, 1.1, 14063, 1e-5, 3.0092111729975137, rdp.Classic, "tensorflow/privacy tutorial, prints 3.01"},
		{256. / 60000, 1.3, 3516, 1e-5, 1.1922644089660859, rdp.Classic, "tensorflow/privacy tutorial, prints 1.19"},
		{256. / 60000, 0.7, 10547, 1e-5, 7.122933166067478, rdp.Classic, "tensorflow/privacy tutorial, prints 7.1"},
		{240. / 60000, 1.3, 3750, 1e-5, 1.1597493985896121, rdp.Classic, "opacus examples/mnist_README, prints 1.16"},
		{256. / 60000, 1.1, 14063, 1e-5, 2.596655529521983, rdp.CanonneKamathSteinke, "dp_accounting 0.6.0, default orders"},
		{256. / 60000, 0.7, 10547, 1e-5, 6.31974800597639, rdp.CanonneKamathSteinke, "dp_accounting 0.6.0, default orders"},
		{240. / 60000, 1.3, 3750, 1e-5, 0.9220489427696636, rdp.CanonneKamathSteinke, "dp_accounting 0.6.0, default orders"},
		{0.04, 1.5, 2250, 1e-5, 7.32911117143, rdp.CanonneKamathSteinke, "opacus tests/accountants_test.py"},
	} {
		g, err := rdp.Accountant{Conversion: c.conversion}.EpsilonAt(sgd(c.q, c.sigma, c.steps), c.delta)
		if err != nil {
			t.Fatal(err)
		}
		// 1% is what their lists of orders cost at most on these rows.
		if got := g.Epsilon.Upper; got > c.want*(1+1e-9) || got < 0.99*c.want {
			t.Errorf("ε(q=%g, σ=%g, T=%d) = %.10g by %v, want at most %.10g and within 1%%; %s", c.q, c.sigma, c.steps, got, c.conversion, c.want, c.src)
		}
	}
}

// For one Gaussian the best order is known in closed form for the classic conversion:
// ε = µ²/2 + µ√(2 log(1/δ)) (Mironov 2017, from Corollary 3 and Proposition 3).
func TestClassicGaussianClosedForm(t *testing.T) {
	for _, sigma := range []float64{0.01, 0.5, 1, 30, 1e4} {
		for _, delta := range []float64{1e-100, 1e-10, 1e-5} {
			mu := 1 / sigma
			want := mu*mu/2 + mu*math.Sqrt(-2*numeric.Log(delta))
			g, err := rdp.Accountant{Conversion: rdp.Classic}.EpsilonAt(accounting.Gaussian{NoiseMultiplier: sigma}, delta)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Epsilon.Upper; math.Abs(got/want-1) > 1e-10 || len(g.Warnings) > 0 {
				t.Errorf("classic ε(σ=%g, δ=%g) = %.15g, want %.15g; warnings %v", sigma, delta, got, want, g.Warnings)
			}
		}
	}
}

// The published case of an exact conversion: σ = 4.530877117 at δ = 1e-6 gives ε = 1
// (dp_accounting b5b0286, rdp_privacy_accountant_test).
func TestGaussianEpsilonOne(t *testing.T) {
	g, err := rdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 4.530877117}, 1e-6)
	if err != nil || math.Abs(g.Epsilon.Upper-1) > 1e-7 {
		t.Errorf("ε(σ=4.530877117, δ=1e-6) = %v, %v, want 1", g.Epsilon, err)
	}
}

func TestAccountantWarnsAtTheEnd(t *testing.T) {
	// Pure privacy is best at the largest order there is.
	g, err := rdp.NewAccountant().EpsilonOf(rdp.PureDP(1), 1e-12)
	if err != nil || len(g.Warnings) != 1 || math.Abs(g.Epsilon.Upper-1) > 1e-6 {
		t.Errorf("EpsilonOf(PureDP(1)) = %v, warnings %v, %v, want ε 1 and a warning that the order is the last", g, g.Warnings, err)
	}
}

func TestAccountantRefuses(t *testing.T) {
	if _, err := rdp.NewAccountant().EpsilonOf(nil, 1e-5); err == nil {
		t.Error("EpsilonOf(nil): no error")
	}
	if _, _, err := rdp.NewAccountant().LogDeltaOf(nil, 1); err == nil {
		t.Error("LogDeltaOf(nil): no error")
	}
	broken := rdp.Accountant{Conversion: 9}
	if _, err := broken.EpsilonAt(accounting.Gaussian{NoiseMultiplier: 1}, 1e-5); err == nil {
		t.Error("conversion 9: no error")
	}
}

func TestCalibrateNoiseMultiplier(t *testing.T) {
	for _, c := range []struct {
		steps          int
		epsilon, sigma float64
		src            string
	}{
		// Their lists of orders are coarser, and their tolerance is 0.01 in ε.
		{2250, 8, 1.416, "opacus get_noise_multiplier, 90 epochs at q 0.04"},
		{2000, 8, 1.3562, "opacus get_noise_multiplier, 2000 steps at q 0.04"},
	} {
		event := func(sigma float64) accounting.Event { return sgd(0.04, sigma, c.steps) }
		got, err := accounting.Calibration{Accountant: rdp.NewAccountant(), Event: event, Target: accounting.Target{Epsilon: c.epsilon, Delta: 1e-5}}.NoiseMultiplier()
		if err != nil {
			t.Fatal(err)
		}
		if got > c.sigma+1e-3 || got < c.sigma*0.995 {
			t.Errorf("σ for ε %g, T %d = %.6g, want %.6g or little less; %s", c.epsilon, c.steps, got, c.sigma, c.src)
		}
	}
}

// Calibrating and accounting again gives ε back from below, at any size.
func TestCalibrateRoundTrip(t *testing.T) {
	for _, epsilon := range []float64{1e-3, 0.1, 3, 100, 1000} {
		event := func(sigma float64) accounting.Event { return sgd(0.01, sigma, 1000) }
		sigma, err := accounting.Calibration{Accountant: rdp.NewAccountant(), Event: event, Target: accounting.Target{Epsilon: epsilon, Delta: 1e-6}}.NoiseMultiplier()
		if err != nil {
			t.Fatal(err)
		}
		g, err := rdp.NewAccountant().EpsilonAt(event(sigma), 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		// ε can fall by many percent for a percent of σ where sampling stops helping.
		if got := g.Epsilon.Upper; got > epsilon || got < epsilon*(1-1e-4) {
			t.Errorf("ε at the σ calibrated for %g (%g) is %.9g, want just below", epsilon, sigma, got)
		}
	}
}

// Whatever is asked, the answer is an error or a number >= 0, and δ at it is at most δ.
func FuzzEpsilonAt(f *testing.F) {
	f.Add(0.01, 2.0, 5000, 1e-5)
	f.Add(1e-6, 0.7, 1000000, 1e-12)
	f.Add(0.5, 0.02, 1, 0.999)
	f.Fuzz(func(t *testing.T, rate, noiseMultiplier float64, count int, delta float64) {
		event := sgd(rate, noiseMultiplier, count)
		g, err := rdp.NewAccountant().EpsilonAt(event, delta)
		if err != nil {
			return
		}
		if !(g.Epsilon.Upper >= 0) {
			t.Fatalf("ε(%v, δ=%g) = %v", event, delta, g.Epsilon)
		}
		if math.IsInf(g.Epsilon.Upper, 1) {
			return
		}
		back, err := rdp.NewAccountant().DeltaAt(event, g.Epsilon.Upper)
		if err != nil || !(back.Upper <= delta*(1+1e-6)) {
			t.Errorf("%v: ε is %g at δ %g, but δ is %v there, %v", event, g.Epsilon.Upper, delta, back, err)
		}
	})
}

func BenchmarkEpsilonAt(b *testing.B) {
	event := sgd(256./60000, 1.1, 14062)
	for b.Loop() {
		if _, err := rdp.NewAccountant().EpsilonAt(event, 1e-5); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCalibrateNoiseMultiplier(b *testing.B) {
	event := func(sigma float64) accounting.Event { return sgd(256./60000, sigma, 14062) }
	for b.Loop() {
		if _, err := (accounting.Calibration{Accountant: rdp.NewAccountant(), Event: event, Target: accounting.Target{Epsilon: 8, Delta: 1e-5}}).NoiseMultiplier(); err != nil {
			b.Fatal(err)
		}
	}
}

// Where a loss has a largest value, answers near it meet the truth at orders up to 1e9: they must
// not be below it by the rounding of (α-1) D, as they were by up to 3e-7 of δ. The truth is the
// chance of the one outcome whose loss is above ε.
func TestNearTheLargestLoss(t *testing.T) {
	for _, c := range []struct{ a, b, gap float64 }{
		{1, 0, 3e-9}, {0.3, 0, 2e-8}, {5, 0, 1e-8}, {1.0921697582350667, 0.008800395416299893, 3e-9}, {0.7, 0.1, 1e-7}, {3, 2, 1e-8}, {0.02, 0, 2e-6},
	} {
		events := []accounting.Event{accounting.PureDP{Epsilon: c.a}}
		top := 1 / (1 + math.Exp(-c.a))
		if c.b > 0 {
			events = append(events, accounting.PureDP{Epsilon: c.b})
			top /= 1 + math.Exp(-c.b)
		}
		event := accounting.Composed{Events: events}
		epsilon := c.a + c.b - c.gap
		gap := (c.a - epsilon) + c.b // as rounded; the sum of a and b need not be a float64
		delta := top * -math.Expm1(-gap)
		got, err := rdp.NewAccountant().DeltaAt(event, epsilon)
		if err != nil || got.Upper < delta*(1-1e-14) || got.Upper > delta*(1+1e-3) {
			t.Errorf("%v: δ(%.17g) = %.17g, %v, exactly %.17g", event, epsilon, got.Upper, err, delta)
		}
		g, err := rdp.NewAccountant().EpsilonAt(event, delta)
		if err != nil || g.Epsilon.Upper < epsilon || g.Epsilon.Upper > epsilon*(1+1e-12) {
			t.Errorf("%v: ε at δ = %g is %.17g, %v, exactly %.17g", event, delta, g.Epsilon.Upper, err, epsilon)
		}
	}
}
