package verify_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/verify"
)

func sgd(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
}

var relations = []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial}

// Every rule has an event whose answer is shown by it, and is verified.
func TestVerify(t *testing.T) {
	gaussian, sum := accounting.Gaussian{NoiseMultiplier: 3}, accounting.ClippedSum{NoiseMultiplier: 3}
	laplace := accounting.Laplace{NoiseMultiplier: 0.5}
	all := relations
	for _, c := range []struct {
		event     accounting.Event
		relations []accounting.Neighboring
	}{
		{gaussian, all}, {laplace, all}, {sgd(0.01, 1, 1000), all}, {sgd(1, 1, 10), all},
		{accounting.SelfComposed{Count: 3, Event: accounting.SampledWithReplacement{SampleSize: 1, PopulationSize: 100, Event: sum}}, all},
		{accounting.Composed{Events: []accounting.Event{sgd(0.01, 1, 1000), gaussian, sgd(0.02, 1.5, 100)}}, all},
		{accounting.Parallel{Events: []accounting.Event{sgd(0.01, 1, 1000), laplace}}, []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial}},
		{accounting.WorstCase{Events: []accounting.Event{sgd(0.01, 1, 1000), sgd(0.02, 2, 10), laplace}}, all},
		{accounting.RandomAllocation{Period: 100, Steps: 250, Participations: 1, Event: sum}, all},
		{accounting.RandomAllocation{Period: 10, Steps: 11, Participations: 3, Event: sum}, all},
		{accounting.RandomAllocation{Period: 3, Steps: 30, Participations: 3, Event: sum}, all},
		{accounting.RandomAllocation{Period: 2, Steps: 4, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: 0.05}}, all},
		{accounting.Shuffled{Batches: 20, Epochs: 3, Event: sum}, all},
		{accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: sum}, all[:1]},
		{accounting.SelfComposed{Count: 5, Event: accounting.ZCDP{Rho: 0.01}}, all},
		{accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.SelfComposed{Count: 3, Event: accounting.ZCDP{Rho: 0.01}}}, all},
		{accounting.MixtureOfGaussians{Chances: []float64{0.75, 0.25}, Distances: []float64{0, 1}, NoiseMultiplier: 2}, all[:1]},
	} {
		for _, relation := range c.relations {
			if err := verified(answered(t, c.event, relation)); err != nil {
				t.Errorf("%v: %v: %v", c.event, relation, err)
			}
		}
	}
}

// Prices of selections are verified with the profiles of a run, and believe nothing.
func TestSelections(t *testing.T) {
	logarithmic, err := law.Logarithmic(10)
	if err != nil {
		t.Fatal(err)
	}
	geometric, err := law.Geometric(10)
	if err != nil {
		t.Fatal(err)
	}
	bases := []accounting.Event{accounting.Gaussian{NoiseMultiplier: 2}, sgd(0.01, 2, 5000)}
	laws := []law.Law{logarithmic, geometric, law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5}, law.Fixed{Count: 5}, law.TwoPoint{Runs: 100, Single: 0.2}}
	if testing.Short() {
		bases, laws = bases[1:], laws[1:3]
	}
	for _, base := range bases {
		for _, l := range laws {
			for _, event := range []accounting.Event{selection.BestOf{Law: l, Base: base}, firstabove.Event{Law: l, Base: base}} {
				g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := verify.Of(g)
				if err != nil {
					t.Errorf("%v: %v: %v", event, err, g.Certificate)
					continue
				}
				if v, err := answer.Verify(); err != nil || len(v.Believed) > 0 || len(g.Certificate.Given) > 0 {
					t.Errorf("%v: %v, %v, given %v", event, v, err, g.Certificate.Given)
				}
			}
		}
	}
}
