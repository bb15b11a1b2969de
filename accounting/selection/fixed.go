package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Fixed is K = Count, always. Its price is that of publishing all Count runs, and
// Proposition 17 of Papernot and Steinke (2022) shows that it can hardly be less.
type Fixed struct {
	Count int // >= 1
}

// Validate returns an error unless the count is at least 1.
func (l Fixed) Validate() error {
	if l.Count < 1 {
		return fmt.Errorf("selection: Fixed.Count %d: must be >= 1", l.Count)
	}
	return nil
}

// String names the law.
func (l Fixed) String() string { return fmt.Sprintf("fixed law (K = %d)", l.Count) }

// Distribution returns the law, which is in closed form.
func (l Fixed) Distribution() Distribution { return l }

// Mean returns Count.
func (l Fixed) Mean() float64 { return float64(l.Count) }

// LogPMF returns 0 at Count and -Inf elsewhere.
func (l Fixed) LogPMF(k int) float64 {
	if k == l.Count {
		return 0
	}
	return math.Inf(-1)
}

// PGF returns f(x) = x^Count.
func (l Fixed) PGF(x float64) float64 { return math.Pow(x, float64(l.Count)) }

// LogPGFDerivative returns ln f'(x).
func (l Fixed) LogPGFDerivative(x float64) float64 {
	if l.Count == 1 {
		return 0
	}
	return math.Log(float64(l.Count)) + float64(l.Count-1)*math.Log(x)
}

// SuccessProbability returns 1 - (1-p)^Count.
func (l Fixed) SuccessProbability(p float64) float64 {
	return -math.Expm1(float64(l.Count) * math.Log1p(-p))
}

// ExpectedQuantile returns Count/(Count+1).
func (l Fixed) ExpectedQuantile() float64 { return float64(l.Count) / float64(l.Count+1) }

// MaxLogWeight returns +Inf, and 0 for one run: (q/q')^(Count-1) has no bound at q' = 0.
func (l Fixed) MaxLogWeight(float64, Profile) float64 {
	if l.Count == 1 {
		return 0
	}
	return math.Inf(1)
}

func (l Fixed) hasLogConvexDerivative() bool { return l.Count == 1 }

// Rand returns Count.
func (l Fixed) Rand(rng *rand.Rand) (int, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	if rng == nil {
		return 0, errNilRand
	}
	return l.Count, nil
}
