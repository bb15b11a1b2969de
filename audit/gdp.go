package audit

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/audit/internal/tails"
)

// EpsilonOfMu returns the ε at delta in (0, 1) of a µ-GDP mechanism, rounded down: the
// root of
//
//	δ(ε) = Φ(-ε/µ + µ/2) - e^ε Φ(-ε/µ - µ/2)
//
// Special cases are:
//
//	µ = 0                  returns 0
//	δ >= 2Φ(µ/2) - 1       returns 0
//
// Reference: Dong, Roth, Su (2022), arXiv:1905.02383v3, Corollary 2.13.
func EpsilonOfMu(mu, delta float64) (float64, error) {
	if !(mu >= 0) || math.IsInf(mu, 1) {
		return 0, fmt.Errorf("audit: mu %g: must be >= 0 and finite", mu)
	}
	if !(delta > 0 && delta < 1) {
		return 0, fmt.Errorf("audit: delta %g: must be in (0, 1) for a Gaussian trade-off, which has no finite ε at δ = 0", delta)
	}
	return epsilonOfMu(mu, delta), nil
}

func epsilonOfMu(mu, delta float64) float64 {
	if mu <= 0 || logDeltaOfMu(mu, 0) <= math.Log(delta) {
		return 0
	}
	// δ(ε) falls; search on -ln δ, which grows. Beyond hi = µ²/2 + µ z, z = Φ^-1(1-δ), the
	// first term alone is below δ.
	hi := mu*mu/2 + mu*math.Max(0, tails.NormalUpperQuantile(delta)) + mu
	eps, _ := tails.LastBelow(func(e float64) float64 { return -logDeltaOfMu(mu, e) }, -math.Log(delta), 0, hi, 1e-12*math.Max(1, hi))
	return eps
}

// logDeltaOfMu returns ln δ(ε). With a = ε/µ - µ/2 and M(x) = Φ(-x)/φ(x) (the Mills ratio),
// e^ε φ(a+µ) = φ(a), so that δ = φ(a)(M(a) - M(a+µ)): no large and small factors meet.
func logDeltaOfMu(mu, eps float64) float64 {
	a := eps/mu - mu/2
	if a < -5 {
		return math.Log(tails.NormalCDF(-a) - math.Exp(eps+math.Log(tails.NormalCDF(-a-mu))))
	}
	difference := mills(a) - mills(a+mu)
	if difference <= 0 { // rounding at tiny µ; a smaller δ gives a smaller ε
		return math.Inf(-1)
	}
	return -a*a/2 - 0.9189385332046727 + math.Log(difference)
}

// mills returns Φ(-x)/φ(x) for x >= -5: from erfc below 25, above by the continued
// fraction 1/(x+1/(x+2/(x+3/...))).
func mills(x float64) float64 {
	if x < 25 {
		return tails.NormalCDF(-x) / tails.NormalDensity(x)
	}
	f := x
	for k := 30; k >= 1; k-- {
		f = x + float64(k)/f
	}
	return 1 / f
}

// finishGDP sets ε from µ, and the ceiling from its µ.
func (b *Bound) finishGDP(mu, ceilingMu float64) {
	b.Mu = math.Max(0, mu) // never the absolute value: a negative bound is no evidence
	b.Epsilon = epsilonOfMu(b.Mu, b.Delta)
	b.Ceiling = epsilonOfMu(math.Max(0, ceilingMu), b.Delta)
}
