package intersected_test

import (
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// What is one mechanism is written in one way.
func TestSimplify(t *testing.T) {
	gaussian, laplace := accounting.Gaussian{NoiseMultiplier: 1}, accounting.Laplace{NoiseMultiplier: 1}
	sample := func(rate float64, event accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: rate, Event: event}
	}
	both := accounting.Composed{Events: []accounting.Event{gaussian, laplace}}
	for name, c := range map[string]struct{ event, want accounting.Event }{
		"a sample of a sample":      {sample(0.5, sample(0.25, gaussian)), sample(0.125, gaussian)},
		"of a composition of one":   {sample(0.5, accounting.Composed{Events: []accounting.Event{sample(0.25, gaussian)}}), sample(0.125, gaussian)},
		"a sample of all":           {sample(1, both), both},
		"one run":                   {accounting.SelfComposed{Count: 1, Event: laplace}, laplace},
		"one part":                  {accounting.Parallel{Events: []accounting.Event{laplace}}, laplace},
		"a sample of parts":         {sample(0.5, accounting.Parallel{Events: []accounting.Event{gaussian, sample(0.5, laplace)}}), accounting.Parallel{Events: []accounting.Event{sample(0.5, gaussian), sample(0.25, laplace)}}},
		"a sample of a choice":      {sample(0.5, accounting.WorstCase{Events: []accounting.Event{gaussian, laplace}}), accounting.WorstCase{Events: []accounting.Event{sample(0.5, gaussian), sample(0.5, laplace)}}},
		"of which one is the worst": {sample(0.5, accounting.WorstCase{Events: []accounting.Event{gaussian, sample(0.5, gaussian)}}), sample(0.5, gaussian)},
		"samples of one composition are not one sample": {sample(0.5, accounting.SelfComposed{Count: 2, Event: sample(0.5, gaussian)}), sample(0.5, accounting.SelfComposed{Count: 2, Event: sample(0.5, gaussian)})},
		"on a fixed size": {accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 2, Event: accounting.SelfComposed{Count: 1, Event: gaussian}}, accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 2, Event: gaussian}},
	} {
		node, err := accounting.Flatten(c.event)
		if got := intersected.Simplify(node); err != nil || !reflect.DeepEqual(got.Event, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got.Event, err, c.want)
		}
	}
}

// A sample of a sample costs what one at the product of the rates does, by every accountant and in
// compositions.
func TestSampleOfASample(t *testing.T) {
	gaussian := accounting.Gaussian{NoiseMultiplier: 1}
	one := accounting.PoissonSampled{SamplingRate: 0.03125, Event: gaussian}
	two := accounting.PoissonSampled{SamplingRate: 0.25, Event: accounting.PoissonSampled{SamplingRate: 0.125, Event: gaussian}}
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		a, err := intersected.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		for _, count := range []int{1, 100} {
			want, err := a.EpsilonAt(accounting.SelfComposed{Count: count, Event: one}, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.EpsilonAt(accounting.SelfComposed{Count: count, Event: two}, 1e-5)
			if err != nil || got.Epsilon != want.Epsilon {
				t.Errorf("%v, %d runs: %v, %v, want %v", relation, count, got.Epsilon, err, want.Epsilon)
			}
		}
	}
}

// A sample from a population that is not the outer sample has no price, also where a choice of one
// event stood between the two.
func TestSampleOfAnotherPopulation(t *testing.T) {
	fixed := func(m, n int, event accounting.Event) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: m, PopulationSize: n, Event: event}
	}
	a, err := intersected.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	for n, wanted := range map[int]bool{10: true, 20: false} {
		event := fixed(10, 100, accounting.WorstCase{Events: []accounting.Event{fixed(5, n, accounting.Gaussian{NoiseMultiplier: 2})}})
		if g, err := a.EpsilonAt(event, 1e-6); (err == nil) != wanted {
			t.Errorf("%v: %v, %v", event, g, err)
		}
		if delta, err := a.DeltaAt(event, 0.1); (err == nil) != wanted {
			t.Errorf("%v: δ %v, %v", event, delta, err)
		}
	}
}
