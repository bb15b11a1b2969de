package law

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// TwoPoint is one run with chance Single, and Runs runs otherwise:
//
//	P[K=1] = s    P[K=L] = 1-s    f(x) = s x + (1-s) x^L
//
// It is the law of "nearly always L runs". The small chance s of a single run keeps the price
// finite.
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
		errs = append(errs, fmt.Errorf("law: TwoPoint.Runs %d: must be in [2, 2^53]", l.Runs))
	}
	if !(l.Single > 0 && l.Single < 1) {
		errs = append(errs, fmt.Errorf("law: TwoPoint.Single %g: must be in (0, 1)", l.Single))
	}
	errs = append(errs, normal("TwoPoint.Single", l.Single))
	return errors.Join(errs...)
}

// String names the law.
func (l TwoPoint) String() string {
	return fmt.Sprintf("two-point law (1 with chance %g, else %d, mean %.6g)", l.Single, l.Runs, (&twoPoint{TwoPoint: l}).Mean())
}

// Distribution makes a table of ln f' = ln(s + (1-s) L e^((L-1) ln x)).
func (l TwoPoint) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
	}
	runs := float64(l.Runs)
	return consistent(l, &twoPoint{l, newDerivative(func(logX float64) float64 {
		return numeric.Log(l.Single + (1-l.Single)*runs*math.Exp((runs-1)*logX))
	}, runs, 0)})
}

// twoPoint is the form of a TwoPoint, with its table.
type twoPoint struct {
	TwoPoint
	derivative *derivative
}

// Mean returns s + (1-s)L.
func (l *twoPoint) Mean() float64 { return l.Single + (1-l.Single)*float64(l.Runs) }

// LogPMF returns ln P[K = k].
func (l *twoPoint) LogPMF(k int) float64 {
	switch k {
	case 1:
		return numeric.Log(l.Single)
	case l.Runs:
		return math.Log1p(-l.Single)
	}
	return math.Inf(-1)
}

// PGF returns f(x) = s x + (1-s) x^L.
func (l *twoPoint) PGF(x float64) float64 {
	return l.Single*x + (1-l.Single)*math.Pow(x, float64(l.Runs))
}

// LogPGFDerivative returns ln f'(x) = ln(s + (1-s) L x^(L-1)).
func (l *twoPoint) LogPGFDerivative(x float64) float64 {
	return numeric.Log(l.Single + (1-l.Single)*float64(l.Runs)*math.Pow(x, float64(l.Runs-1)))
}

// SuccessProbability returns s p + (1-s)(1 - (1-p)^L).
func (l *twoPoint) SuccessProbability(p float64) float64 {
	return l.Single*p - (1-l.Single)*math.Expm1(float64(l.Runs)*math.Log1p(-p))
}

// ExpectedQuantile returns 1 - s/2 - (1-s)/(L+1).
func (l *twoPoint) ExpectedQuantile() float64 {
	return 1 - l.Single/2 - (1-l.Single)/float64(l.Runs+1)
}

// MaxLogWeight searches the ranks that the profile allows; see ranks.
func (l *twoPoint) MaxLogWeight(order float64, base Profile) float64 {
	return base.worstRanks(l.derivative, order)
}

func (l *twoPoint) logConvex() bool { return false }

func (l *twoPoint) tilted(x float64) (Distribution, bool) {
	rest := (1 - l.Single) * math.Pow(x, float64(l.Runs-1)) // before division by the sum
	t := TwoPoint{Runs: l.Runs, Single: l.Single / (l.Single + rest)}
	return t.Distribution(), t.Validate() == nil
}

func (l *twoPoint) chanceRatio(int) float64 { return math.Inf(1) }

func (l *twoPoint) lastRun() (int, bool) { return l.Runs, true }

// Rand draws K.
func (l *twoPoint) Rand(rng *rand.Rand) (int, error) {
	if uniformOpen(rng) < l.Single {
		return 1, nil
	}
	return l.Runs, nil
}

func init() {
	RegisterFormat("two_point",
		func(l TwoPoint) []eventjson.Field {
			return []eventjson.Field{field("runs", l.Runs), field("single", l.Single)}
		},
		func(o *eventjson.Object) TwoPoint {
			return TwoPoint{Runs: o.Int("runs"), Single: o.Float("single")}
		})
}
