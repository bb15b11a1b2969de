package intersected_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

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
