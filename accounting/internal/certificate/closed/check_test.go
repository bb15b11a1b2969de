package closed

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

func checked(t *testing.T, event accounting.Event, relation accounting.Neighboring, epsilon, delta float64) (accounting.Certificate, error) {
	t.Helper()
	node, err := accounting.Flatten(event)
	if err != nil {
		t.Fatal(err)
	}
	return Check(node, relation)(epsilon, delta)
}

// Each event has the given δ at ε. A check holds just above it, and does not hold just below.
func TestCheck(t *testing.T) {
	gaussian, laplace := accounting.Gaussian{NoiseMultiplier: 2}, accounting.Laplace{NoiseMultiplier: 0.5}
	at := func(logDelta I) float64 { return logDelta.Exp().Hi }
	deltaLaplace := -math.Expm1((1.5 - 2) / 2)
	twice := of(2).Sqrt().Mul(half)
	for _, c := range []struct {
		name     string
		event    accounting.Event
		relation accounting.Neighboring
		epsilon  float64
		want     float64
		refuses  bool // below it another theorem may hold
	}{
		{"Gaussian", gaussian, 0, 1.5, at(LogGaussian(half, of(1.5))), false},
		{"two Gaussians", accounting.Composed{Events: []accounting.Event{gaussian, gaussian}}, 0, 1.5, at(LogGaussian(twice, of(1.5))), false},
		{"two Gaussians", accounting.SelfComposed{Event: gaussian, Count: 2}, 0, 1.5, at(LogGaussian(twice, of(1.5))), false},
		{"the larger of two", accounting.Parallel{Events: []accounting.Event{gaussian, accounting.Gaussian{NoiseMultiplier: 3}}}, 0, 1.5, at(LogGaussian(half, of(1.5))), false},
		{"sampled Gaussian", accounting.PoissonSampled{SamplingRate: 0.1, Event: gaussian}, accounting.AddOrRemoveOne, 0.3, at(LogSampled(0.1, half, of(0.3))), false},
		{"shown sample", accounting.PoissonSampled{SamplingRate: 0.1, Event: gaussian}, accounting.ReplaceOne, 0.3, 0.1 * at(LogGaussian(half, of(0.3))), false},
		{"fixed size", accounting.SampledWithoutReplacement{PopulationSize: 10, SampleSize: 1, Event: laplace}, accounting.ReplaceOne, numeric.Log(1 + 0.1*math.Expm1(1.5)), 0.1 * deltaLaplace, true},
		{"Laplace", laplace, 0, 1.5, deltaLaplace, false},
		{"sampled Laplace", accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace}, accounting.AddOrRemoveOne, numeric.Log(1 + 0.1*math.Expm1(1.5)), 0.1 * deltaLaplace, false},
		{"response", accounting.RandomizedResponse{Truth: 0.75}, 0, 0.5, 0.75 - 0.25*math.Exp(0.5), false},
		{"pure", accounting.PureDP{Epsilon: numeric.Log(3)}, 0, 0.5, 0.75 - 0.25*math.Exp(0.5), false},
		{"approximate", accounting.ApproxDP{Epsilon: numeric.Log(3), Delta: 0.25}, 0, 0.5, 0.25 + 0.75*(0.75-0.25*math.Exp(0.5)), false},
		{"choice", accounting.ExponentialMechanism{Epsilon: numeric.Log(3)}, 0, 0.5, 0.75 - 0.25*math.Exp(0.5), true},
		{"sum", accounting.SelfComposed{Event: accounting.ApproxDP{Epsilon: 1, Delta: 1e-6}, Count: 3}, 0, 3 + 1e-12, 3e-6, true},
		{"rate", accounting.PoissonSampled{SamplingRate: 1e-3, Event: accounting.SelfComposed{Event: laplace, Count: 7}}, accounting.AddOrRemoveOne, 0, 1e-3, true},
	} {
		certificate, err := checked(t, c.event, c.relation, c.epsilon, c.want*(1+1e-9))
		if err != nil || !(certificate.DeltaUpper <= c.want*(1+1e-9) && certificate.DeltaUpper >= c.want*(1-1e-9)) || certificate.Epsilon != c.epsilon || certificate.Claim == "" || certificate.Work == 0 {
			t.Errorf("%s: %+v, %v; want δ %g", c.name, certificate, err, c.want)
		}
		certificate, err = checked(t, c.event, c.relation, c.epsilon, c.want*(1-1e-6))
		if refused := errors.Is(err, accounting.ErrUnsupportedEvent); refused != c.refuses || !refused && !(certificate.DeltaUpper > c.want*(1-1e-6)) {
			t.Errorf("%s, below δ: %+v, %v", c.name, certificate, err)
		}
		least := c.want * (1 - 1e-9)
		if c.refuses {
			least = 0
		}
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		if got := Below(node, c.relation)(c.epsilon); !(got >= least && got < c.want) || c.refuses && got > 0 {
			t.Errorf("%s: δ >= %.17g, want %g", c.name, got, c.want)
		}
	}
}

