package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// maxTerms is the largest number of runs of a law that is a list of chances.
const maxTerms = 1 << 16

// PMF is any law with finitely many values: P[K = k] = Weights[k], k = 0, 1, ...
//
// If Weights[0] > 0, a search may draw K = 0 and must then release its defined default
// output; see Poisson. A law with P[K = 1] = 0 has no price that stays finite for every
// Gaussian run, save that of publishing all runs.
//
// Every method costs O(len(Weights)).
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
	return fmt.Sprintf("law of %d weights (mean %.6g)", len(l.Weights), l.Mean())
}

// normalized returns the weights, divided by their sum.
func (l PMF) normalized() weights {
	sum := 0.0
	for _, w := range l.Weights {
		sum += w
	}
	out := make(weights, len(l.Weights))
	for k, w := range l.Weights {
		out[k] = w / sum
	}
	return out
}

// Mean returns E[K].
func (l PMF) Mean() float64 { return l.normalized().mean() }

// LogPMF returns ln P[K = k].
func (l PMF) LogPMF(k int) float64 { return l.normalized().logPMF(k) }

// PGF returns f(x) = Σ Weights[k] x^k.
func (l PMF) PGF(x float64) float64 { return l.normalized().pgf(x) }

// LogPGFDerivative returns ln f'(x).
func (l PMF) LogPGFDerivative(x float64) float64 { return l.normalized().logDerivative(math.Log(x)) }

// SuccessProbability returns 1 - f(1-p).
func (l PMF) SuccessProbability(p float64) float64 { return l.normalized().success(p) }

// ExpectedQuantile returns 1 - Σ Weights[k]/(k+1).
func (l PMF) ExpectedQuantile() float64 { return l.normalized().quantile() }

// MaxLogWeight searches the ranks that the profile allows; see ranks.
func (l PMF) MaxLogWeight(order float64, base Profile) float64 {
	return newRanks(l.table(), base).worst(order)
}

// Rand draws K by inverting the distribution function.
func (l PMF) Rand(rng *rand.Rand) (int, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	if rng == nil {
		return 0, errNilRand
	}
	return l.normalized().rand(rng), nil
}

func (l PMF) table() *derivative { return l.normalized().table() }

func (l PMF) terms() weights { return l.normalized() }
