package contour

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// TestFurtherValues compares with values that a trial in another implementation printed
// (contour integral in double precision, no code in common), to their digits.
func TestFurtherValues(t *testing.T) {
	const source = "trial implementation of the same integral, 2026-11, as printed"
	for _, c := range []struct {
		q, sigma float64
		steps    int
		delta    float64
		want     float64
		digits   float64 // half a unit of the last printed digit
	}{
		{0.01, 1, 1000, 1e-100, 29.5987, 5e-5},
		{0.01, 1, 1000, 1e-300, 85.5443, 5e-5},
		{0.001, 1, 1e9, 1e-6, 1052.967, 5e-4},
		{1e-4, 2, 1e9, 1e-12, 12.8830, 5e-5},
		{0.5, 0.3, 1e4, 1e-5, 23593.2, 5e-2},
		{0.01, 100, 1e8, 1e-5, 4.37731, 5e-6},
		{1e-7, 0.3, 1e7, 1e-10, 10.10974, 5e-6},
	} {
		g, err := search.EpsilonAt(sgd(c.q, c.sigma, c.steps), c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if g.Epsilon.Lower > c.want+c.digits || g.Epsilon.Upper < c.want-c.digits || g.Epsilon.Width() > 1e-6*c.want {
			t.Errorf("%+v: ε %.10g to %.10g, want %g; %s", c, g.Epsilon.Lower, g.Epsilon.Upper, c.want, source)
		}
	}
}

// TestPhases checks the heterogeneous example to 1e-9.
func TestPhases(t *testing.T) {
	const want, source = 2.231225786852, "40-digit contour integral, 2026-11"
	event := accounting.Composed{Events: []accounting.Event{sgd(0.01, 1.5, 1000), sgd(0.02, 2.5, 2000), sgd(0.005, 0.9, 1500)}}
	g, err := search.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(g.Epsilon.Lower-want) > 1e-9 || math.Abs(g.Epsilon.Upper-want) > 1e-9 {
		t.Errorf("ε %.13g to %.13g, want %.13g; %s", g.Epsilon.Lower, g.Epsilon.Upper, want, source)
	}
}

// TestWideIsSaid checks that an interval that is not narrow says so.
func TestWideIsSaid(t *testing.T) {
	g, err := search.EpsilonAt(sgd(1e-6, 0.7, 100), 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	if g.Epsilon.Width() > warnWidth*g.Epsilon.Upper && (len(g.Warnings) != 1 || !errors.Is(g.Warnings[0], ErrWide)) {
		t.Errorf("ε %v with warnings %v, want ErrWide", g.Epsilon, g.Warnings)
	}
}

// TestRefusals checks the errors of what is not known or out of range.
func TestRefusals(t *testing.T) {
	many := make([]accounting.Event, maxPhases+1)
	for i := range many {
		many[i] = sgd(0.01, 1+float64(i)/1000, 1)
	}
	for name, event := range map[string]accounting.Event{
		"too many phases": accounting.Composed{Events: many},
		"too many steps":  accounting.SelfComposed{Event: sgd(0.01, 1, math.MaxInt32), Count: math.MaxInt32},
	} {
		if g, err := NewAccountant().EpsilonAt(event, 1e-5); err == nil {
			t.Errorf("%s: %v, want an error", name, g)
		}
	}
	nested := accounting.PoissonSampled{SamplingRate: 0.5, Event: sgd(0.5, 1, 2)}
	if _, err := NewAccountant().EpsilonAt(nested, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("%v: %v, want ErrUnsupportedEvent", nested, err)
	}
	for _, logDelta := range []float64{0, 1, math.NaN(), math.Inf(-1)} {
		if g, err := NewAccountant().EpsilonAtLogDelta(sgd(0.1, 1, 2), logDelta); err == nil {
			t.Errorf("logDelta %g: %v, want an error", logDelta, g)
		}
	}
}
