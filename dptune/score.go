package dptune

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
)

// PrivateAccuracy scores a model by the number of validation examples that it gets
// right, plus normal noise. One added or removed example moves the count by at most 1,
// so that the score of a fixed model is one Gaussian event.
//
// Validation examples are disjoint from training examples. If each record was put into
// its part by a rule that looks at that record alone, or by coins, then a run with its
// score is accounting.Parallel of the training and of this event: the larger of both, not
// their sum. A noise multiplier of a few units makes the score no dearer than the
// training, and costs a few examples of accuracy in the choice.
type PrivateAccuracy struct {
	NoiseMultiplier float64 // σ > 0, in validation examples
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (p PrivateAccuracy) Validate() error {
	if !(p.NoiseMultiplier > 0) || math.IsInf(p.NoiseMultiplier, 1) {
		return fmt.Errorf("dptune: PrivateAccuracy.NoiseMultiplier %g: must be > 0 and finite", p.NoiseMultiplier)
	}
	return nil
}

// Event returns what one score does to the validation data.
func (p PrivateAccuracy) Event() accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: p.NoiseMultiplier}
}

// EventWith returns what one run and its score do to the data, when the training event
// and the validation examples touch disjoint parts.
func (p PrivateAccuracy) EventWith(training accounting.Event) accounting.Event {
	return accounting.Parallel{Events: []accounting.Event{training, p.Event()}}
}

// Score returns correct plus noise, which is that of math/rand/v2: normal but for the grid of its
// values and what is beyond 12 standard deviations, a mass below 1e-32. correct is the number of validation examples that
// the model gets right; rng must be private and used for nothing else.
func (p PrivateAccuracy) Score(correct int, rng *rand.Rand) float64 {
	return float64(correct) + p.NoiseMultiplier*rng.NormFloat64()
}
