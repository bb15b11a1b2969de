package verify_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/verify"
)

func sgd(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
}

func TestVerify(t *testing.T) {
	gaussian := accounting.Gaussian{NoiseMultiplier: 3}
	sum := accounting.ClippedSum{NoiseMultiplier: 3}
	for _, event := range []accounting.Event{
		gaussian, sgd(0.01, 1, 1000), sgd(1e-5, 0.6, 10), accounting.Laplace{NoiseMultiplier: 2},
		accounting.Composed{Events: []accounting.Event{sgd(0.01, 1, 1000), gaussian, sgd(0.02, 1.5, 100)}},
		accounting.SelfComposed{Count: 50, Event: accounting.Laplace{NoiseMultiplier: 10}},
		accounting.Parallel{Events: []accounting.Event{sgd(0.01, 1, 1000), accounting.Laplace{NoiseMultiplier: 0.5}}},
		accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Composed{Events: []accounting.Event{sgd(0.01, 1, 1000), accounting.Laplace{NoiseMultiplier: 0.5}}}},
		accounting.RandomAllocation{Period: 100, Steps: 250, Participations: 1, Event: sum},
		accounting.RandomAllocation{Period: 100, Steps: 250, Participations: 3, Event: sum},
		accounting.Shuffled{Batches: 20, Epochs: 3, Event: sum},
		accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: sum},
		accounting.SelfComposed{Count: 5, Event: accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 12, PopulationSize: 100, Event: sum}},
		accounting.SelfComposed{Count: 5, Event: accounting.ZCDP{Rho: 0.01}},
		accounting.Composed{Events: []accounting.Event{accounting.PureDP{Epsilon: 0.5}, accounting.ApproxDP{Epsilon: 0.1, Delta: 1e-8}}},
	} {
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
			a, err := auto.NewAccountantFor(relation)
			if err != nil {
				t.Fatal(err)
			}
			g, err := a.EpsilonAt(event, 1e-5)
			if err != nil {
				t.Logf("%v: %v: %v", event, relation, err)
				continue
			}
			answer, err := verify.Of(g)
			if err != nil {
				t.Errorf("%v: %v: %v: %v", event, relation, err, g.Certificate)
				continue
			}
			now := time.Now()
			v, err := answer.Verify()
			text, _ := json.Marshal(g)
			t.Logf("%v %v: %v %v\n%s", event, relation, v, time.Since(now), text)
			if err != nil {
				t.Errorf("%v: %v: %v", event, relation, err)
			}
		}
	}
}
