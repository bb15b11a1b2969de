package subsample_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// The tuning's sample and the records that it leaves have hidden sizes, so batches that state a
// number of examples are refused at every door. All data have a public number.
func TestHiddenSizes(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 1}
	batches := accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: sum}
	event := func(rate float64, base, training accounting.Event, v subsample.Variant) subsample.Event {
		return subsample.Event{TuningRate: rate, Tuning: selection.BestOf{Law: law.Fixed{Count: 3}, Base: base}, Training: training, Variant: v}
	}
	public := event(0.1, sum, batches, subsample.AllData)
	prepared, err := subsample.Prepare(public, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepared.PriceAt(0.1, subsample.AllData); err != nil {
		t.Errorf("%v: %v", public, err)
	}
	_, errRest := prepared.PriceAt(0.1, subsample.RestOfData)
	faults := map[string]error{"Prepared.PriceAt": errRest}
	for name, e := range map[string]subsample.Event{
		"tuning":                  event(0.1, batches, sum, subsample.AllData),
		"rest":                    event(0.1, sum, batches, subsample.RestOfData),
		"rest of a small sample":  event(1e-300, sum, batches, subsample.RestOfData),
		"tuning in a composition": event(0.1, accounting.Composed{Events: []accounting.Event{sum, batches}}, sum, subsample.RestOfData),
	} {
		_, faults["PriceAt, "+name] = subsample.PriceAt(e, 1e-5)
		_, faults["Prepare, "+name] = subsample.Prepare(e, 1e-5)
		_, faults["QuickEpsilonAt, "+name] = subsample.QuickEpsilonAt(e, 1e-5)
		_, faults["CurveOf, "+name] = subsample.CurveOf(e)
		_, faults["DominatingPair, "+name] = subsample.DominatingPair(e, 1e-5)
	}
	for door, err := range faults {
		if !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "the number of examples must be public") {
			t.Errorf("%s: %v, want an error about the number of examples", door, err)
		}
	}
}
