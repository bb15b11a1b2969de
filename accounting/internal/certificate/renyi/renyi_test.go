package renyi

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

func checked(t *testing.T, event accounting.Event, relation accounting.Neighboring, order, epsilon, delta float64) (accounting.Certificate, error) {
	t.Helper()
	node, err := accounting.Flatten(event)
	if err != nil {
		t.Fatal(err)
	}
	return Check(node, relation, Witness{Order: accounting.Number(order)})(epsilon, delta)
}

// exact returns δ at ε from (α-1) D.
func exact(exponent, order, epsilon float64) float64 {
	a := order - 1
	return math.Exp(exponent-a*epsilon-a*math.Log1p(1/a)) / order
}

// At one order each event has δ of the formula that is written beside it.
func TestCheck(t *testing.T) {
	gaussian, laplace := accounting.Gaussian{NoiseMultiplier: 2}, accounting.Laplace{NoiseMultiplier: 1}
	pure := accounting.PureDP{Epsilon: 1}
	logPure := func(order float64) float64 { // randomized response at ε 1
		p := math.E / (1 + math.E)
		return numeric.Log(math.Pow(p, order)*math.Pow(1-p, 1-order) + math.Pow(1-p, order)*math.Pow(p, 1-order))
	}
	logLaplace := func(order float64) float64 {
		return numeric.Log(order/(2*order-1)*math.Exp(order-1) + (order-1)/(2*order-1)*math.Exp(-order))
	}
	// The worst of two outputs with losses t and t-1, by ternary search in t.
	logRange := func(order float64) float64 {
		at := func(t float64) float64 {
			a := math.Expm1(t-1) / math.Expm1(-1) * math.Exp(-t) // chance of the first output without the record
			return numeric.Log(a*math.Exp(order*t) + (1-a)*math.Exp(order*(t-1)))
		}
		low, high := 0.0, 1.0
		for high-low > 1e-9 {
			if third := (high - low) / 3; at(low+third) < at(high-third) {
				low += third
			} else {
				high -= third
			}
		}
		return at(low)
	}
	second := func(q, inner float64) float64 { return numeric.Log(1 + q*q*math.Expm1(inner)) } // order 2 on a hidden sample
	for _, c := range []struct {
		name     string
		event    accounting.Event
		relation accounting.Neighboring
		order    float64
		exponent float64
	}{
		{"Gaussian", gaussian, 0, 7.5, 7.5 * 6.5 / 8},
		{"ZCDP", accounting.ZCDP{Rho: 0.1}, 0, 7.5, 0.1 * 7.5 * 6.5},
		{"listed order", accounting.RenyiBound{Orders: []float64{2, 4}, Divergences: []float64{0.5, 1}}, 0, 4, 3},
		{"between listed orders", accounting.RenyiBound{Orders: []float64{2, 4}, Divergences: []float64{0.5, 1}}, 0, 3.5, 0.25*0.5 + 0.75*3},
		{"below listed orders", accounting.RenyiBound{Orders: []float64{2, 4}, Divergences: []float64{0.5, 1}}, 0, 1.5, 0.25},
		{"pure", pure, 0, 3.5, logPure(3.5)},
		{"far pure", pure, 0, 300, logPure(300)},
		{"flip", accounting.PermuteAndFlip{Epsilon: 1}, 0, 3.5, logPure(3.5)},
		{"response", accounting.RandomizedResponse{Truth: math.E / (1 + math.E)}, 0, 3.5, logPure(3.5)},
		{"Laplace", laplace, 0, 3.5, logLaplace(3.5)},
		{"far Laplace", laplace, 0, 300, logLaplace(300)},
		{"choice", accounting.ExponentialMechanism{Epsilon: 1}, 0, 3.5, logRange(3.5)},
		{"far choice", accounting.ExponentialMechanism{Epsilon: 1}, 0, 300, logRange(300)},
		{"choice on a sample", accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.ExponentialMechanism{Epsilon: 1}}, accounting.AddOrRemoveOne, 2, second(0.1, logRange(2))},
		{"near Laplace", laplace, 0, 1.01, logLaplace(1.01)},
		{"composition", accounting.Composed{Events: []accounting.Event{accounting.SelfComposed{Event: laplace, Count: 3}, gaussian}}, 0, 3.5, 3*logLaplace(3.5) + 3.5*2.5/8},
		{"worst", accounting.Parallel{Events: []accounting.Event{laplace, gaussian}}, 0, 3.5, max(logLaplace(3.5), 3.5*2.5/8)},
		{"sampled Gaussian", accounting.PoissonSampled{SamplingRate: 0.1, Event: gaussian}, accounting.AddOrRemoveOne, 2, second(0.1, 0.25)},
		{"sampled Laplace", accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace}, accounting.AddOrRemoveOne, 2, second(0.1, logLaplace(2))},
		{"between orders", accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace}, accounting.AddOrRemoveOne, 1.5, second(0.1, logLaplace(2)) / 2},
		{"shown sample", accounting.PoissonSampled{SamplingRate: 0.1, Event: laplace}, accounting.ReplaceOne, 3.5, numeric.Log(1 + 0.1*math.Expm1(logLaplace(3.5)))},
		{"far sample", accounting.PoissonSampled{SamplingRate: 0.1, Event: pure}, accounting.AddOrRemoveOne, 300, 299 * numeric.Log(1+0.1*math.Expm1(1))},
	} {
		for _, epsilon := range []float64{c.exponent / (c.order - 1), 1.1 * c.exponent / (c.order - 1)} {
			want := exact(c.exponent, c.order, epsilon)
			certificate, err := checked(t, c.event, c.relation, c.order, epsilon, want*(1+1e-9))
			if err != nil || math.Abs(certificate.DeltaUpper/want-1) > 1e-9 || certificate.Epsilon != epsilon || certificate.Work == 0 {
				t.Errorf("%s: %+v, %v; want δ %g", c.name, certificate, err, want)
			}
			certificate, err = checked(t, c.event, c.relation, c.order, epsilon, want*(1-1e-6))
			if err != nil || !(certificate.DeltaUpper > want*(1-1e-6)) {
				t.Errorf("%s, below δ: %+v, %v", c.name, certificate, err)
			}
		}
	}
}

