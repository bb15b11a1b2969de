package rdp_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// A Gaussian is ρ-zCDP with ρ = 1/(2σ²). Beside the worst (ε0, δ0)-private mechanism, which shows
// all with chance δ0 and else moves the loss by ±ε0, its profile is a sum of closed forms: every
// bound for zCDP and approximate differential privacy must be above it.
func TestApproximateBesideZCDP(t *testing.T) {
	const sigma, e0, d0 = 1.5, 0.4, 1e-6
	zcdp := accounting.ZCDP{Rho: 1 / (2 * sigma * sigma)}
	approx := accounting.ApproxDP{Epsilon: e0, Delta: d0}
	all := func(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }
	profile := func(epsilon float64) float64 { // of the Gaussian, at any real ε
		d, err := gdp.DeltaAt(1/sigma, math.Abs(epsilon))
		if err != nil {
			t.Fatal(err)
		}
		if epsilon < 0 { // P(S) - e^ε Q(S) of a symmetric pair
			return 1 - math.Exp(epsilon) + math.Exp(epsilon)*d.Estimate
		}
		return d.Estimate
	}
	tell := 1 / (1 + math.Exp(-e0))
	for _, epsilon := range []float64{0.5, 2, 4, 6} {
		truth := d0 + (1-d0)*(tell*profile(epsilon-e0)+(1-tell)*profile(epsilon+e0))
		for _, event := range []accounting.Event{
			all(zcdp, approx), all(approx, gaussian(sigma)),
			all(zcdp, accounting.Parallel{Events: []accounting.Event{approx, accounting.PureDP{Epsilon: 0.1}}}),
			all(zcdp, accounting.WorstCase{Events: []accounting.Event{gaussian(100), approx}}),
		} {
			got, err := rdp.NewAccountant().DeltaAt(event, epsilon)
			if err != nil || got.Upper < truth || got.Upper > 30*truth+2*d0 {
				t.Errorf("δ(%g) of %v: %v, %v: want at least %.6g, and not 30 times that", epsilon, event, got, err, truth)
			}
			back, err := rdp.NewAccountant().EpsilonAt(event, truth)
			if err != nil || back.Epsilon.Upper < epsilon || back.Delta != truth {
				t.Errorf("ε at δ = %g of %v: %v, %v: want at least %g", truth, event, back, err, epsilon)
			}
		}
	}
	// The share of δ that is spent, and what is left, are exact: at the δ' that is left ε is that
	// of the rest.
	rest, err := rdp.NewAccountant().EpsilonAt(all(zcdp, accounting.SelfComposed{Event: accounting.PureDP{Epsilon: e0}, Count: 3}), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	keep := math.Pow(1-d0, 3)
	whole, err := rdp.NewAccountant().EpsilonAt(all(zcdp, accounting.SelfComposed{Event: approx, Count: 3}), 1-keep+keep*1e-5)
	if err != nil || math.Abs(whole.Epsilon.Upper/rest.Epsilon.Upper-1) > 1e-8 || whole.Epsilon.Upper < rest.Epsilon.Upper {
		t.Errorf("ε %v, %v: want that of the rest, %v, from above", whole.Epsilon, err, rest.Epsilon)
	}
	for _, delta := range []float64{1e-7, d0 * (1 - 1e-12), d0} {
		g, err := rdp.NewAccountant().EpsilonAt(all(approx, zcdp), delta)
		if err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("δ = %g, of which %g is spent: %v, %v: want ε = +Inf", delta, d0, g, err)
		}
	}
	if _, err := rdp.FromEvent(all(approx, zcdp)); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("a curve of approximate differential privacy: %v, want ErrUnsupportedEvent", err)
	}
}

// finite is a mechanism with finitely many outcomes, as its laws with and without the example.
type finite struct{ with, without []float64 }

func response(truth float64) finite {
	return finite{[]float64{truth, 1 - truth}, []float64{1 - truth, truth}}
}

func (a finite) and(b finite) (out finite) {
	for i := range a.with {
		for j := range b.with {
			out.with, out.without = append(out.with, a.with[i]*b.with[j]), append(out.without, a.without[i]*b.without[j])
		}
	}
	return out
}

// sample mixes the law with the example with the one without.
func (a finite) sample(q float64) (out finite) {
	for i := range a.with {
		out.with = append(out.with, (1-q)*a.without[i]+q*a.with[i])
	}
	return finite{out.with, a.without}
}

