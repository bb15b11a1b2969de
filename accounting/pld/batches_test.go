package pld

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func clipped(sigma float64) accounting.Event { return accounting.ClippedSum{NoiseMultiplier: sigma} }

// TestBatches: both ends of compositions at δ = 1e-5, by quadrature of other code (exact one-step
// profiles from above, to 1e-6; attacks from below, to 1e-7).
func TestBatches(t *testing.T) {
	fixed := func(b, n int, sigma float64) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: b, PopulationSize: n, Event: clipped(sigma)}
	}
	capped := func(n int, q float64, b int, sigma float64) accounting.Event {
		return accounting.TruncatedPoisson{SamplingRate: q, Cap: b, PopulationSize: n, Event: clipped(sigma)}
	}
	const special, replaced = accounting.ReplaceSpecial, accounting.ReplaceOne
	for _, c := range []struct {
		event        accounting.Event
		relation     accounting.Neighboring
		steps        int
		lower, upper float64
		slow         bool
	}{
		{fixed(10, 1000, 2), accounting.AddOrRemoveOne, 5000, 4.20183868, 4.20183869, false},
		{fixed(10, 1000, 2), special, 5000, 2.5880802, 2.8093907, false},
		{fixed(10, 1000, 2), replaced, 5000, 4.2018387, 5.3722734, false},
		{fixed(10, 1000, 1), replaced, 1000, 13.360824, 14.820667, true},
		{fixed(256, 60000, 1.1), special, 14062, 11.796, 12.060, true},
		{capped(60000, 256./60000, 320, 1.1), special, 14062, 2.3815946, 2.3971221, false},
		{capped(60000, 256./60000, 288, 1.1), special, 14062, 2.3800168, 4.0126559, true},
		{capped(60000, 256./60000, 256, 1.1), special, 14062, 2.3153748, 8.6225220, true},
		{capped(10000, 0.01, 130, 1), special, 1000, 1.8281187, 2.9919546, false},
		{accounting.SampledWithReplacement{SampleSize: 256, PopulationSize: 60000, Event: clipped(1.1)}, special, 14062, 12.866, 15.017, true},
	} {
		if c.slow && testing.Short() {
			continue
		}
		g, err := Accountant{Relation: c.relation}.EpsilonAt(accounting.SelfComposed{Event: c.event, Count: c.steps}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if !(g.Epsilon.Lower <= c.lower+2e-3 && g.Epsilon.Upper >= c.upper-2e-3) || !(g.Epsilon.Lower >= c.lower-0.01-0.01*c.lower) || !(g.Epsilon.Upper <= c.upper+0.01) {
			t.Errorf("%v under %v: %v, want [%g, %g]", c.event, c.relation, g.Epsilon, c.lower, c.upper)
		}
		if g.Certificate == nil || len(g.Warnings) > 0 {
			t.Errorf("%v under %v: certificate %v, warnings %v", c.event, c.relation, g.Certificate, g.Warnings)
		}
	}
}

// drawnBatches returns an event on batches.
func drawnBatches(rng *rand.Rand) accounting.Event {
	sum := clipped(math.Exp(2.5*rng.Float64() - 0.7))
	n := 2 + rng.IntN(2000)
	b := 1 + rng.IntN(max(1, n/20))
	switch rng.IntN(3) {
	case 0:
		return accounting.SampledWithoutReplacement{SampleSize: b, PopulationSize: n, Event: sum}
	case 1:
		return accounting.SampledWithReplacement{SampleSize: b, PopulationSize: n, Event: sum}
	}
	q := float64(b) / float64(n)
	limit := int(math.Ceil(float64(b) + 5*rng.Float64()*math.Sqrt(float64(b))))
	return accounting.TruncatedPoisson{SamplingRate: q, Cap: limit, PopulationSize: n, Event: sum}
}

