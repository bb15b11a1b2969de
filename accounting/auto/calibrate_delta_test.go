package auto_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
)

// For one Gaussian δ(ε) is a closed form, Φ(µ/2-ε/µ) - e^ε Φ(-µ/2-ε/µ) (Balle and Wang 2018,
// Theorem 8).
func TestCalibrateDelta(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range []struct{ mu, epsilon float64 }{{1, 0}, {1, 1}, {0.5, 2}, {3, 10}} {
		want := phi(c.mu/2-c.epsilon/c.mu) - math.Exp(c.epsilon)*phi(-c.mu/2-c.epsilon/c.mu)
		for _, a := range []accounting.Accountant{gdp.NewAccountant(), contour.NewAccountant()} {
			got, err := auto.CalibrateDelta(gaussian(1/c.mu), c.epsilon, a)
			if err != nil || got < want*(1-1e-11) || got > want*(1+accounting.CalibrationTolerance) {
				t.Errorf("%s: δ(µ=%g, ε=%g) = %.12g, %v, want %.12g from above", a.Name(), c.mu, c.epsilon, got, err, want)
			}
		}
	}
}

// raised has prices of ε that are above those of its δ by a factor.
type raised struct {
	gdp.Accountant
	factor float64
}

func (a raised) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	g, err := a.Accountant.EpsilonAt(event, delta)
	g.Epsilon = accounting.UpperBound(g.Epsilon.Upper * a.factor)
	return g, err
}

// Where a price is almost twice the ε that is asked for, δ at a smaller ε is asked for only if that
// is not negative.
func TestCalibrateDeltaOfRaisedPrices(t *testing.T) {
	for _, factor := range []float64{1.5, 1.99, 1.9901, 1.995, 1.9999, 2, 3} {
		a := raised{gdp.NewAccountant(), factor}
		delta, err := auto.CalibrateDelta(gaussian(1), 1, a)
		if err != nil {
			t.Errorf("prices times %g: %v", factor, err)
			continue
		}
		if g, err := a.EpsilonAt(gaussian(1), delta); err != nil || g.Epsilon.Upper > 1 {
			t.Errorf("prices times %g: δ %g costs %v, %v, want at most 1", factor, delta, g.Epsilon, err)
		}
	}
}

// Drawn questions: what was calibrated meets the target with the same accountant, and a little less
// noise, one more step, a higher rate or a smaller δ does not, up to the tolerance.
func TestCalibrationProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2026))
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	cases := 12
	if testing.Short() {
		cases = 4
	}
	for range cases {
		a := []accounting.Accountant{rdp.NewAccountant(), contour.NewAccountant()}[rng.IntN(2)]
		q, steps, epsilon, delta := log(1e-3, 0.3), int(log(10, 1e4)), log(0.1, 20), log(1e-10, 1e-3)
		upper := func(event accounting.Event, delta float64) float64 {
			t.Helper()
			g, err := a.EpsilonAt(event, delta)
			if err != nil {
				t.Fatal(err)
			}
			return g.Epsilon.Upper
		}
		check := func(what string, at, beyond float64) {
			t.Helper()
			if at > epsilon || beyond <= epsilon*(1-1e-7) {
				t.Errorf("%s: %s, q %g, T %d, ε %g, δ %g: costs %.12g, beyond it %.12g", a.Name(), what, q, steps, epsilon, delta, at, beyond)
			}
		}
		const more = 1 + 3*accounting.CalibrationTolerance
		sigma, err := auto.CalibrateNoiseMultiplier(func(s float64) accounting.Event { return sgd(q, s, steps) }, accounting.Target{Epsilon: epsilon, Delta: delta}, a)
		if err != nil {
			t.Fatal(err)
		}
		check("noise", upper(sgd(q, sigma, steps), delta), upper(sgd(q, sigma/more, steps), delta))
		rate, err := auto.CalibrateSamplingRate(func(r float64) accounting.Event { return sgd(r, 1.1*sigma, steps) }, accounting.Target{Epsilon: epsilon, Delta: delta}, a)
		if err != nil {
			t.Fatal(err)
		}
		check("rate", upper(sgd(rate, 1.1*sigma, steps), delta), upper(sgd(math.Min(1, rate*more), 1.1*sigma, steps), delta))
		count, err := auto.CalibrateSteps(func(n int) accounting.Event { return sgd(q, 1.1*sigma, n) }, accounting.Target{Epsilon: epsilon, Delta: delta}, 1<<40, a)
		if err != nil || count < steps {
			t.Fatalf("%d steps, %v, want at least %d", count, err, steps)
		}
		check("steps", upper(sgd(q, 1.1*sigma, count), delta), upper(sgd(q, 1.1*sigma, count+1), delta))
		least, err := auto.CalibrateDelta(sgd(q, sigma, steps), epsilon, a)
		if err != nil || least > delta*(1+1e-4) {
			t.Errorf("%s: δ %g, %v, want at most %g", a.Name(), least, err, delta)
		}
		check("δ", upper(sgd(q, sigma, steps), least), upper(sgd(q, sigma, steps), least/(1+1e-4)))
	}
}

