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

// MaxLogWeight splits ranks q into cells. With x = e^e, the profile gives
//
//	q' >= (q - δ(e))/x    and    q' >= 1 - δ(e) - x(1-q)    for every e >= 0
//
// f' grows, so a cell [a, b] has no more than the value with q = b in f'(q) and with the
// least q' that goes with a. The range of the whole, ln f'(1)/f'(0), is a bound too.
func (l TwoPoint) MaxLogWeight(order float64, base Profile) float64 {
	const epsilons, cells = 40, 2000
	type point struct{ x, delta float64 }
	known := make([]point, 0, epsilons)
	span := l.LogPGFDerivative(1) - l.LogPGFDerivative(0)
	for i := range epsilons {
		e := span * math.Pow(float64(i)/epsilons, 3)
		known = append(known, point{math.Exp(e), base.DeltaAt(e)})
	}
	least := func(p float64) float64 { // of q', for q = 1-p
		best := 0.0
		for _, k := range known {
			best = math.Max(best, math.Max((1-p-k.delta)/k.x, 1-k.delta-k.x*p))
		}
		return math.Min(best, 1)
	}
	// p = 1-q from 1 down to 1e-9/L on a logarithmic grid, then 0.
	ratio := math.Pow(1e-9/float64(l.Runs), 1/float64(cells-1))
	worst, p := 0.0, 1.0
	for i := range cells {
		next := p * ratio
		if i == cells-1 {
			next = 0
		}
		top := l.LogPGFDerivative(1 - next)
		value := top - l.LogPGFDerivative(least(p))
		if !math.IsInf(order, 1) {
			value += (top - l.LogPGFDerivative(1)) / (order - 1)
		}
		worst = math.Max(worst, value)
		p = next
	}
	return math.Min(worst, span)
}

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