// renyi sums the divergence over all outcomes, the larger of both directions.
func (a finite) renyi(order float64) float64 {
	moment := func(p, q []float64) float64 { // log Σ q (p/q)^α
		largest, sum := math.Inf(-1), 0.0
		log := func(i int) float64 { return order*numeric.Log(p[i]) + (1-order)*numeric.Log(q[i]) }
		for i := range p {
			largest = math.Max(largest, log(i))
		}
		for i := range p {
			sum += math.Exp(log(i) - largest)
		}
		return largest + numeric.Log(sum)
	}
	return math.Max(moment(a.with, a.without), moment(a.without, a.with)) / (order - 1)
}

// delta sums (p - e^ε q)_+ over all outcomes, the larger of both directions.
func (a finite) delta(epsilon float64) float64 {
	remove, add := 0.0, 0.0
	for i, p := range a.with {
		q := a.without[i]
		remove += math.Max(0, p-math.Exp(epsilon)*q)
		add += math.Max(0, q-math.Exp(epsilon)*p)
	}
	return math.Max(remove, add)
}

// One Poisson sample for a composition of unlike mechanisms: exact at the integers, from above
// elsewhere, by enumeration of all outcomes.
func TestSampledCompositionAgainstEnumeration(t *testing.T) {
	a, b := accounting.RandomizedResponse{Truth: 0.9}, accounting.RandomizedResponse{Truth: 0.6}
	inner := accounting.Composed{Events: []accounting.Event{a, accounting.SelfComposed{Event: b, Count: 2}}}
	pair := response(0.9).and(response(0.6)).and(response(0.6))
	for _, q := range []float64{0.001, 0.2, 0.9} {
		mixed := pair.sample(q)
		curve, err := rdp.FromEvent(sampled(q, inner))
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{1.01, 1.5, 2, 2.5, 3, 7, 40, 40.3, 200, 256, 400} {
			got, want := curve(order), mixed.renyi(order)
			rounding := 1e-9*want + 1e-15/(order-1) // of the sum, whose logarithm is near 0
			if got < want-rounding || order == math.Floor(order) && order <= 256 && got > want+rounding {
				t.Errorf("q = %g, order %g: %.15g, want %.15g, the sum over all outcomes", q, order, got, want)
			}
		}
		twice := accounting.SelfComposed{Event: sampled(q, inner), Count: 2}
		for _, epsilon := range []float64{0, 0.2, 1, 3} {
			got, err := rdp.NewAccountant().DeltaAt(twice, epsilon)
			if want := mixed.and(mixed).delta(epsilon); err != nil || got.Upper < want {
				t.Errorf("q = %g, twice: δ(%g) %v, %v, want at least %g, the sum over all outcomes", q, epsilon, got, err, want)
			}
		}
		// With chance 1e-3 all is shown: two outcomes more, of which one sample in q shows one.
		shows := accounting.ApproxDP{Epsilon: numeric.Log(9), Delta: 1e-3}
		four := finite{append([]float64{1e-3, 0}, 0.999*0.9, 0.999*0.1), append([]float64{0, 1e-3}, 0.999*0.1, 0.999*0.9)}
		mixed = four.and(response(0.6)).sample(q)
		for _, epsilon := range []float64{0, 0.2, 1, 3} {
			got, err := rdp.NewAccountant().DeltaAt(sampled(q, accounting.Composed{Events: []accounting.Event{shows, b}}), epsilon)
			if want := mixed.delta(epsilon); err != nil || got.Upper < want || got.Upper > 20*want {
				t.Errorf("q = %g, approximate: δ(%g) %v, %v, want at least %g, and not 20 times that", q, epsilon, got, err, want)
			}
		}
	}
	for _, order := range []float64{2, 17, 256} {
		one, err := rdp.FromEvent(sampled(0.01, accounting.Composed{Events: []accounting.Event{gaussian(2), accounting.Laplace{NoiseMultiplier: 1e9}}}))
		if want := rdp.SampledGaussian(0.01, 2)(order); err != nil || math.Abs(one(order)/want-1) > 1e-9 {
			t.Errorf("a Gaussian and next to nothing, order %g: %.15g, %v, want that of the sampled Gaussian, %.15g", order, one(order), err, want)
		}
	}
	// The second moment of 1-q+q r is 1 + q²(E r² - 1), and what is larger in one direction is not
	// more in the other (PoissonAmplified).
	one, err := rdp.FromEvent(sampled(0.1, accounting.ZCDP{Rho: 1}))
	if want := math.Log1p(0.01 * math.Expm1(2)); err != nil || math.Abs(one(2)/want-1) > 1e-12 {
		t.Errorf("a sample of zCDP: %v, %v, want %g", one(2), err, want)
	}
}
