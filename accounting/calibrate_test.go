package accounting_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
)

func noiseMultiplier(a accounting.Accountant, event func(sigma float64) accounting.Event, epsilon, delta float64) (float64, error) {
	return accounting.Calibration{Accountant: a, Event: event, Target: accounting.Target{Epsilon: epsilon, Delta: delta}}.NoiseMultiplier()
}

// The exact answers for one Gaussian are known: dp_accounting 0.6.0, get_sigma_gaussian
// (Balle and Wang 2018, Theorem 8).
func TestCalibrateNoiseMultiplier(t *testing.T) {
	for _, c := range []struct{ epsilon, delta, want float64 }{
		{1, 1e-5, 3.7306316348159374}, {1, 1e-6, 4.224678889326822}, {0.1, 1e-6, 36.304690426196096},
		{8, 1e-5, 0.6002290721989517}, {10, 1e-5, 0.4998886197090323},
	} {
		got, err := noiseMultiplier(gdp.NewAccountant(), gaussian, c.epsilon, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if got < c.want*(1-1e-12) || got > c.want*(1+accounting.CalibrationTolerance) {
			t.Errorf("σ(ε=%g, δ=%g) = %.12g, want %.12g from above, to %g; dp_accounting 0.6.0 get_sigma_gaussian",
				c.epsilon, c.delta, got, c.want, accounting.CalibrationTolerance)
		}
	}
}

// counted counts the calls of an accountant.
type counted struct {
	accounting.Accountant
	calls *int
}

func (c counted) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	*c.calls++
	return c.Accountant.EpsilonAt(event, delta)
}

