package law

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// maxLogWeight returns an upper bound on
//
//	ln W = max over u >= 0 of (λ-1) ln(κ + xu) - λ ln(1+u),  divided by λ-1,
//
// for the best x = e^e, with κ = 1 + odds δ(e); see tnb.MaxLogWeight. The maximum is at
// u = 0 if x <= λκ/(λ-1), and at u = λ-1 - λκ/x otherwise:
//
//	ln W = (λ-1) ln κ                                                x <= λκ/(λ-1)
//	ln W = (λ-1) ln(λ-1) - λ ln λ + λ ln x - ln(x-κ)                 otherwise
//
// Every e gives a valid bound. A golden-section search finds a good one, as the bound is flat near
// the best. With |x dδ/dx| <= 1 and κ <= 1+odds, setting the derivative to zero puts the best at x
// <= (λ+1)(1+odds)/(λ-1).
func maxLogWeight(odds, order float64, profile Profile) float64 {
	if math.IsInf(order, 1) || !profile.Quick {
		return profile.Crossing(odds)
	}
	a := order - 1
	weight := func(e float64) float64 {
		logKappa := math.Log1p(odds * profile.DeltaAt(e))
		excess := e + math.Log1p(-math.Exp(logKappa-e)) // ln(x-κ), NaN for x < κ
		if !(e > logKappa+math.Log1p(1/a)) {
			return logKappa
		}
		return numeric.Log(a) + (order*(e-numeric.Log(order))-excess)/a
	}
	return numeric.GoldenMinimum(weight, 0, math.Log1p(odds)+math.Log1p(2/a), 24)
}

// weightRounding bounds the rounding of maxLogWeight if its logarithms are at most some 40 in size.
// If they are larger, so is the result, and lastDigits of the price covers the rounding.
const weightRounding = 1e-14

// Crossing returns an upper bound on the root e* of
//
//	e^e - 1 = odds δ(e),
//
// It is tight to 1e-12 for quick profiles, and mostly to 1e-5 for others. The left side grows and
// the right side falls, so every e with left >= right is an upper bound. As δ <= 1, the root is at
// or below ln(1+odds). See crossingNear for slow profiles with a known quick one.
func (p Profile) Crossing(odds float64) float64 {
	gap := func(e float64) float64 {
		return numeric.Log(math.Expm1(e)) - numeric.Log(odds*p.DeltaAt(e))
	}
	if p.Near != nil && !p.Quick {
		if e, ok := crossingNear(gap, p.Near(odds)); ok {
			return e
		}
	}
	tolerance, limit := 1e-5, 12
	if p.Quick {
		tolerance, limit = 1e-12, 300
	}
	hi := math.Log1p(odds)
	lo := hi * (1 - tolerance)
	if hi < 1e-300 || gap(lo) < 0 { // parts of the first would underflow
		return hi
	}
	// From below: a profile far above the root may be slow.
	lo, hi = 0, hi/4096
	gapLo, gapHi := math.Inf(-1), gap(hi)
	for gapHi < 0 {
		lo, hi, gapLo = hi, 4*hi, gapHi
		gapHi = gap(hi)
	}
	return illinois(gap, lo, hi, gapLo, gapHi, tolerance, limit)
}

// illinois narrows [lo, hi], in which gap changes its sign from minus to plus. It takes some ten
// secant steps that halve the weight of an end that stays. It halves the interval if three of them
// did not. It returns the upper end, where gap >= 0.
func illinois(gap func(float64) float64, lo, hi, gapLo, gapHi, tolerance float64, limit int) float64 {
	width, side := hi-lo, 0
	for i := 1; hi-lo > tolerance*hi && i <= limit; i++ {
		mid := lo + (hi-lo)/2
		halve := false
		if i%3 == 0 {
			halve = hi-lo > width/2
			width = hi - lo
		}
		if !halve && !math.IsInf(gapLo, 0) && !math.IsInf(gapHi, 0) {
			margin := tolerance * hi / 3
			mid = math.Min(math.Max(hi-gapHi*(hi-lo)/(gapHi-gapLo), lo+margin), hi-margin)
		}
		if g := gap(mid); g >= 0 {
			hi, gapHi = mid, g
			if side == 1 {
				gapLo /= 2
			}
			side = 1
		} else {
			lo, gapLo = mid, g
			if side == -1 {
				gapHi /= 2
			}
			side = -1
		}
	}
	return hi
}

// crossingNear is Crossing from a start at or above the root. The root of a profile that is nowhere
// below is such a start. With u = ln e the gap grows at least as fast as u, so the root is at or
// above start e^-gap. About five secant steps in u find it, to 3e-5.
func crossingNear(gap func(e float64) float64, start float64) (e float64, ok bool) {
	if !(start > 0 && start < math.Inf(1)) {
		return 0, false
	}
	gapHi := gap(start)
	if !(gapHi >= 0) || math.IsInf(gapHi, 1) { // above the root? δ = 0?
		return 0, false
	}
	const tolerance, limit, longest = 3e-5, 12, 3
	hi := math.Nextafter(numeric.Log(start), math.Inf(1))
	lo := hi - gapHi // a bound, without asking
	u, lastU, lastGap := hi-math.Min(gapHi/2.5, longest), hi, gapHi
	for i := 0; gapHi > 3*tolerance && hi-lo > tolerance && i < limit; i++ {
		g := gap(math.Exp(u))
		if g >= 0 {
			hi, gapHi = u, g
		} else {
			lo = u
		}
		slope := (g - lastGap) / (u - lastU)
		lastU, lastGap = u, g
		if !(slope >= 1) || math.IsInf(slope, 0) {
			slope = 1
		}
		// A little to the right of the root, where the gap is positive.
		step := math.Max(-longest, math.Min(longest, -g/slope+tolerance/2))
		if u += step; !(u > lo && u < hi) {
			u = lo + (hi-lo)/2
		}
	}
	return math.Min(math.Exp(hi), start), true
}
