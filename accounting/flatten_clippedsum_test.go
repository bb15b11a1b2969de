package accounting_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
)

// TestLowered: what a ClippedSum is under each relation, at each place.
func TestLowered(t *testing.T) {
	sum, whole, half := accounting.ClippedSum{NoiseMultiplier: 3}, accounting.Gaussian{NoiseMultiplier: 3}, accounting.Gaussian{NoiseMultiplier: 1.5}
	poisson := func(e accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: 0.1, Event: e}
	}
	repeated := func(e accounting.Event) accounting.Event { return accounting.SelfComposed{Event: e, Count: 5} }
	fixed := func(e accounting.Event) accounting.Event {
		return accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: e}
	}
	shuffled := accounting.Shuffled{Batches: 3, Epochs: 1, Event: sum}
	for _, c := range []struct{ event, removed, replaced accounting.Event }{
		{sum, whole, half},
		{whole, whole, whole},
		{repeated(sum), repeated(whole), repeated(half)},
		{accounting.Composed{Events: []accounting.Event{sum, accounting.Laplace{NoiseMultiplier: 1}, repeated(sum)}},
			accounting.Composed{Events: []accounting.Event{whole, accounting.Laplace{NoiseMultiplier: 1}, repeated(whole)}},
			accounting.Composed{Events: []accounting.Event{half, accounting.Laplace{NoiseMultiplier: 1}, repeated(half)}}},
		{accounting.WorstCase{Events: []accounting.Event{sum, sum}}, accounting.WorstCase{Events: []accounting.Event{whole, whole}}, accounting.WorstCase{Events: []accounting.Event{half, half}}},
		{repeated(poisson(sum)), repeated(poisson(whole)), repeated(poisson(sum))},
		{poisson(repeated(sum)), poisson(repeated(whole)), poisson(repeated(sum))},
		{fixed(sum), fixed(sum), fixed(sum)},
		{shuffled, shuffled, shuffled},
		{accounting.ClippedSum{NoiseMultiplier: 0x1p-1021}, accounting.Gaussian{NoiseMultiplier: 0x1p-1021}, accounting.Gaussian{NoiseMultiplier: 0x1p-1022}},
		{accounting.ClippedSum{NoiseMultiplier: 0x1p-1022}, accounting.Gaussian{NoiseMultiplier: 0x1p-1022}, accounting.NonPrivate{}},
	} {
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		for relation, want := range map[accounting.Neighboring]accounting.Event{
			accounting.AddOrRemoveOne: c.removed, accounting.ReplaceSpecial: c.removed, accounting.ReplaceOne: c.replaced,
		} {
			got := node.Lowered(relation)
			if got.Event.String() != want.String() || got.Lowered(relation).Event.String() != want.String() {
				t.Errorf("%v, %v: %v, want %v", c.event, relation, got.Event, want)
			}
		}
	}
}