// From ε 1e-3 to 1000 the answer meets the target, a little less noise does not, and it
// takes some ten calls: as many as there are factors of 4 to the answer, and five or so more.
func TestCalibrateReturnsThePrivateSide(t *testing.T) {
	for _, epsilon := range []float64{1e-3, 0.05, 1, 30, 1000} {
		calls := 0
		accountant := counted{gdp.NewAccountant(), &calls}
		sigma, err := noiseMultiplier(accountant, gaussian, epsilon, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		if calls > 14 {
			t.Errorf("ε %g: %d calls of the accountant, want at most 14", epsilon, calls)
		}
		at := epsilonAt(t, gaussian(sigma), 1e-7)
		less := epsilonAt(t, gaussian(sigma*(1-2*accounting.CalibrationTolerance)), 1e-7)
		if at > epsilon || less <= epsilon {
			t.Errorf("target ε %g: %.12g at the answer σ = %g, %.12g at a little less; want the target between", epsilon, at, sigma, less)
		}
	}
}

func epsilonAt(t *testing.T, event accounting.Event, delta float64) float64 {
	t.Helper()
	g, err := gdp.NewAccountant().EpsilonAt(event, delta)
	if err != nil {
		t.Fatal(err)
	}
	return g.Epsilon.Upper
}

// The largest sampling rate: the same boundary from the other side.
func TestCalibrationMost(t *testing.T) {
	event := func(rate float64) accounting.Event { return sgd(rate, 1, 1000) }
	c := accounting.Calibration{Accountant: rdp.NewAccountant(), Event: event, Target: accounting.Target{Epsilon: 2, Delta: 1e-5}, Low: 1e-9, High: 1}
	rate, err := c.Most()
	if err != nil {
		t.Fatal(err)
	}
	for factor, meets := range map[float64]bool{1: true, 1 + 2e-7: false} {
		g, err := c.Accountant.EpsilonAt(event(rate*factor), c.Target.Delta)
		if err != nil || (g.Epsilon.Upper <= c.Target.Epsilon) != meets {
			t.Errorf("ε at %.10g times the answer %g = %v, %v, want at most 2: %t", factor, rate, g.Epsilon, err, meets)
		}
	}
}

func TestCalibrationEndsOfRange(t *testing.T) {
	c := accounting.Calibration{Accountant: gdp.NewAccountant(), Event: gaussian, Target: accounting.Target{Epsilon: 1, Delta: 1e-5}, Low: 10, High: 20}
	if got, err := c.Least(); err != nil || got != 10 { // σ 3.73 would do
		t.Errorf("least in [10, 20] = %g, %v, want 10: the whole range meets the target", got, err)
	}
	c.Low, c.High = 0.1, 3.7
	if got, err := c.Least(); !errors.Is(err, accounting.ErrNoBracket) {
		t.Errorf("least in [0.1, 3.7] = %g, %v, want ErrNoBracket: σ 3.73 is needed", got, err)
	}
	// Noise does not help a mechanism that has none.
	never := func(float64) accounting.Event { return accounting.NonPrivate{} }
	if got, err := noiseMultiplier(rdp.NewAccountant(), never, 1, 1e-5); !errors.Is(err, accounting.ErrNoBracket) {
		t.Errorf("calibrating NonPrivate = %g, %v, want ErrNoBracket", got, err)
	}
	c.Low, c.High = 1e-300, 1e300
	c.Target.Epsilon = 1e-200
	c.Target.Delta = 1e-300
	if got, err := c.Least(); !errors.Is(err, accounting.ErrNotConverged) {
		t.Errorf("least over 600 decades = %g, %v, want ErrNotConverged", got, err)
	}
}

// An event that ignores the parameter leaves no answer, although every value meets the target. The
// end of a range is no least noise multiplier, even if the event depends on the noise.
func TestCalibrationNeedsADependence(t *testing.T) {
	ignores := func(float64) accounting.Event { return gaussian(10) }
	// The events differ, and cost the same.
	hides := func(x float64) accounting.Event {
		return accounting.WorstCase{Events: []accounting.Event{gaussian(10), gaussian(20 + 1/x)}}
	}
	target := accounting.Target{Epsilon: 1, Delta: 1e-5}
	for name, event := range map[string]func(x float64) accounting.Event{"ignores": ignores, "hides": hides} {
		c := accounting.Calibration{Accountant: rdp.NewAccountant(), Event: event, Target: target}
		ranged := c
		ranged.Low, ranged.High = 0.5, 1
		for method, ask := range map[string]func() (float64, error){
			"noise multiplier": c.NoiseMultiplier, "sampling rate": c.SamplingRate, "x in [0.5, 1]": ranged.Least, "x in [0.5, 1]: must": ranged.Most,
		} {
			if got, err := ask(); !errors.Is(err, accounting.ErrNoBracket) || !strings.Contains(err.Error(), method) || !strings.Contains(err.Error(), "must change the cost of Event") {
				t.Errorf("%s, %s: %g, %v, want ErrNoBracket", name, method, got, err)
			}
		}
	}
	depends := accounting.Calibration{Accountant: gdp.NewAccountant(), Event: gaussian, Target: target, Low: 10, High: 20}
	if got, err := depends.NoiseMultiplier(); !errors.Is(err, accounting.ErrNoBracket) || !math.IsInf(got, 1) || !strings.Contains(err.Error(), "noise multiplier in [10, 20]: must be above the lower end") {
		t.Errorf("noise multiplier in [10, 20], where all are enough: %g, %v, want ErrNoBracket", got, err)
	}
	// Different events may cost nothing: a rate of 1 is an answer.
	free := func(rate float64) accounting.Event { return sgd(rate, 1e9, 1) }
	if got, err := (accounting.Calibration{Accountant: rdp.NewAccountant(), Event: free, Target: target}).SamplingRate(); err != nil || got != 1 {
		t.Errorf("sampling rate at σ 1e9: %g, %v, want 1", got, err)
	}
}

func TestCalibrationRefuses(t *testing.T) {
	valid := accounting.Calibration{Accountant: gdp.NewAccountant(), Event: gaussian, Target: accounting.Target{Epsilon: 1, Delta: 1e-5}, Low: 0.1, High: 10}
	nan, inf := math.NaN(), math.Inf(1)
	for want, change := range map[string]func(c *accounting.Calibration){
		"Accountant is nil":   func(c *accounting.Calibration) { c.Accountant = nil },
		"Event is nil":        func(c *accounting.Calibration) { c.Event = nil },
		"Target.Epsilon -1":   func(c *accounting.Calibration) { c.Target.Epsilon = -1 },
		"Target.Epsilon NaN":  func(c *accounting.Calibration) { c.Target.Epsilon = nan },
		"Target.Epsilon +Inf": func(c *accounting.Calibration) { c.Target.Epsilon = inf },
		"Target.Delta 0":      func(c *accounting.Calibration) { c.Target.Delta = 0 },
		"Target.Delta 1":      func(c *accounting.Calibration) { c.Target.Delta = 1 },
		"Low 0":               func(c *accounting.Calibration) { c.Low = 0 },
		"Low 20, High 10":     func(c *accounting.Calibration) { c.Low = 20 },
		"High +Inf":           func(c *accounting.Calibration) { c.High = inf },
		"High NaN":            func(c *accounting.Calibration) { c.High = nan },
	} {
		c := valid
		change(&c)
		if got, err := c.Least(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: Least() = %g, %v, want an error that says so", want, got, err)
		}
	}
	// What the accountant refuses is told with the value at which it did.
	sampled := func(sigma float64) accounting.Event { return sgd(0.5, sigma, 1) }
	if _, err := noiseMultiplier(gdp.NewAccountant(), sampled, 1, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("an event that the accountant does not know: %v, want ErrUnsupportedEvent", err)
	}
}
