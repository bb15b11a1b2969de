package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// Fixed is K = Count, always. Its Rényi price is that of publishing all Count runs. By Proposition
// 17 of Papernot and Steinke (2022) it can hardly be less. At one δ the pointwise bound of package
// selection is mostly lower, and still far above that of a random K.
type Fixed struct {
	Count int // >= 1
}

// Validate returns an error unless the count is at least 1.
func (l Fixed) Validate() error {
	if l.Count < 1 {
		return fmt.Errorf("law: Fixed.Count %d: must be >= 1", l.Count)
	}
	return nil
}

// String names the law.
func (l Fixed) String() string { return fmt.Sprintf("fixed law (K = %d)", l.Count) }

// Distribution returns the law in closed form.
func (l Fixed) Distribution() Distribution { return newDistribution(l, fixed(l)) }

// fixed is the form of a Fixed.
type fixed Fixed

// Mean returns Count.
func (l fixed) Mean() float64 { return float64(l.Count) }

// LogPMF returns 0 at Count and -Inf elsewhere.
func (l fixed) LogPMF(k int) float64 {
	if k == l.Count {
		return 0
	}
	return math.Inf(-1)
}

// PGF returns f(x) = x^Count.
func (l fixed) PGF(x float64) float64 { return math.Pow(x, float64(l.Count)) }

// LogPGFDerivative returns ln f'(x).
func (l fixed) LogPGFDerivative(x float64) float64 {
	if l.Count == 1 {
		return 0
	}
	return numeric.Log(float64(l.Count)) + float64(l.Count-1)*numeric.Log(x)
}

// SuccessProbability returns 1 - (1-p)^Count.
func (l fixed) SuccessProbability(p float64) float64 {
	return -math.Expm1(float64(l.Count) * math.Log1p(-p))
}

// ExpectedQuantile returns Count/(Count+1).
func (l fixed) ExpectedQuantile() float64 { return float64(l.Count) / float64(l.Count+1) }

// MaxLogWeight returns +Inf, and 0 for one run: (q/q')^(Count-1) has no bound at q' = 0.
func (l fixed) MaxLogWeight(float64, Profile) float64 {
	if l.Count == 1 {
		return 0
	}
	return math.Inf(1)
}

func (l fixed) logConvex() bool { return l.Count == 1 }

func (l fixed) tilted(float64) (Distribution, bool) { return Fixed(l).Distribution(), true }

func (l fixed) chanceRatio(int) float64 { return math.Inf(1) }

func (l fixed) lastRun() (int, bool) { return l.Count, true }

// Rand returns Count.
func (l fixed) Rand(*rand.Rand) (int, error) { return l.Count, nil }

func init() {
	RegisterFormat("fixed",
		func(l Fixed) []eventjson.Field {
			return []eventjson.Field{field("count", l.Count)}
		},
		func(o *eventjson.Object) Fixed {
			return Fixed{Count: o.Int("count")}
		})
}
