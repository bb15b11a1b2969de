package rdp_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

func TestGaussian(t *testing.T) {
	// Mironov (2017), Corollary 3, at σ = 2, α = 10: 10/8.
	if got := rdp.Gaussian(2)(10); got != 1.25 {
		t.Errorf("RDP of Gaussian(σ=2) at 10 = %g, want 1.25", got)
	}
}

// Randomized response by its two outcomes, in both directions of nothing but itself.
func TestPureDP(t *testing.T) {
	for _, epsilon := range []float64{1e-6, 0.01, 0.5, 2, 20} {
		p := 1 / (1 + math.Exp(-epsilon))
		q := 1 / (1 + math.Exp(epsilon))
		for _, order := range []float64{1.001, 1.5, 2, 10, 30} {
			a := math.Exp(order*numeric.Log(p)+(1-order)*numeric.Log(q)) + math.Exp(order*numeric.Log(q)+(1-order)*numeric.Log(p))
			want := numeric.Log(a) / (order - 1)
			// The naive form loses eps/(α-1); ours is exact.
			if got := rdp.PureDP(epsilon)(order); math.Abs(got-want) > 1e-15*(order*epsilon+1)/(order-1) {
				t.Errorf("RDP of pure ε=%g at %g = %.15g, want %.15g from the two outcomes", epsilon, order, got, want)
			}
			// Bun and Steinke (2016), Proposition 1.4: at most αε²/2.
			if got := rdp.PureDP(epsilon)(order); got > math.Min(epsilon, order*epsilon*epsilon/2) {
				t.Errorf("RDP of pure ε=%g at %g = %g, above min(ε, αε²/2)", epsilon, order, got)
			}
		}
		if got := rdp.PureDP(epsilon)(math.Inf(1)); got != epsilon {
			t.Errorf("RDP of pure ε=%g at +Inf = %g, want ε", epsilon, got)
		}
	}
	// To first order in a small ε it is αε²/2.
	if got, want := rdp.PureDP(1e-8)(3), 1.5e-16; math.Abs(got/want-1) > 1e-7 {
		t.Errorf("RDP of pure ε=1e-8 at 3 = %g, want %g", got, want)
	}
}

func TestScaleAndSum(t *testing.T) {
	curve := rdp.Sum(rdp.Scale(rdp.ZCDP(0.1), 3), rdp.Scale(rdp.ZCDP(7), 0), rdp.Gaussian(1), rdp.Sum())
	if got, want := curve(4), 3*0.4+2.; math.Abs(got-want) > 4e-15 {
		t.Errorf("3 ZCDP(0.1) + Gaussian(1) at 4 = %g, want %g", got, want)
	}
	infinite := func(float64) float64 { return math.Inf(1) }
	if got := rdp.Scale(infinite, 0)(2); got != 0 {
		t.Errorf("no runs of an unbounded mechanism cost %g, want 0", got)
	}
}

// Every curve refuses, with +Inf, what it cannot bound.
func TestCurvesOutsideTheirRange(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	curves := map[string]rdp.Curve{
		"Gaussian(1)": rdp.Gaussian(1), "ZCDP(1)": rdp.ZCDP(1), "PureDP(1)": rdp.PureDP(1),
		"SampledGaussian(.1,1)": rdp.SampledGaussian(0.1, 1), "Sum()": rdp.Sum(), "Scale(,0)": rdp.Scale(rdp.ZCDP(1), 0),
	}
	for name, curve := range curves {
		for _, order := range []float64{1, 0, -3, nan} {
			if got := curve(order); !math.IsInf(got, 1) {
				t.Errorf("%s at order %g = %g, want +Inf", name, order, got)
			}
		}
	}
	for name, curve := range map[string]rdp.Curve{
		"Gaussian(0)": rdp.Gaussian(0), "Gaussian(-1)": rdp.Gaussian(-1), "Gaussian(NaN)": rdp.Gaussian(nan),
		"ZCDP(-1)": rdp.ZCDP(-1), "ZCDP(NaN)": rdp.ZCDP(nan), "PureDP(-1)": rdp.PureDP(-1), "PureDP(NaN)": rdp.PureDP(nan),
		"PureDP(+Inf)": rdp.PureDP(inf), "Scale(,-1)": rdp.Scale(rdp.ZCDP(1), -1),
	} {
		if got := curve(2); !math.IsInf(got, 1) {
			t.Errorf("%s at order 2 = %g, want +Inf", name, got)
		}
	}
}

