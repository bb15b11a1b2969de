package pld

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/numeric"
)

func allocated(sigma float64, period, steps, participations int) accounting.RandomAllocation {
	return accounting.RandomAllocation{Period: period, Steps: steps, Participations: participations, Event: clipped(sigma)}
}

// overTwoSteps is E(Z-c)₊ for Z = (X_1+X_2)/2, log X normal of mean -s²/2 and deviation s. For a
// fixed X_1 it is the price of an option (Black and Scholes), and the midpoint rule does the rest.
func overTwoSteps(s, c float64) (sum float64) {
	const n = 600
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for i := range n {
		x := -9 + 18*(float64(i)+0.5)/n
		strike := 2*c - math.Exp(s*x-s*s/2)
		call := 1 - strike
		if strike > 0 {
			d := -numeric.Log(strike)/s + s/2
			call = normal(d) - strike*normal(d-s)
		}
		sum += call * math.Exp(-x*x/2)
	}
	return sum * 18 / n / math.Sqrt(2*math.Pi) / 2
}

// The interval of an allocation of two steps and Laplace noise holds the δ of the remove direction
// by quadrature, which is the larger one there. All masses of Laplace's losses are known:
// e^{-1/b}/2 and 1/2 at ∓1/b, and the density e^{-1/2b} e^{l/2}/4 between.
func TestAllocationBesideLaplace(t *testing.T) {
	const noise = 2.0
	for _, c := range []struct{ sigma, epsilon float64 }{{1, 2}, {1, 4}, {0.7, 3}} {
		at := func(loss float64) float64 { // δ of the allocation at ε-loss, any sign
			return overTwoSteps(1/c.sigma, math.Exp(c.epsilon-loss))
		}
		end := 1 / noise
		want := math.Exp(-end)/2*at(-end) + 0.5*at(end)
		const n = 400
		for i := range n {
			l := -end + 2*end*(float64(i)+0.5)/n
			want += math.Exp(-end/2) * math.Exp(l/2) / 4 * at(l) * 2 * end / n
		}
		event := accounting.Composed{Events: []accounting.Event{allocated(c.sigma, 2, 2, 1), accounting.Laplace{NoiseMultiplier: noise}}}
		got, err := Accountant{Width: 1e-3}.DeltaAt(event, c.epsilon)
		if err != nil {
			t.Fatal(err)
		}
		const near = 1e-5 // relative error of the rules
		if got.Lower > want*(1+near) || got.Upper < want*(1-near) || got.Width() > 0.01*want {
			t.Errorf("σ %g, ε %g: %v, want %g", c.sigma, c.epsilon, got, want)
		}
		g, err := Accountant{Width: 1e-3}.EpsilonAt(event, want)
		if err != nil || g.Epsilon.Lower > c.epsilon+near || g.Epsilon.Upper < c.epsilon-near || g.Epsilon.Width() > 3e-3 || g.Certificate == nil || len(g.Warnings) > 0 {
			t.Errorf("σ %g, δ %g: %v, certificate %v, warnings %v; want ε %g", c.sigma, want, g.Epsilon, g.Certificate, g.Warnings, c.epsilon)
		}
	}
}

// Package lratio prices compositions of allocations and samples by itself. On the grid they must
// cost the same, and their upper ends have certificates.
func TestAllocationsAgainstRatios(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 11))
	runs := 6
	if testing.Short() {
		runs = 2
	}
	for range runs {
		sigma := 0.8 + 1.5*rng.Float64()
		period := 2 + rng.IntN(60)
		one := allocated(sigma, period, 1+rng.IntN(6*period), 1)
		other := accounting.Event(allocated(sigma+0.3, 2+rng.IntN(20), 30, 1))
		if rng.IntN(2) == 0 {
			other = accounting.SelfComposed{Count: 50, Event: accounting.PoissonSampled{SamplingRate: 0.02, Event: clipped(1.2)}}
		}
		event := accounting.Composed{Events: []accounting.Event{one, other, one}}
		delta := math.Pow(10, -3-6*rng.Float64())
		want, err := accounting.Unchecked(lratio.Accountant{Width: 1e-3}).EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Accountant{Width: 5e-3}.EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		if g.Epsilon.Lower > want.Epsilon.Upper || g.Epsilon.Upper < want.Epsilon.Lower || g.Epsilon.Width() > 8e-3+2e-3*g.Epsilon.Upper || g.Certificate == nil || len(g.Warnings) > 0 {
			t.Errorf("%v at %g: %v, certificate %v, warnings %v; want %v", event, delta, g.Epsilon, g.Certificate, g.Warnings, want.Epsilon)
		}
	}
}

