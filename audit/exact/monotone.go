package exact

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// slack is added to the rounding error of two logarithms of densities.
const slack = 1e-10

// crossing returns a <= b, both >= 0. The likelihood ratio of the worlds at u is at most e^ε below
// a and at least e^ε above b, except for rounding of its logarithm. Between the two it is within
// e^(±slack) of e^ε.
//
// For Away and Constant the ratio grows with u. d grows with u, and so a step is a kernel φ_s(y -
// d(x)) that is totally positive of order 2 in (x, y). Composition with such a kernel keeps the
// order of monotone likelihood ratios that the first step has.
//
// Reference: Karlin (1968), Total Positivity, Chapter 1 (basic composition formula).
func (l Law) crossing(epsilon float64) (a, b float64) {
	bisect := func(level float64) (low, high float64) {
		low, high = 0, l.reach
		for high-low > 1e-12*l.reach {
			if middle := low + (high-low)/2; l.loss(middle) < level {
				low = middle
			} else {
				high = middle
			}
		}
		return low, high
	}
	margin := slack + 2*l.relErr
	a, _ = bisect(epsilon - margin)
	_, b = bisect(epsilon + margin)
	return a, b
}

// monotoneDelta returns δ(ε) as the gain of the best threshold a: for every a
//
//	P[u > a | canary] - e^ε P[u > a | no canary] <= δ(ε),
//
// with equality at the crossing. Between the two ends of the bracket, f = p1 - e^ε p0 is at most
// 2(slack + rounding) p1.
func (l Law) monotoneDelta(epsilon float64) (lower, upper float64) {
	a, b := l.crossing(epsilon)
	hit, miss := l.under(-b), l.above(b)
	between := math.Max(0, l.under(-a)-hit)
	tpr, fpr := l.bounds(hit), l.bounds(miss)
	lower = tpr[0] - math.Exp(epsilon)*fpr[1]
	upper = tpr[1] - math.Exp(epsilon)*fpr[0] + 2*(slack+2*l.relErr)*between + l.relErr*hit
	return math.Max(0, lower), math.Min(1, math.Max(0, upper))
}

// monotoneTPR returns the greatest true positive rate at a false positive rate in (0, 1). It is the
// rate of the threshold with this false positive rate.
func (l Law) monotoneTPR(fpr float64) (lower, upper float64) {
	low, high := -l.reach, l.reach // above(low) >= fpr > above(high)
	for high-low > 1e-13*l.reach {
		middle := low + (high-low)/2
		if l.above(middle) >= fpr {
			low = middle
		} else {
			high = middle
		}
	}
	// Step outwards until the bounds hold.
	step := 1e-13 * l.reach
	for s := step; low > -l.reach && l.bounds(l.above(low))[0] < fpr; s *= 2 {
		low -= s
	}
	for s := step; high < l.reach && l.bounds(l.above(high))[1] > fpr; s *= 2 {
		high += s
	}
	lower, upper = l.bounds(l.under(-high))[0], 1
	if l.bounds(l.above(low))[0] >= fpr {
		upper = l.bounds(l.under(-low))[1]
	}
	if l.bounds(l.above(high))[1] > fpr {
		lower = 0
	}
	return lower, upper
}

// loss is the logarithm of the likelihood ratio at u.
func (l Law) loss(u float64) float64 {
	with, without := l.density(-u), l.density(u)
	if without == 0 { // far outside, where no mass is
		return math.Inf(1)
	}
	return numeric.Log(with) - numeric.Log(without)
}

// guessEpsilon returns about the ε with δ(ε) = delta, or 0. It is the likelihood ratio at the
// threshold a where the gain against it is delta.
func (l Law) guessEpsilon(delta float64) float64 {
	low, high := 0.0, l.reach
	for high-low > 1e-13*l.reach {
		a := low + (high-low)/2
		if loss := l.loss(a); !math.IsInf(loss, 1) && l.under(-a)-math.Exp(loss)*l.above(a) > delta {
			low = a
		} else {
			high = a
		}
	}
	loss := l.loss(low)
	return math.Max(0, math.Min(loss, maxEpsilon))
}