// A lower bound of δ is one for the numbers of the event before its rates were rounded.
func TestBelowWithRoundedRates(t *testing.T) {
	one := accounting.PoissonSampled{SamplingRate: 0.3, Event: accounting.Laplace{NoiseMultiplier: 0.5}}
	event, exact := accounting.Event(one), of(0.3) // ε = 0, so δ is the rate times that of Laplace noise
	for range 31 {
		event, exact = accounting.PoissonSampled{SamplingRate: 0.9, Event: event}, exact.Mul(of(0.9))
	}
	node, err := accounting.Flatten(event)
	if err != nil {
		t.Fatal(err)
	}
	want := exact.Mul(Laplace(0.5, of(0)))
	if got := Below(node, accounting.AddOrRemoveOne)(0); !(got <= want.Lo && got >= want.Lo*(1-1e-12)) {
		t.Errorf("δ >= %.17g, want %.17g", got, want.Lo)
	}
	if _, err := accounting.Flatten(accounting.PoissonSampled{SamplingRate: 0.9, Event: event}); err == nil {
		t.Error("33 samples inside each other: no error")
	}
}

func TestUnsupported(t *testing.T) {
	laplace := accounting.Laplace{NoiseMultiplier: 1}
	for _, event := range []accounting.Event{
		accounting.SelfComposed{Event: laplace, Count: 2},
		accounting.Composed{Events: []accounting.Event{laplace, accounting.Gaussian{NoiseMultiplier: 1}}},
		accounting.ZCDP{Rho: 1}, accounting.NonPrivate{},
		accounting.PoissonSampled{SamplingRate: 0.5, Event: accounting.ZCDP{Rho: 1}},
		accounting.WorstCase{Events: []accounting.Event{laplace, accounting.ZCDP{Rho: 1}}},
	} {
		if c, err := checked(t, event, accounting.AddOrRemoveOne, 0.5, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("%v: %+v, %v", event, c, err)
		}
	}
}

// Far out no number overflows to a bound that is too small.
func TestFarOut(t *testing.T) {
	for _, mu := range []float64{1e-139, 1e-100, 1e-8, 1, 40, 1e10, 1e139, 1e200} {
		for _, epsilon := range []float64{0, 1e-300, 1e-9, 1, 700, 1e5, 1e300} {
			got := LogGaussian(of(mu), of(epsilon))
			if !(got.Lo <= got.Hi && got.Hi <= 0) {
				t.Errorf("µ %g, ε %g: %v", mu, epsilon, got)
			}
			for _, q := range []float64{1e-300, 1e-9, 0.5, 1} {
				if got := LogSampled(q, of(mu), of(epsilon)); !(got.Lo <= got.Hi) {
					t.Errorf("q %g, µ %g, ε %g: %v", q, mu, epsilon, got)
				}
			}
		}
	}
}
