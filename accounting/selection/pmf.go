package selection

import (
	"errors"
	"fmt"
	"math"
)

// maxTerms is the largest number of runs of a law that is a list of chances.
const maxTerms = 1 << 16

// PMF is any law with finitely many values: P[K = k] = Weights[k], k = 0, 1, ...
//
// If Weights[0] > 0, a search may draw K = 0 and must then release its defined default
// output; see Poisson. A law with P[K = 1] = 0 has no price that stays finite for every
// Gaussian run, save that of publishing all runs.
type PMF struct {
	Weights []float64 // each >= 0, sum 1 to 1e-9, at most 65,537 of them; not all on 0
}

// Validate returns an error unless the weights are a distribution with some K >= 1.
func (l PMF) Validate() error {
	if len(l.Weights) < 2 || len(l.Weights) > maxTerms+1 {
		return fmt.Errorf("selection: PMF.Weights has %d entries: must have from 2 to %d", len(l.Weights), maxTerms+1)
	}
	sum := 0.0
	for k, w := range l.Weights {
		if !(w >= 0) {
			return fmt.Errorf("selection: PMF.Weights[%d] %g: must be >= 0", k, w)
		}
		sum += w
	}
	if !(math.Abs(sum-1) < 1e-9) {
		return fmt.Errorf("selection: PMF.Weights sum to %.12g: must be 1", sum)
	}
	if sum == l.Weights[0] {
		return errors.New("selection: PMF.Weights are all on K = 0: must have some K >= 1")
	}
	return nil
}

// String names the law.
func (l PMF) String() string {
	return fmt.Sprintf("law of %d weights (mean %.6g)", len(l.Weights), weights(l.Weights).normalized().mean())
}

// Distribution copies the weights, divided by their sum, and draws by inverting the distribution
// function.
func (l PMF) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return invalid{err}
	}
	return newList(l, weights(l.Weights).normalized(), nil)
}