// TestBatchesInOrder: lower ends are below upper ones, upper ends have certificates, and relations
// are in the order of their neighbors.
func TestBatchesInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 5))
	count := 25
	if testing.Short() {
		count = 4 // all three kinds
	}
	for range count {
		event := accounting.Event(drawnBatches(rng))
		steps := 1 + rng.IntN(300)
		delta := math.Pow(10, -2-6*rng.Float64())
		var ends []accounting.Interval
		for _, relation := range []accounting.Neighboring{accounting.ReplaceSpecial, accounting.ReplaceOne, accounting.AddOrRemoveOne} {
			g, err := Accountant{Relation: relation, Width: 0.05}.EpsilonAt(accounting.SelfComposed{Event: event, Count: steps}, delta)
			if err != nil {
				t.Fatal(event, relation, err)
			}
			if !(g.Epsilon.Lower <= g.Epsilon.Upper) || !g.Epsilon.HasLower {
				t.Errorf("%d x %v under %v at %g: %v", steps, event, relation, delta, g.Epsilon)
			}
			// Above e^40 the check's transforms have no digits left, and a warning says so.
			far := g.Epsilon.Upper > 40
			for _, w := range g.Warnings {
				if !errors.Is(w, ErrWide) && !(far && errors.Is(w, accounting.ErrUncertified)) {
					t.Errorf("%d x %v under %v at %g: %v", steps, event, relation, delta, w)
				}
			}
			if g.Certificate == nil && !far {
				t.Errorf("%d x %v under %v at %g: no certificate of %v", steps, event, relation, delta, g.Epsilon)
			}
			ends = append(ends, g.Epsilon)
		}
		if ends[0].Lower > ends[1].Upper {
			t.Errorf("%d x %v at %g: replace-special %v above replace-one %v", steps, event, delta, ends[0], ends[1])
		}
	}
}

// TestBatchesDelta: δ at the ends of ε, on the other side of the question.
func TestBatchesDelta(t *testing.T) {
	event := accounting.SelfComposed{Count: 300, Event: accounting.SampledWithoutReplacement{SampleSize: 5, PopulationSize: 100, Event: clipped(2)}}
	a := Accountant{Relation: accounting.ReplaceSpecial}
	g, err := a.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	at, err := a.DeltaAt(event, g.Epsilon.Upper)
	if err != nil || !(at.Upper <= 1e-5*1.05 && at.Lower < 1e-5) || !at.HasLower {
		t.Errorf("δ at %g: %v, %v", g.Epsilon.Upper, at, err)
	}
	if at, err = a.DeltaAt(event, g.Epsilon.Lower); err != nil || !(at.Lower >= 1e-5*0.9) {
		t.Errorf("δ at %g: %v, %v", g.Epsilon.Lower, at, err)
	}
	many, err := a.DeltasAt(event, []float64{1, g.Epsilon.Upper})
	if err != nil || !(many[1].Upper >= at.Upper*0 && many[1].Upper <= 1.2e-5 && many[0].Upper > many[1].Upper) {
		t.Errorf("δ at 1 and %g: %v, %v", g.Epsilon.Upper, many, err)
	}
}

// TestBatchesAtTheSeams: a cap that never cuts is a Poisson sample; a sample of all records is one
// Gaussian; one draw is a sample of one.
func TestBatchesAtTheSeams(t *testing.T) {
	price := func(event accounting.Event, relation accounting.Neighboring) accounting.Interval {
		g, err := Accountant{Relation: relation}.EpsilonAt(accounting.SelfComposed{Event: event, Count: 50}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon
	}
	meet := func(a, b accounting.Event, relation accounting.Neighboring) {
		x, y := price(a, relation), price(b, relation)
		if !(math.Abs(x.Upper-y.Upper) < 0.01 && math.Abs(x.Lower-y.Lower) < 0.01) {
			t.Errorf("under %v: %v is %v, %v is %v", relation, a, x, b, y)
		}
	}
	sum := clipped(1.5)
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
		meet(accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 40, PopulationSize: 40, Event: sum}, accounting.PoissonSampled{SamplingRate: 0.1, Event: sum}, relation)
		meet(accounting.TruncatedPoisson{SamplingRate: 1, Cap: 40, PopulationSize: 40, Event: sum}, sum, relation)
		meet(accounting.SampledWithReplacement{SampleSize: 1, PopulationSize: 20, Event: sum}, accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 20, Event: sum}, relation)
	}
	meet(accounting.SampledWithoutReplacement{SampleSize: 20, PopulationSize: 20, Event: sum}, sum, accounting.ReplaceSpecial)
	meet(accounting.SampledWithoutReplacement{SampleSize: 20, PopulationSize: 20, Event: sum}, sum, accounting.ReplaceOne)
	meet(accounting.SampledWithReplacement{SampleSize: 1, PopulationSize: 1, Event: sum}, sum, accounting.ReplaceOne)
}

// TestSumsOnOneSampleRefused: a composition of sums on one sample of fixed size is not one sum.
func TestSumsOnOneSampleRefused(t *testing.T) {
	event := accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: accounting.SelfComposed{Event: clipped(2), Count: 3}}
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
		if g, err := (Accountant{Relation: relation}).EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%v: %v, %v", relation, g.Epsilon, err)
		}
	}
}
