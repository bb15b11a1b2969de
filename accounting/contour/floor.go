package contour

import "math"

// floorDelta returns a lower bound of log δ(ε) in the remove direction, for any number of
// steps, in closed form: the test "some step's output lies above its threshold" is
// post-processing, so
//
//	δ(ε) >= Π-complements: [1 - Π(1-P_p)^{T_p}] - e^ε [1 - Π(1-Q_p)^{T_p}],
//
// P_p, Q_p the chances of an output above x_p with and without the example. The thresholds
// put the likelihood ratio of one step at e^λ; any λ is valid. With rare large losses, where
// the integral may fail, one large step is all that matters and this is nearly the truth.
func (p *problem) floorDelta(epsilon, lambda float64) float64 {
	var sp, sq float64 // -log Π(1-P)^T and the like
	for _, w := range p.laws {
		s := w.sigma
		x := s*s*math.Log1p(math.Expm1(math.Min(lambda, 700))/w.q) + 0.5
		q0, q1 := math.Exp(logNormalSF(x/s)), math.Exp(logNormalSF((x-1)/s))
		pp := (1-w.q)*q0 + w.q*q1
		sp -= w.count * math.Log1p(-pp)
		sq -= w.count * math.Log1p(-q0)
	}
	with, without := -math.Expm1(-sp), -math.Expm1(-sq)
	d := with - without*math.Exp(epsilon)
	d -= 1e-12 * (with + without*math.Exp(epsilon)) // rounding, far above what it can be
	if !(d > 0) {
		return math.Inf(-1)
	}
	return math.Log(d)
}

// floorEpsilon returns a lower bound of ε at log δ: an ε with floorDelta above the target,
// the largest found by steps down from ceiling and bisection.
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

// bestFloor takes the best of a few thresholds: λ = ε is right for one step of few.
func (p *problem) bestFloor(epsilon float64) float64 {
	best := math.Inf(-1)
	for _, f := range [...]float64{0.4, 0.6, 0.8, 0.9, 0.97, 1, 1.1, 1.4, 2, 4, 10} {
		best = math.Max(best, p.floorDelta(epsilon, f*epsilon))
	}
	return best
}