// On a Poisson sample the remove direction costs what the sampling lemma gives, exactly.
func TestAllocationOnASample(t *testing.T) {
	const rate, delta = 0.1, 1e-5
	inner := allocated(1, 20, 60, 1)
	whole, err := accounting.Unchecked(lratio.NewAccountant()).EpsilonAt(inner, delta/rate)
	if err != nil {
		t.Fatal(err)
	}
	lemma := func(epsilon float64) float64 { return math.Log1p(rate * math.Expm1(epsilon)) }
	g, err := Accountant{Width: 2e-3}.EpsilonAt(accounting.PoissonSampled{SamplingRate: rate, Event: inner}, delta)
	if err != nil || g.Epsilon.Lower > lemma(whole.Epsilon.Upper) || g.Epsilon.Upper < lemma(whole.Epsilon.Lower) || g.Epsilon.Width() > 3e-3 || g.Certificate == nil {
		t.Errorf("%v, certificate %v, %v; want [%g, %g]", g.Epsilon, g.Certificate, err, lemma(whole.Epsilon.Lower), lemma(whole.Epsilon.Upper))
	}
	twice, err := Accountant{Width: 5e-3}.EpsilonAt(accounting.SelfComposed{Count: 2, Event: accounting.PoissonSampled{SamplingRate: rate, Event: inner}}, delta)
	if err != nil || twice.Epsilon.Lower <= g.Epsilon.Upper || twice.Epsilon.Width() > 0.01 {
		t.Errorf("two samples: %v, %v; one %v", twice.Epsilon, err, g.Epsilon)
	}
}

// A narrow interval has no warning, also if its lower end is by the law below. That of the law above
// may be far lower: here it was 0.
func TestNarrowAllocationsHaveNoWarning(t *testing.T) {
	part := accounting.PoissonSampled{SamplingRate: 0.6, Event: allocated(2, 2, 1, 1)}
	g, err := accounting.Unchecked(Accountant{}).EpsilonAt(accounting.SelfComposed{Count: 2, Event: part}, 3e-6)
	if err != nil || g.Epsilon.Width() > 0.01 || len(g.Warnings) > 0 {
		t.Errorf("%v, %v, warnings %v", g.Epsilon, err, g.Warnings)
	}
}

// With several participations the lower end is by an attack, on all periods.
func TestAllocationWithParticipations(t *testing.T) {
	event := allocated(2, 40, 120, 5)
	alone, err := accounting.Unchecked(lratio.NewAccountant()).EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Accountant{}.EpsilonAt(event, 1e-5)
	if err != nil || got.Epsilon.Lower < 0.97*alone.Epsilon.Lower || got.Epsilon.Upper > 1.01*alone.Epsilon.Upper || got.Epsilon.Lower > alone.Epsilon.Upper {
		t.Errorf("alone: %v, %v; by lratio %v", got.Epsilon, err, alone.Epsilon)
	}
	both, err := Accountant{}.EpsilonAt(accounting.Composed{Events: []accounting.Event{event, accounting.Laplace{NoiseMultiplier: 2}}}, 1e-5)
	if err != nil || both.Epsilon.Lower < got.Epsilon.Lower+0.2 || both.Epsilon.Upper > got.Epsilon.Upper+0.5 || both.Certificate == nil {
		t.Errorf("next to Laplace noise: %v, %v; alone %v", both.Epsilon, err, got.Epsilon)
	}
}

// Without a law the answer is no privacy, and without a theorem there is none.
func TestAllocationsWithoutLaws(t *testing.T) {
	far := accounting.Composed{Events: []accounting.Event{allocated(1e-3, 4, 4, 1), accounting.Laplace{NoiseMultiplier: 2}}}
	if g, err := (Accountant{}).EpsilonAt(far, 1e-5); err != nil || !math.IsInf(g.Epsilon.Upper, 1) {
		t.Errorf("losses of 5e5: %v, %v", g.Epsilon, err)
	}
	if d, err := (Accountant{}).DeltaAt(far, 1); err != nil || d.Upper != 1 {
		t.Errorf("losses of 5e5: δ %v, %v", d, err)
	}
	laplace := accounting.RandomAllocation{Period: 2, Steps: 2, Participations: 1, Event: accounting.Laplace{NoiseMultiplier: 1}}
	for name, c := range map[string]struct {
		event    accounting.Event
		relation accounting.Neighboring
	}{"Laplace": {laplace, accounting.AddOrRemoveOne}, "replace-one": {allocated(1, 4, 4, 1), accounting.ReplaceOne}} {
		if g, err := (Accountant{Relation: c.relation}).EpsilonAt(c.event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%s: %v, %v", name, g.Epsilon, err)
		}
	}
	many := accounting.SelfComposed{Count: 1 << 31, Event: allocated(1, 4, 4, 1)}
	if g, err := (Accountant{}).EpsilonAt(many, 1e-5); err == nil || !math.IsInf(g.Epsilon.Upper, 1) {
		t.Errorf("2^31 runs: %v", g.Epsilon)
	}
}