func TestCalibrateDeltaRefuses(t *testing.T) {
	for _, c := range []struct {
		a       accounting.Accountant
		event   accounting.Event
		epsilon float64
	}{{gdp.NewAccountant(), nil, 1}, {gdp.NewAccountant(), gaussian(1), -1}, {gdp.NewAccountant(), gaussian(0), 1}, {gdp.NewAccountant(), sgd(0.1, 1, 2), 1}} {
		if delta, err := auto.CalibrateDelta(c.event, c.epsilon, c.a); err == nil {
			t.Errorf("%v: δ %g, want an error", c, delta)
		}
	}
	if delta, err := auto.CalibrateDelta(accounting.NonPrivate{}, 5, gdp.NewAccountant()); !errors.Is(err, accounting.ErrNoBracket) {
		t.Errorf("no noise: δ %g, %v, want ErrNoBracket", delta, err)
	}
}

// A checked δ is at least DeltaAt's, hardly more, and has a certificate for an ε of at most the one
// asked about. Where nothing is to be checked, δ is DeltaAt's.
func TestCheckedDeltaAt(t *testing.T) {
	a := auto.NewAccountant()
	for _, c := range []struct {
		event   accounting.Event
		epsilon float64
		more    float64 // relative to DeltaAt's; 0 if the check needs too much more
	}{
		{gaussian(1), 1, 1e-6},
		{gaussian(1), 0, 1e-6},
		{sgd(0.01, 2, 5000), 1, 1e-6},
		{sgd(0.01, 2, 5000), 0, 1e-6},
		{sgd(0.01, 2, 5000), 8, 1e-3}, // 1e-83
		{accounting.Composed{Events: []accounting.Event{sgd(0.01, 2, 500), accounting.Laplace{NoiseMultiplier: 5}}}, 0.5, 0},
		{selection.BestOf{Law: tnb(t, 0, 10), Base: sgd(0.01, 2, 500)}, 1, 1e-3},
	} {
		if testing.Short() && auto.HasSelection(c.event) {
			continue
		}
		known, err := a.DeltaAt(c.event, c.epsilon)
		if err != nil {
			t.Fatal(err)
		}
		delta, g, err := a.CheckedDeltaAt(c.event, c.epsilon)
		switch {
		case err != nil:
			t.Errorf("%v at ε %g: %v", c.event, c.epsilon, err)
		case delta.Upper < known.Upper || delta.Upper > known.Upper*(1+c.more) || delta.Lower > known.Lower || delta.Lower < known.Lower*(1-1e-6):
			t.Errorf("%v at ε %g: %v, want %v with an upper end that is at most a share of %g higher, and a lower one at most 1e-6 lower", c.event, c.epsilon, delta, known, c.more)
		case c.more == 0:
			if g.Certificate != nil || !errors.Is(errors.Join(g.Warnings...), accounting.ErrUncertified) {
				t.Errorf("%v at ε %g: %v with %+v, %v, want no certificate", c.event, c.epsilon, delta, g.Certificate, g.Warnings)
			}
		case g.Certificate == nil || g.Certificate.Epsilon > c.epsilon || !(g.Certificate.DeltaUpper <= delta.Upper) || g.Delta != delta.Upper:
			t.Errorf("%v at ε %g: %v with the certificate %+v", c.event, c.epsilon, delta, g.Certificate)
		}
	}
	for _, c := range []struct {
		event   accounting.Event
		epsilon float64
		want    float64
	}{
		{gaussian(1), 500, math.SmallestNonzeroFloat64},
		{accounting.NonPrivate{}, 3, 1},
	} {
		delta, g, err := a.CheckedDeltaAt(c.event, c.epsilon)
		if err != nil || delta.Upper != c.want || g.Epsilon.Computed() {
			t.Errorf("%v at ε %g: %v, %v, %v, want %g without a guarantee", c.event, c.epsilon, delta, g, err, c.want)
		}
	}
}
