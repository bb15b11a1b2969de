package batchpairs

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// At the root of every term the log ratio is the loss, also where e^l overflows. A root of +Inf
// would drop the mass above it.
func TestRootsOfLargeLosses(t *testing.T) {
	events := []accounting.Event{
		accounting.SampledWithReplacement{SampleSize: 10, PopulationSize: 100, Event: accounting.ClippedSum{NoiseMultiplier: 0.05}},
		accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 100, Event: accounting.ClippedSum{NoiseMultiplier: 0.05}},
		accounting.TruncatedPoisson{SamplingRate: 0.5, Cap: 3, PopulationSize: 4, Event: accounting.ClippedSum{NoiseMultiplier: 0.05}},
	}
	roots := 0
	for _, e := range events {
		for _, relation := range relations {
			step, err := Of(e, relation)
			if err != nil { // not priced under this relation
				continue
			}
			sigma := step.Profile.NoiseMultiplier
			for _, term := range append(step.Profile.With.Terms, step.Profile.Without.Terms...) {
				most := term.LogRatio(sigma, 1e6)
				for _, l := range []float64{1, 699, 701, 720, 760} {
					root := term.Root(sigma, l, math.Inf(-1))
					switch {
					case l >= most: // P <= cQ everywhere
						continue
					case math.IsInf(root, 0) || math.Abs(term.LogRatio(sigma, root)-l) > 1e-9*l:
						t.Errorf("%v, %v, loss %g: root %g, where the log ratio is %g", e, relation, l, root, term.LogRatio(sigma, root))
					}
					if l > 709 {
						roots++
					}
				}
			}
		}
	}
	if roots < 20 {
		t.Errorf("only %d roots of losses above 709", roots)
	}
}
