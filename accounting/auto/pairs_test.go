package auto_test

import (
	"fmt"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

func tuningOf(run accounting.Event) selection.BestOf {
	l, err := law.Logarithmic(10)
	if err != nil {
		panic(err)
	}
	return selection.BestOf{Law: l, Base: run}
}

// Compositions with tunings cost less by their pairs than by Rényi curves or by shares of δ, and more than a part does.
func TestTuningsCompose(t *testing.T) {
	run := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	tuning := tuningOf(run)
	sampled := subsample.Event{TuningRate: 0.1, Variant: subsample.RestOfData, Tuning: tuning, Training: run}
	first := firstabove.Event{Law: tuning.Law, Base: run}
	for name, c := range map[string]struct {
		event accounting.Event
		part  accounting.Event
		gain  float64 // over the least of the other bounds, at least
	}{
		"two tunings":                 {accounting.SelfComposed{Event: tuning, Count: 2}, tuning, 0.3},
		"a tuning, a training":        {accounting.Composed{Events: []accounting.Event{tuning, run}}, tuning, 0.2},
		"ten tunings":                 {accounting.SelfComposed{Event: tuning, Count: 10}, tuning, 1},
		"a first good run, twice":     {accounting.SelfComposed{Event: first, Count: 2}, first, 0.1},
		"a tuning on a sample, twice": {accounting.SelfComposed{Event: sampled, Count: 2}, sampled, 0.2},
		"a tuning, then Laplace":      {accounting.Composed{Events: []accounting.Event{tuning, accounting.Laplace{NoiseMultiplier: 5}}}, tuning, 0.05},
	} {
		if testing.Short() && c.gain > 0.2 { // the large ones
			continue
		}
		price, err := auto.NewAccountant().PriceAt(c.event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		part, err := auto.NewAccountant().EpsilonAt(c.part, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if len(price.Bounds) != 3 || price.Bounds[0].Name != "dominating pairs" || price.Bounds[0].Epsilon > price.Bounds[1].Epsilon-c.gain {
			t.Errorf("%s: %v, want the pairs least, by %g", name, price.Bounds, c.gain)
		}
		if price.Guarantee.Epsilon.Upper <= part.Epsilon.Upper {
			t.Errorf("%s: %v, want more than %v for one part", name, price.Guarantee, part.Epsilon)
		}
	}
}

// Two tunings, and a tuning and a training, by every bound.
func ExampleAccountant_PriceAt() {
	run := accounting.Gaussian{NoiseMultiplier: 4}
	tuning := tuningOf(run)
	for _, event := range []accounting.Event{accounting.SelfComposed{Event: tuning, Count: 2}, accounting.Composed{Events: []accounting.Event{tuning, run}}} {
		price, err := auto.NewAccountant().PriceAt(event, 1e-5)
		if err != nil {
			panic(err)
		}
		for _, b := range price.Bounds {
			fmt.Printf("%.3f %s\n", b.Epsilon, b.Name)
		}
	}
	// Output:
	// 2.264 dominating pairs
	// 2.363 RDP
	// 2.852 two steps
	// 1.814 dominating pairs
	// 1.924 RDP
	// 2.343 two steps
}
