package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
)

// Theorem6 returns the Rényi curve, in nats, of the best of K runs with K from a Poisson
// law of mean µ >= 1:
//
//	ε'(λ) = ε(λ) + µ δ̂ + ln(µ)/(λ-1),  (ε̂, δ̂) a guarantee of one run with e^ε̂ <= 1 + 1/(λ-1)
//
// δ̂ is the least that base knows at ε̂ = ln(1+1/(λ-1)); the order behind it is free.
//
// A mean below 1 is an error: the statement is not a bound there, because K = 0 has
// divergence 0 and ln µ is negative (µ = 0.5 with a Gaussian of parameter 0.25 at λ = 2
// gives -0.63, the divergence is 0.026). For µ >= 1 it holds although the proof of the
// paper's Lemma 7 leaves out K = 0: the bound of [Sharpened] holds for every µ, and
// 1 + µC(B-1) <= µCB if µC >= 1.
//
// Reference: Papernot and Steinke (ICLR 2022), Theorem 6.
func Theorem6(law Poisson, base Base) (rdp.Curve, error) {
	if err := law.Validate(); err != nil {
		return nil, err
	}
	if law.MeanRepeats < 1 {
		return nil, fmt.Errorf("selection: Poisson.MeanRepeats %g: must be >= 1: Theorem 6 of Papernot and Steinke (2022) is not a bound below 1, where no run at all (K = 0) is too likely", law.MeanRepeats)
	}
	if err := base.Validate(); err != nil {
		return nil, err
	}
	if base.Curve == nil {
		return nil, errNilCurve
	}
	base = base.Prepared()
	mean, logMean := law.MeanRepeats, math.Log(law.MeanRepeats)
	deltaAt := base.leastDelta()
	return monotone(func(order float64) float64 {
		epsilon := base.Curve(order)
		if math.IsInf(epsilon, 1) {
			return epsilon
		}
		return epsilon + mean*deltaAt(math.Log1p(1/(order-1))) + logMean/(order-1)
	}), nil
}

// leastDelta returns the least δ at ε of all quick sources.
func (b Base) leastDelta() func(epsilon float64) float64 {
	sources := b.quickSources()
	return func(epsilon float64) float64 {
		delta := 1.0
		for _, s := range sources {
			delta = math.Min(delta, s.deltaAt(epsilon))
		}
		return delta
	}
}
