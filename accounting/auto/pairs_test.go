package auto_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
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

// Compositions with tunings cost less by their pairs than by Rényi curves or by adding their ε, and
// more than a part does.
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
		if len(price.Bounds) < 2 || price.Bounds[0].Name != "dominating pairs" || price.Bounds[0].Epsilon > price.Bounds[1].Epsilon-c.gain {
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
	// 1.814 dominating pairs
	// 1.924 RDP
	// 2.356 added
}

// A run without a finite ε has a δ in compositions too. In two selections of the best of three (1,
// 0.2)-private runs, ε is +Inf at δ = 1e-5. At ε = 2 the δ is at most that of six published runs:
// nothing is shown with chance 0.8⁶, and the rest is six times randomized response,
//
//	1 - 0.8⁶ (1 - Σ_k C(6,k) p^k (1-p)^(6-k) (1 - e^(2-(2k-6)))₊),  p = e/(1+e),
//
// 0.853517. It is at least that of runs whose output "shown", then the one of randomized response,
// has the best score: of three runs the best is 1 with chance 1-(1-p)³ or 1-p³, hence 0.828.
func TestSelectionsWithoutEpsilonCompose(t *testing.T) {
	p := math.E / (1 + math.E)
	one, other := 1-math.Pow(1-p, 3), 1-math.Pow(p, 3)
	attack, published := 1.0, 1.0
	stick := func(with, without float64) float64 { return math.Max(0, with-math.Exp(2)*without) }
	attack -= math.Pow(0.8, 6) * (1 - stick((1-other)*(1-other), (1-one)*(1-one)) - 2*stick((1-other)*other, (1-one)*one) - stick(other*other, one*one))
	rest := 0.0
	for k, ways := range []float64{1, 6, 15, 20, 15, 6, 1} {
		n := float64(k)
		rest += ways * stick(math.Pow(p, n)*math.Pow(1-p, 6-n), math.Pow(p, 6-n)*math.Pow(1-p, n))
	}
	published -= math.Pow(0.8, 6) * (1 - rest)
	if math.Abs(attack-0.828) > 1e-3 || math.Abs(published-0.853517) > 1e-6 {
		t.Fatalf("δ at ε = 2: %.6f attained, %.6f for published runs, want 0.828 and 0.853517", attack, published)
	}
	run, gaussian := accounting.ApproxDP{Epsilon: 1, Delta: 0.2}, accounting.Gaussian{NoiseMultiplier: 2}
	best := selection.BestOf{Law: law.Fixed{Count: 3}, Base: run}
	twice := accounting.SelfComposed{Event: best, Count: 2}
	for name, event := range map[string]accounting.Event{
		"twice":                 twice,
		"with a release":        accounting.Composed{Events: []accounting.Event{gaussian, best}},
		"of a sample, twice":    accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.5, Event: best}, Count: 2},
		"twice on a sample":     accounting.PoissonSampled{SamplingRate: 0.5, Event: twice},
		"of any number, twice":  accounting.SelfComposed{Event: tuningOf(run), Count: 2},
		"proposals, twice":      accounting.SelfComposed{Event: adaptive.Event{Law: law.TNB{Eta: 1, Gamma: 0.5}, Base: run, Least: 0.5, Most: 2}, Count: 2},
		"first good run, twice": accounting.SelfComposed{Event: firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.5}, Base: run}, Count: 2},
	} {
		g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil || !math.IsInf(g.Epsilon.Upper, 1) || g.Delta != 1e-5 || g.Neighboring != accounting.AddOrRemoveOne {
			t.Errorf("%s: %v, %v, want ε +Inf without an error", name, g, err)
		}
	}
	for delta, most := range map[float64]bool{attack - 1e-3: false, published + 1e-3: true} {
		if g, err := auto.NewAccountant().EpsilonAt(twice, delta); err != nil || (g.Epsilon.Upper <= 2) != most {
			t.Errorf("twice at δ %.4f: %v, %v, want at most 2: %v", delta, g, err, most)
		}
	}
	if unknown := (accounting.Composed{Events: []accounting.Event{foreign{gaussian}, best}}); !testing.Short() {
		if delta, err := auto.NewAccountant().DeltaAt(twice, 2); err != nil || delta.Upper < attack || delta.Upper > published+1e-3 {
			t.Errorf("twice: δ %v, %v, want from %.4f to %.4f", delta, err, attack, published)
		}
		if _, err := auto.NewAccountant().EpsilonAt(unknown, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("next to an unknown event: %v, want ErrUnsupportedEvent", err)
		}
	}
}

// foreign is an event that no accountant knows.
type foreign struct{ accounting.Gaussian }
