package audit

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/gdp"
)

// EpsilonOfMu returns the ε at delta in (0, 1) of a µ-GDP mechanism, rounded down.
//
// Reference: Dong, Roth, Su (2022), arXiv:1905.02383v3, Corollary 2.13; computed by
// package accounting/gdp.
func EpsilonOfMu(mu, delta float64) (float64, error) {
	if !(mu >= 0) || math.IsInf(mu, 1) {
		return 0, fmt.Errorf("audit: mu %g: must be >= 0 and finite", mu)
	}
	if !(delta > 0 && delta < 1) {
		return 0, fmt.Errorf("audit: delta %g: must be in (0, 1) for a Gaussian trade-off, which has no finite ε at δ = 0", delta)
	}
	return epsilonOfMu(mu, delta), nil
}

// epsilonOfMu trusts its arguments: the certified interval's lower end.
func epsilonOfMu(mu, delta float64) float64 {
	eps, err := gdp.EpsilonAt(math.Max(0, mu), delta)
	if err != nil {
		return 0 // no statement is the safe side of a lower bound
	}
	return math.Max(0, eps.Lower)
}

// finishGDP sets ε from µ, and the ceiling from its µ.
func (b *Bound) finishGDP(mu, ceilingMu float64) {
	b.Mu = math.Max(0, mu) // never the absolute value: a negative bound is no evidence
	b.Epsilon = epsilonOfMu(b.Mu, b.Delta)
	b.Ceiling = epsilonOfMu(math.Max(0, ceilingMu), b.Delta)
}
