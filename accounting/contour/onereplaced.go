package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// oneReplaced returns the exact profile of one step of a replaced record (internal/transform,
// replaced.go). With D(s, u) = φ(s)(R(s) - R(s+u)) of numeric.LogMillsGap,
//
//	δ(ε) = q ((1-w) D(s, 1/σ) + w D(s, 2/σ)),   s = (τ-1)/σ,   w = e^{-2B},
//	τ = σ²(ε/2 + B),   B = asinh(sinh(ε/2) e^{1/2σ²} (1-q)/q).
//
// Proof. The loss rises, and it is ε at τ (package pld, replaceone_sum.go). So δ is
//
//	q Φ(-(τ-1)/σ) - (1-q)(e^ε-1) Φ(-τ/σ) - e^ε q Φ(-(τ+1)/σ).
//
// Divide by φ(τ/σ). With y = e^{τ/σ²} and k = q e^{-1/2σ²} the terms are k y R((τ-1)/σ), a R(τ/σ)
// and e^ε k/y R((τ+1)/σ), a = (1-q)(e^ε-1). As the loss at τ is ε, k y = a + e^ε k/y. The share of
// the last term in k y is w = e^ε/y² = e^{-2B}. The front k y φ(τ/σ) is q φ(s). ∎
//
// No digits cancel, since all terms are positive. R falls, so δ falls with s and rises with w. The
// bracket takes the ends of s and of w. The argument of asinh has a logarithm that is known to 16
// units of its parts. B moves by at most min(1, B) times that error.
func oneReplaced(q, sigma float64) profile {
	v, lq := 1/(sigma*sigma), numeric.Log(q)
	return func(epsilon float64) (lower, estimate, upper float64) {
		bend, errBend := 0.0, 0.0
		if epsilon > 0 {
			logSinh := epsilon/2 + numeric.Log(-math.Expm1(-epsilon)) - math.Ln2
			log := logSinh + v/2 + math.Log1p(-q) - lq
			bend = log + math.Ln2 // asinh x is log 2x to rounding
			if log < 40 {
				bend = math.Asinh(math.Exp(log))
			}
			errBend = 16*transform.Unit*(2+epsilon+math.Abs(logSinh)+v-math.Log1p(-q)-lq)*math.Min(1, bend) + 1e-300
		}
		tau := sigma * sigma * (epsilon/2 + bend)
		if math.IsInf(tau, 1) {
			return math.Inf(-1), -math.MaxFloat64, -math.MaxFloat64
		}
		s := (tau - 1) / sigma
		errS := sigma*errBend + 8*transform.Unit*(tau+1)/sigma
		slop := 8 * transform.Unit * (4 - lq)
		lower, _, _ = replacedAt(s+errS, sigma, bend+errBend)
		_, estimate, _ = replacedAt(s, sigma, bend)
		_, _, upper = replacedAt(s-errS, sigma, math.Max(0, bend-errBend))
		return lower + lq - slop, estimate + lq, upper + lq + slop
	}
}

// replacedAt brackets log((1-w) D(s, 1/σ) + w D(s, 2/σ)).
func replacedAt(s, sigma, bend float64) (lower, estimate, upper float64) {
	log, rest := -2*bend, numeric.Log(-math.Expm1(-2*bend)) // of w and 1-w
	low1, near1, up1 := numeric.LogMillsGap(s, 1/sigma, 0)
	low2, near2, up2 := numeric.LogMillsGap(s, 2/sigma, 0)
	return numeric.Add(rest+low1, log+low2), numeric.Add(rest+near1, log+near2), numeric.Add(rest+up1, log+up2)
}
