package verify_test

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// Compositions on a grid are verified from the event on, with laws that the check makes itself.
func TestGrids(t *testing.T) {
	gaussian, sum, laplace := accounting.Gaussian{NoiseMultiplier: 3}, accounting.ClippedSum{NoiseMultiplier: 3}, accounting.Laplace{NoiseMultiplier: 10}
	composed := func(e ...accounting.Event) accounting.Event { return accounting.Composed{Events: e} }
	times := func(n int, e accounting.Event) accounting.Event { return accounting.SelfComposed{Count: n, Event: e} }
	on := func(q float64, e accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: q, Event: e}
	}
	allocation := accounting.RandomAllocation{Period: 10, Steps: 20, Participations: 1, Event: sum}
	all, one := relations, relations[:1]
	for _, c := range []struct {
		event     accounting.Event
		relations []accounting.Neighboring
	}{
		{times(50, laplace), all}, {composed(times(5, laplace), sgd(0.01, 1, 100), gaussian), all}, {times(100, on(0.1, laplace)), all},
		{composed(accounting.PureDP{Epsilon: 0.5}, accounting.ApproxDP{Epsilon: 0.1, Delta: 1e-8}), all},
		{times(20, accounting.PureDP{Epsilon: 0.1}), all}, {times(20, on(0.1, accounting.PureDP{Epsilon: 0.5})), all},
		{times(7, accounting.RandomizedResponse{Truth: 0.6}), all}, {composed(accounting.PermuteAndFlip{Epsilon: 0.2}, gaussian, laplace, laplace), all},
		{times(5, accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 12, PopulationSize: 100, Event: sum}), all},
		{times(5, accounting.SampledWithReplacement{SampleSize: 10, PopulationSize: 100, Event: sum}), all},
		{times(5, accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 100, Event: sum}), all},
		{times(5, accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 100, Event: gaussian}), relations[1:2]},
		{composed(laplace, allocation), one}, {times(3, on(0.2, allocation)), one},
		{times(4, accounting.MixtureOfGaussians{Chances: []float64{0.5, 0.3, 0.2}, Distances: []float64{0, 1, 2}, NoiseMultiplier: 4}), one},
		{threshold.Event{Sensitivity: 0.01, ThresholdNoise: 0.25, ScoreNoise: 0.5, MaxTests: 13, MaxPositives: 3, Refresh: threshold.EachTest}, one},
	} {
		if testing.Short() {
			c.relations = c.relations[:1]
		}
		for _, relation := range c.relations {
			text := answered(t, c.event, relation)
			if err := verified(text); err != nil {
				t.Errorf("%v: %v: %v", c.event, relation, err)
			}
			for _, edit := range [][2]string{
				{`"noise_multiplier":3`, `"noise_multiplier":2.5`}, {`"noise_multiplier":10`, `"noise_multiplier":9`}, {`"epsilon":0.1,`, `"epsilon":0.12,`},
				{`"count":20`, `"count":21`}, {`"count":7`, `"count":8`}, {`"cap":12`, `"cap":11`}, {`"chances":[0.5,0.3,0.2]`, `"chances":[0.4,0.4,0.2]`},
				{`"max_positives":3`, `"max_positives":4`}, {`"sensitivity":0.01`, `"sensitivity":0.011`},
			} {
				wrong := strings.ReplaceAll(text, edit[0], edit[1])
				if wrong != text && verified(wrong) == nil {
					t.Errorf("%v: %v: verified with %s for %s", c.event, relation, edit[1], edit[0])
				}
			}
		}
	}
}
