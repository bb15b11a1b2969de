package dpsgd_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// The schemes that advice names are types of this package, and a config with such batches has the
// price that was advised. Coarse intervals hold it too.
func TestAdvisedBatchesAreDrawn(t *testing.T) {
	const sigma, delta = 0.8, 1e-5
	schemes := map[string]dpsgd.Sampling{
		"poisson": dpsgd.Poisson{Rate: 0.05}, "allocation": dpsgd.RandomAllocation{Period: 20}, "fixed": dpsgd.FixedBatches{Period: 20},
		"capped": dpsgd.TruncatedPoisson{Rate: 0.05, Cap: 85, Examples: 1000},
	}
	a := advise.Advice{
		Question: advise.Question{Epsilon: 1, Delta: delta, Examples: 1000, SamplingRate: 0.05, Steps: 40, Candidates: 2, MeanCost: 2},
		OneRun:   advise.Way{NoiseMultiplier: sigma},
	}
	list, err := a.Drawings()
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, d := range list {
		if d.Scheme == "" {
			continue
		}
		drawn++
		scheme, ok := schemes[d.Name]
		if !ok || reflect.TypeOf(scheme).Name() != d.Scheme {
			t.Errorf("%s: scheme %q, want %T", d.Name, d.Scheme, scheme)
			continue
		}
		config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: sigma, Sampling: scheme, Steps: 40, ExpectedBatchSize: 50, LearningRate: 1}
		if err := config.Validate(); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		var epsilons [2]float64
		for i, event := range []accounting.Event{d.Event(sigma), config.Event()} {
			g, err := auto.NewAccountant().EpsilonAt(event, delta)
			if err != nil {
				t.Fatal(err)
			}
			epsilons[i] = g.Epsilon.Upper
			if d.Epsilon.Lower > g.Epsilon.Upper || d.Epsilon.Upper < g.Epsilon.Lower {
				t.Errorf("%s: advised %v, costs %v", d.Name, d.Epsilon, g.Epsilon)
			}
		}
		if math.Abs(epsilons[0]-epsilons[1]) > 1e-9*epsilons[0] {
			t.Errorf("%s: ε %g by the advised event, %g by the config", d.Name, epsilons[0], epsilons[1])
		}
	}
	if drawn != len(schemes) {
		t.Errorf("%d ways are drawn by the engine, want %d", drawn, len(schemes))
	}
}
