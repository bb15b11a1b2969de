package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// TwoPoint is one run with chance Single, and Runs runs otherwise:
//
//	P[K=1] = s    P[K=L] = 1-s    f(x) = s x + (1-s) x^L
//
// It is the law of "nearly always L runs": the small chance s of a single run is what keeps
// the price finite.
//
// Reference: Xiang, Wang, Wang, arXiv:2402.13087, equation (21).
type TwoPoint struct {
	Runs   int     // L >= 2
	Single float64 // s in (0, 1)
}

// Validate returns an error unless L >= 2 and s is in (0, 1).
func (l TwoPoint) Validate() error {
	var errs []error
	if l.Runs < 2 || l.Runs > maxCount {
		errs = append(errs, fmt.Errorf("selection: TwoPoint.Runs %d: must be in [2, 2^53]", l.Runs))
	}
	if !(l.Single > 0 && l.Single < 1) {
		errs = append(errs, fmt.Errorf("selection: TwoPoint.Single %g: must be in (0, 1)", l.Single))
	}
	return errors.Join(errs...)
}

// String names the law.
func (l TwoPoint) String() string {
	return fmt.Sprintf("two-point law (1 with chance %g, else %d, mean %.6g)", l.Single, l.Runs, l.Mean())
}

// Mean returns s + (1-s)L.
func (l TwoPoint) Mean() float64 { return l.Single + (1-l.Single)*float64(l.Runs) }

// LogPMF returns ln P[K = k].
func (l TwoPoint) LogPMF(k int) float64 {
	switch k {
	case 1:
		return math.Log(l.Single)
	case l.Runs:
		return math.Log1p(-l.Single)
	}
	return math.Inf(-1)
}

// PGF returns f(x) = s x + (1-s) x^L.
func (l TwoPoint) PGF(x float64) float64 {
	return l.Single*x + (1-l.Single)*math.Pow(x, float64(l.Runs))
}

// LogPGFDerivative returns ln f'(x) = ln(s + (1-s) L x^(L-1)).
func (l TwoPoint) LogPGFDerivative(x float64) float64 {
	return math.Log(l.Single + (1-l.Single)*float64(l.Runs)*math.Pow(x, float64(l.Runs-1)))
}

// SuccessProbability returns s p + (1-s)(1 - (1-p)^L).
func (l TwoPoint) SuccessProbability(p float64) float64 {
	return l.Single*p - (1-l.Single)*math.Expm1(float64(l.Runs)*math.Log1p(-p))
}

// ExpectedQuantile returns 1 - s/2 - (1-s)/(L+1).
func (l TwoPoint) ExpectedQuantile() float64 {
	return 1 - l.Single/2 - (1-l.Single)/float64(l.Runs+1)
}

// Distribution makes a table of ln f' = ln(s + (1-s) L e^((L-1) ln x)).
func (l TwoPoint) Distribution() Distribution {
	runs := float64(l.Runs)
	return &tabledTwoPoint{l, newDerivative(func(logX float64) float64 {
		return math.Log(l.Single + (1-l.Single)*runs*math.Exp((runs-1)*logX))
	}, runs, 0)}
}

// tabledTwoPoint is a TwoPoint with its table.
type tabledTwoPoint struct {
	TwoPoint
	derivative *derivative
}

// MaxLogWeight searches the ranks that the profile allows; see ranks.
func (l *tabledTwoPoint) MaxLogWeight(order float64, base Profile) float64 {
	return newRanks(l.derivative, base).worst(order)
}

func (l *tabledTwoPoint) table() *derivative { return l.derivative }

// Rand draws K.
func (l TwoPoint) Rand(rng *rand.Rand) (int, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	if rng == nil {
		return 0, errNilRand
	}
	if uniformOpen(rng) < l.Single {
		return 1, nil
	}
	return l.Runs, nil
}