// Any order is a valid bound, so one that is not computed must not become a small one.
func TestOverOrders(t *testing.T) {
	best := rdp.OverOrders(func(order float64) float64 {
		x := numeric.Log(order - 1)
		return 3 + (x-1.7)*(x-1.7)
	})
	if math.Abs(best.Value-3) > 1e-11 || math.Abs(numeric.Log(best.Order-1)-1.7) > 1e-5 || best.AtEnd {
		t.Errorf("minimum of a parabola = %+v, want 3 at log(α-1) = 1.7", best)
	}
	for _, c := range []struct {
		name string
		f    func(float64) float64
		want float64
	}{
		{"falling", func(order float64) float64 { return 1 / order }, rdp.MaxOrder},
		{"rising", func(order float64) float64 { return order }, rdp.MinOrder},
	} {
		if best := rdp.OverOrders(c.f); !best.AtEnd || math.Abs((best.Order-1)/(c.want-1)-1) > 1e-4 {
			t.Errorf("%s function: %+v, want the end %g, marked", c.name, best, c.want)
		}
	}
	for _, v := range []float64{math.Inf(1), math.NaN()} {
		if best := rdp.OverOrders(func(float64) float64 { return v }); !math.IsInf(best.Value, 1) || best.AtEnd {
			t.Errorf("everywhere %g: %+v, want +Inf, not marked", v, best)
		}
	}
}

func gaussian(noiseMultiplier float64) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: noiseMultiplier}
}

func sampled(rate float64, event accounting.Event) accounting.Event {
	return accounting.PoissonSampled{SamplingRate: rate, Event: event}
}

// Events that are the same mechanism in other words have the same curve.
func TestFromEvent(t *testing.T) {
	self := func(event accounting.Event, count int) accounting.Event {
		return accounting.SelfComposed{Event: event, Count: count}
	}
	all := func(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }
	for _, c := range []struct {
		event accounting.Event
		want  rdp.Curve
		why   string
	}{
		{sampled(0.2, self(gaussian(2), 4)), rdp.SampledGaussian(0.2, 1), "4 Gaussians on one sample are one with half the σ"},
		{sampled(0.2, all(gaussian(5), gaussian(5./2))), rdp.SampledGaussian(0.2, math.Sqrt(5)), "1/25 + 4/25 = 1/5"},
		{sampled(0.2, sampled(0.5, gaussian(3))), rdp.SampledGaussian(0.1, 3), "a sample of a sample"},
		{sampled(1, self(sampled(0.3, gaussian(3)), 2)), rdp.Scale(rdp.SampledGaussian(0.3, 3), 2), "no sampling"},
		{sampled(0.2, accounting.WorstCase{Events: []accounting.Event{gaussian(3), gaussian(2)}}), rdp.SampledGaussian(0.2, 2), "the worse of two"},
		{all(self(sampled(0.1, gaussian(1)), 3), gaussian(2), self(all(sampled(0.1, gaussian(1)), gaussian(2)), 2)),
			rdp.Sum(rdp.Scale(rdp.SampledGaussian(0.1, 1), 5), rdp.Scale(rdp.Gaussian(2), 3)), "5 sampled and 3 plain in all"},
	} {
		curve, err := rdp.FromEvent(c.event)
		if err != nil {
			t.Errorf("%v: %v", c.event, err)
			continue
		}
		for _, order := range []float64{1.3, 6, 40} {
			if got, want := curve(order), c.want(order); math.Abs(got/want-1) > 1e-12 {
				t.Errorf("%v at order %g: %.15g, want %.15g (%s)", c.event, order, got, want, c.why)
			}
		}
	}
}

// A composition of samples on a sample is any mechanism: its second moment is 1 + q²(E r² - 1).
func TestSampleOfSamples(t *testing.T) {
	curve, err := rdp.FromEvent(sampled(0.1, accounting.SelfComposed{Event: sampled(0.1, gaussian(1)), Count: 2}))
	if want := math.Log1p(0.01 * math.Expm1(2*rdp.SampledGaussian(0.1, 1)(2))); err != nil || math.Abs(curve(2)/want-1) > 1e-12 {
		t.Errorf("sampling around a composition of samples: %v, %v, want %g", curve(2), err, want)
	}
}

// A cost too small for a float64 is not nothing: √RDP bounds δ.
func TestCurvesDoNotUnderflow(t *testing.T) {
	for name, curve := range map[string]rdp.Curve{
		"Gaussian(1e200)": rdp.Gaussian(1e200), "SampledGaussian(1e-170,1)": rdp.SampledGaussian(1e-170, 1),
		"SampledGaussian(.5,1e200)": rdp.SampledGaussian(0.5, 1e200), "SampledGaussian(1,1e200)": rdp.SampledGaussian(1, 1e200),
	} {
		for _, order := range []float64{1.5, 2, 300} {
			if got := curve(order); !(got > 0) {
				t.Errorf("%s at order %g = %g, want more than 0", name, order, got)
			}
		}
	}
}
