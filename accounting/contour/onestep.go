package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// profile is a certified bracket of log δ at one ε.
type profile func(epsilon float64) (lower, estimate, upper float64)

// oneStep returns the exact profile of one sampled Gaussian step in one direction. It comes from
// the Gaussian profile δ_G of µ = 1/σ.
//
//	remove: δ(ε) = q δ_G(ε'),        e^ε' = 1 + (e^ε-1)/q
//	add:    δ(ε) = q e^ε w δ_G(-log w), w = 1 - (1-e^-ε)/q, and 0 where w <= 0
//
// Proof. Remove is P(x > x*) - e^ε Q(x > x*) with P = (1-q)Q + q N(1, σ²). Its Q terms add up to
// e^ε-1+q = q e^ε'. Add is Q(x < x*) - e^ε P(x < x*). Its Q terms add up to 1-(1-q)e^ε = q e^ε w.
//
// At tiny q or ε the argument of δ_G loses digits by cancellation. δ_G decreases, so it is
// evaluated at both ends of an interval that holds the argument. The interval is 8 units of ε', or
// 8 units of the two parts of w, to each side.
//
// Reference: remove is Balle, Barthe, Gaboardi (2018), arXiv:1807.01647v2, Theorem 8, here with
// equality; add is derived above.
func oneStep(q, sigma float64, dir transform.Direction) profile {
	mu := 1 / sigma
	if dir == transform.Remove {
		return func(epsilon float64) (lower, estimate, upper float64) {
			e := math.Log1p(math.Expm1(epsilon) / q)
			if epsilon > 30 {
				e = epsilon - numeric.Log(q) + math.Log1p(-(1-q)*math.Exp(-epsilon))
			}
			err := 8 * transform.Unit * math.Max(e, epsilon)
			lower, _, _ = numeric.LogGaussian(mu, e+err)
			_, estimate, _ = numeric.LogGaussian(mu, e)
			_, _, upper = numeric.LogGaussian(mu, math.Max(0, e-err))
			lq := numeric.Log(q)
			return lower + lq + 4*transform.Unit*lq, estimate + lq, upper + lq - 4*transform.Unit*lq
		}
	}
	return func(epsilon float64) (lower, estimate, upper float64) {
		part := -math.Expm1(-epsilon) / q
		err := 8 * transform.Unit * (part + 1)
		at := func(w float64) (lower, estimate, upper float64) {
			if w <= 0 {
				return math.Inf(-1), math.Inf(-1), math.Inf(-1)
			}
			front := numeric.Log(q) + epsilon + numeric.Log(w)
			lower, estimate, upper = numeric.LogGaussian(mu, -numeric.Log(w))
			slop := 8 * transform.Unit * (math.Abs(numeric.Log(q)) + epsilon)
			return lower + front - slop, estimate + front, upper + front + slop
		}
		w := 1 - part
		lower, _, _ = at(math.Min(1, w-err))
		_, estimate, _ = at(math.Min(1, w))
		_, _, upper = at(math.Min(1, w+err))
		return lower, estimate, upper
	}
}

// invert returns the ε of a profile at logDelta. The profile's bounds decrease in ε up to rounding.
// Both ends are bisected and lie on the certified side of their bound.
func (f profile) invert(logDelta float64) answer {
	if _, _, up := f(0); up <= logDelta {
		return answer{}
	}
	hi, passed := 1.0, 0.0 // δ at passed is above the target
	for {
		low, _, up := f(hi)
		if up <= logDelta {
			break
		}
		if low >= logDelta {
			passed = hi
		}
		if hi *= 4; hi > 1e306 {
			return answer{lower: passed, upper: math.Inf(1), estimate: math.Inf(1), fallback: true}
		}
	}
	upper := bisect(hi, func(e float64) bool { _, _, up := f(e); return up <= logDelta })
	estimate := bisect(upper, func(e float64) bool { _, est, _ := f(e); return est <= logDelta })
	lower := bisect(estimate, func(e float64) bool { lo, _, _ := f(e); return lo < logDelta })
	lower *= 1 - 4*transform.Unit // bisect ends just beyond the last point where f >= logDelta
	if lo, _, _ := f(lower); lo < logDelta {
		lower = math.Max(0, lower-16*transform.Unit*upper)
		if lo, _, _ := f(lower); lo < logDelta {
			lower = 0
		}
	}
	return answer{lower: lower, estimate: math.Max(lower, estimate), upper: upper}
}

// bisect returns the least ε in (0, hi] where ok holds, rounded up to a point where it does. ok(hi)
// must hold. The search is logarithmic below hi/2 and linear above.
func bisect(hi float64, ok func(float64) bool) float64 {
	lo := hi
	for lo > 1e-300 && ok(lo) {
		hi, lo = lo, lo/16
	}
	if lo <= 1e-300 {
		return hi
	}
	for hi-lo > 2*transform.Unit*hi {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
