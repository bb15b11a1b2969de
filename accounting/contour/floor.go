package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// floorEpsilon returns a lower bound of ε at log δ in the remove direction: the largest ε found
// with bestFloor at or above the target. It steps down from ceiling and then bisects.
func (p *problem) floorEpsilon(logDelta, ceiling float64) float64 {
	ok := func(e float64) bool { return p.bestFloor(e) >= logDelta }
	lo, hi := ceiling, ceiling
	for range 60 {
		if lo *= 0.75; ok(lo) {
			for range 30 {
				mid := lo + (hi-lo)/2
				if ok(mid) {
					lo = mid
				} else {
					hi = mid
				}
			}
			return lo
		}
		hi = lo
	}
	return 0
}

// floorDelta returns a lower bound of log δ(ε) in the remove direction, for any number of steps, in
// closed form:
//
//	δ(ε) >= [1 - Π(1-P_p)^{T_p}] - e^ε [1 - Π(1-Q_p)^{T_p}],
//
// with P_p, Q_p the chances of an output above x_p with and without the example. It holds because
// the test "some step's output lies above its threshold" is post-processing. The thresholds put the
// likelihood ratio of one step at e^λ; any λ is valid.
//
// If rare large losses decide, the integral may fail. Then one large step matters most and this
// bound is nearly the truth. All values are logarithms, so e^ε may be any number.
func (p *problem) floorDelta(epsilon, lambda float64) float64 {
	with, without := math.Inf(-1), math.Inf(-1) // log of -log Π(1-P)^T, and of the same with Q
	for _, w := range p.Laws {
		s := w.Sigma
		x := s*s*logOdds(w.Q, lambda) + 0.5
		lq, lp := numeric.LogNormalCDF(-x/s), numeric.LogNormalCDF((1-x)/s)
		logCount := numeric.Log(w.Count)
		with = numeric.Add(with, logCount+logMinusLog1m(numeric.Add(math.Log1p(-w.Q)+lq, numeric.Log(w.Q)+lp)))
		without = numeric.Add(without, logCount+logMinusLog1m(lq))
	}
	with, without = log1mExpOf(with), log1mExpOf(without)
	slop := 1e-12 + 16*transform.Unit*math.Abs(with) // rounding; the true error is far smaller
	with -= slop
	if math.IsInf(without, -1) {
		return with
	}
	d := -math.Expm1(without + epsilon - with + slop + 16*transform.Unit*(math.Abs(without)+epsilon))
	if !(d > 0) {
		return math.Inf(-1)
	}
	return with + numeric.Log(d)
}

// logOdds returns log((e^λ-1)/q + 1): v where the likelihood ratio 1-q+q e^v is e^λ.
func logOdds(q, lambda float64) float64 {
	if lambda > 30 {
		return lambda - numeric.Log(q) + math.Log1p(-(1-q)*math.Exp(-lambda))
	}
	return math.Log1p(math.Expm1(lambda) / q)
}

// logMinusLog1m returns log(-log(1-e^x)) for x <= 0.
func logMinusLog1m(x float64) float64 {
	if x < -36 {
		return x // relative error e^x/2
	}
	return numeric.Log(-math.Log1p(-math.Exp(math.Min(x, 0))))
}

// log1mExpOf returns log(1 - e^{-s}) given log s.
func log1mExpOf(logS float64) float64 {
	if logS < -36 {
		return logS
	}
	return numeric.Log(-math.Expm1(-math.Exp(logS)))
}

// bestFloor returns the best bound over a few thresholds. λ = ε is right if one step out of few
// decides.
func (p *problem) bestFloor(epsilon float64) float64 {
	best := math.Inf(-1)
	for _, f := range [...]float64{0.4, 0.6, 0.8, 0.9, 0.97, 1, 1.1, 1.4, 2, 4, 10} {
		best = math.Max(best, p.floorDelta(epsilon, f*epsilon))
	}
	return best
}
