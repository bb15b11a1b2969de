package contour_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

// A list of values is what the values are one by one: the intervals meet, and are narrow save where
// few large losses decide.
func TestDeltasAtIsDeltaAt(t *testing.T) {
	sgd := func(q, sigma float64, steps int) accounting.Event {
		return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
	}
	rare := sgd(1e-4, 1, 100)
	var epsilons []float64
	for i := range 300 {
		epsilons = append(epsilons, 0.02*float64(i))
	}
	for i, event := range []accounting.Event{
		accounting.Gaussian{NoiseMultiplier: 1}, sgd(0.01, 2, 5000), sgd(0.25, 4, 100), sgd(0.001, 0.7, 2000), sgd(0.1, 1, 1), rare,
		accounting.Composed{Events: []accounting.Event{sgd(0.01, 1, 500), accounting.Gaussian{NoiseMultiplier: 3}}},
		accounting.WorstCase{Events: []accounting.Event{sgd(0.01, 2, 500), sgd(0.02, 2, 400)}},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		a := contour.NewAccountant()
		deltas, err := a.DeltasAt(event, epsilons)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(epsilons); i += 47 {
			one, err := a.DeltaAt(event, epsilons[i])
			if err != nil {
				t.Fatal(err)
			}
			many := deltas[i]
			if many.Upper < one.Lower || many.Lower > one.Upper {
				t.Errorf("%v: δ(%g) in [%g, %g], alone in [%g, %g]", event, epsilons[i], many.Lower, many.Upper, one.Lower, one.Upper)
			}
			if !reflect.DeepEqual(event, rare) && !(many.Upper-many.Lower <= 1e-6*many.Upper) {
				t.Errorf("%v: δ(%g) in [%g, %g], where alone it is in [%g, %g]", event, epsilons[i], many.Lower, many.Upper, one.Lower, one.Upper)
			}
		}
	}
}

// Of 1e6 steps at a tiny rate few large losses decide about δ, and integrals of trimmed laws serve
// the list. Its intervals are narrow, meet those of single values, and fall with ε.
func TestDeltasOfTrimmedLaws(t *testing.T) {
	event := accounting.SelfComposed{Count: 1_000_000, Event: accounting.PoissonSampled{SamplingRate: 1e-6, Event: accounting.Gaussian{NoiseMultiplier: 1}}}
	epsilons := make([]float64, 257)
	for i := range epsilons {
		epsilons[i] = float64(i) / 256 * 0.0075
	}
	a := contour.NewAccountant()
	deltas, err := a.DeltasAt(event, epsilons)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range deltas {
		if !(d.Upper-d.Lower <= 1e-3*d.Upper) || i > 0 && d.Upper > deltas[i-1].Upper {
			t.Errorf("δ(%g) in [%g, %g], and before it at most %g: want a width of 1e-3", epsilons[i], d.Lower, d.Upper, deltas[max(0, i-1)].Upper)
		}
	}
	for _, i := range []int{0, 100, 150, 200, 256} {
		one, err := a.DeltaAt(event, epsilons[i])
		if err != nil {
			t.Fatal(err)
		}
		if d := deltas[i]; d.Upper < one.Lower || d.Lower > one.Upper {
			t.Errorf("δ(%g) in [%g, %g], alone in [%g, %g]", epsilons[i], d.Lower, d.Upper, one.Lower, one.Upper)
		}
	}
}

func TestDeltasAtErrors(t *testing.T) {
	for _, epsilons := range [][]float64{{-1}, {2, 1}, {math.NaN()}} {
		if _, err := contour.NewAccountant().DeltasAt(accounting.Gaussian{NoiseMultiplier: 1}, epsilons); err == nil {
			t.Errorf("ε %v: must be refused", epsilons)
		}
	}
	if _, err := contour.NewAccountant().DeltasAt(accounting.Laplace{NoiseMultiplier: 1}, []float64{1}); err == nil {
		t.Error("a Laplace release: must be refused")
	}
}

// Shuffled batches are priced from above: their list of δ has no lower end, as releases in a known
// order have.
func TestDeltasOfShuffled(t *testing.T) {
	run := accounting.Gaussian{NoiseMultiplier: 2}
	shuffled := accounting.Shuffled{Batches: 9, Epochs: 3, Event: run}
	known := accounting.SelfComposed{Event: run, Count: 3}
	a := contour.Accountant{Relation: accounting.ReplaceSpecial}
	for event, lower := range map[accounting.Event]bool{shuffled: false, known: true} {
		deltas, err := a.DeltasAt(event, []float64{0.5, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deltas {
			if d.HasLower != lower || !(d.Upper > 0 && d.Upper < 1) {
				t.Errorf("%v: δ %v, want a lower end: %v", event, d, lower)
			}
		}
	}
}