// What an event shows with some chance is added to δ.
func TestShown(t *testing.T) {
	event := accounting.Composed{Events: []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, accounting.SelfComposed{Event: accounting.ApproxDP{Delta: 0.01}, Count: 2}}}
	keep := 0.99 * 0.99
	want := 1 - keep + keep*exact(3*2./8, 3, 2)
	if c, err := checked(t, event, 0, 3, 2, 1); err != nil || math.Abs(c.DeltaUpper/want-1) > 1e-12 {
		t.Errorf("%+v, %v; want δ %g", c, err, want)
	}
	sampled := accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.ApproxDP{Delta: 0.01}}
	if c, err := checked(t, sampled, accounting.AddOrRemoveOne, 3, 2, 1); err != nil || math.Abs(c.DeltaUpper/(0.001+0.999*exact(0, 3, 2))-1) > 1e-12 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTotalVariation(t *testing.T) {
	node, err := accounting.Flatten(accounting.Gaussian{NoiseMultiplier: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	want := math.Sqrt(-math.Expm1(-2 / 2e12))
	c, err := Check(node, 0, Witness{2, true})(0, 1e-5)
	if err != nil || math.Abs(c.DeltaUpper/want-1) > 1e-9 {
		t.Errorf("%+v, %v; want δ %g", c, err, want)
	}
}

func TestUnsupported(t *testing.T) {
	for _, event := range []accounting.Event{
		accounting.NonPrivate{},
		accounting.RenyiBound{Orders: []float64{1.5}, Divergences: []float64{0.5}},
		accounting.SampledWithoutReplacement{PopulationSize: 10, SampleSize: 1, Event: accounting.Gaussian{NoiseMultiplier: 1}},
		accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.NonPrivate{}},
	} {
		if c, err := checked(t, event, accounting.AddOrRemoveOne, 2, 1, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("%v: %+v, %v", event, c, err)
		}
	}
	huge := accounting.PoissonSampled{SamplingRate: 0.5, Event: accounting.Gaussian{NoiseMultiplier: 1e-3}}
	if c, err := checked(t, huge, accounting.AddOrRemoveOne, 1e6, 1, 1e-5); err != nil || c.DeltaUpper < 1 || c.Work > 1000 {
		t.Errorf("%+v, %v: want a δ of 1 without an integral of 1e9 nodes", c, err)
	}
}
