package ask

import (
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
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
		if got := simplified(node); err != nil || !reflect.DeepEqual(got.Event, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got.Event, err, c.want)
		}
	}
}
