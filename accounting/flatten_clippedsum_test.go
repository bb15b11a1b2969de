package accounting_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
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
		{poisson(fixed(sum)), poisson(fixed(sum)), poisson(fixed(sum))},
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

// TestLoweredFixedSize: a sample of fixed size is a Poisson sample under one relation.
func TestLoweredFixedSize(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 3}
	sample := accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: sum}
	full := accounting.SampledWithoutReplacement{SampleSize: 9, PopulationSize: 9, Event: sum}
	several := accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: accounting.SelfComposed{Event: sum, Count: 2}}
	poisson := accounting.PoissonSampled{SamplingRate: math.Nextafter(2./9, 1), Event: accounting.Gaussian{NoiseMultiplier: 1.5}}
	if exact := new(big.Rat).SetFloat64(2. / 9); exact.Cmp(big.NewRat(2, 9)) >= 0 {
		poisson.SamplingRate = 2. / 9
	}
	for _, c := range []struct {
		event    accounting.Event
		relation accounting.Neighboring
		want     accounting.Event
	}{
		{sample, accounting.AddOrRemoveOne, poisson},
		{sample, accounting.ReplaceSpecial, sample},
		{sample, accounting.ReplaceOne, sample},
		{full, accounting.AddOrRemoveOne, full},
		{several, accounting.AddOrRemoveOne, several},
	} {
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		if got := node.Lowered(c.relation); got.Event != c.want {
			t.Errorf("%v under %v: %v, want %v", c.event, c.relation, got.Event, c.want)
		}
	}
}

// TestBatchesInAPoissonSample: batches that need the number of examples are refused if that is
// random, at any depth. A capped sample has a price for every number up to its bound under
// add-or-remove-one. The error names the whole event and the batches.
func TestBatchesInAPoissonSample(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 3}
	asked := 0
	for _, inner := range []accounting.Event{
		accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: sum},
		accounting.SampledWithoutReplacement{SampleSize: 2, PopulationSize: 9, Event: gaussian(1)},
		accounting.SampledWithReplacement{SampleSize: 2, PopulationSize: 9, Event: sum},
		accounting.Shuffled{Batches: 3, Epochs: 1, Event: sum},
		accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 2, PopulationSize: 9, Event: sum},
	} {
		_, capped := inner.(accounting.TruncatedPoisson)
		for _, event := range []accounting.Event{
			sample(0.5, repeat(2, inner)), sample(0.5, holding{repeat(2, inner), &asked}), holding{sample(0.5, inner), &asked},
			accounting.Composed{Events: []accounting.Event{sum, sample(0.5, accounting.WorstCase{Events: []accounting.Event{sum, holding{holding{inner, &asked}, &asked}}})}},
		} {
			node := flat(t, event)
			for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
				err := node.CheckRelation("test", relation)
				want := "test: " + event.String() + ": unsupported event: " + inner.String() + " on a Poisson sample: the number of examples must be public"
				switch {
				case capped && relation == accounting.AddOrRemoveOne:
					if err != nil {
						t.Errorf("%v under %v: %v", event, relation, err)
					}
				case !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.HasPrefix(err.Error(), want):
					t.Errorf("%v under %v: %v, want %q", event, relation, err, want)
				}
			}
			if err := flat(t, sample(1, inner)).CheckRelation("test", accounting.AddOrRemoveOne); err != nil {
				t.Errorf("on all examples: %v", err)
			}
		}
		node := flat(t, sample(0.5, repeat(2, inner)))
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
			if got := node.Lowered(relation).Event.String(); got != node.Event.String() {
				t.Errorf("%v under %v is lowered to %v", node.Event, relation, got)
			}
		}
	}
}
