package selection

import "math"

// maxLogWeight returns an upper bound on
//
//	ln W = max over u >= 0 of (λ-1) ln(κ + xu) - λ ln(1+u),  divided by λ-1,
//
// for the best x = e^e, with κ = 1 + odds δ(e); see TNB.MaxLogWeight. The maximum is at
// u = 0 if x <= λκ/(λ-1), and at u = λ-1 - λκ/x otherwise:
//
//	ln W = (λ-1) ln κ                                                x <= λκ/(λ-1)
//	ln W = (λ-1) ln(λ-1) - λ ln λ + λ ln x - ln(x-κ)                 otherwise
//
// Every e gives a valid bound; a golden-section search takes a good one, flat at the best. Setting the
// derivative to zero, with |x dδ/dx| <= 1 and κ <= 1+odds, puts it at x <=
// (λ+1)(1+odds)/(λ-1).
func maxLogWeight(odds, order float64, profile Profile) float64 {
	if math.IsInf(order, 1) || !profile.quick {
		return crossing(odds, profile)
	}
	a := order - 1
	weight := func(e float64) float64 {
		logKappa := math.Log1p(odds * profile.DeltaAt(e))
		excess := e + math.Log1p(-math.Exp(logKappa-e)) // ln(x-κ), NaN for x < κ
		if !(e > logKappa+math.Log1p(1/a)) {
			return logKappa
		}
		return math.Log(a) + (order*(e-math.Log(order))-excess)/a
	}
	return goldenMinimum(weight, 0, math.Log1p(odds)+math.Log1p(2/a), 24)
}

// goldenMinimum returns the least value of f that a golden-section search on [a, b] sees.
func goldenMinimum(f func(float64) float64, a, b float64, steps int) float64 {
	const ratio = 0.6180339887498949 // (√5-1)/2
	left, right := b-ratio*(b-a), a+ratio*(b-a)
	fLeft, fRight := f(left), f(right)
	best := math.Min(f(a), math.Min(fLeft, fRight))
	for range steps {
		if fLeft <= fRight {
			b, right, fRight = right, left, fLeft
			left = b - ratio*(b-a)
			fLeft = f(left)
		} else {
			a, left, fLeft = left, right, fRight
			right = a + ratio*(b-a)
			fRight = f(right)
		}
		best = math.Min(best, math.Min(fLeft, fRight))
	}
	return best
}

// crossing returns an upper bound on the root e* of
//
//	e^e - 1 = odds δ(e),
//
// tight to 1e-12 for quick profiles and mostly to 1e-7 for others. The left side grows and the
// right side falls, so that every e with left >= right is an upper bound; δ <= 1 puts the
// root at or below ln(1+odds). The search takes Illinois steps on the logarithms, about
// ten, and halves the bracket when three of them did not.
func crossing(odds float64, profile Profile) float64 {
	gap := func(e float64) float64 {
		return math.Log(math.Expm1(e)) - math.Log(odds*profile.DeltaAt(e))
	}
	tolerance, limit := 1e-7, 12
	if profile.quick {
		tolerance, limit = 1e-12, 300
	}
	hi := math.Log1p(odds)
	lo := hi * (1 - tolerance)
	if gap(lo) < 0 {
		return hi
	}
	// From below: a profile far above the root may be slow.
	lo, hi = 0, hi/4096
	gapLo, gapHi := math.Inf(-1), gap(hi)
	for gapHi < 0 {
		lo, hi, gapLo = hi, 4*hi, gapHi
		gapHi = gap(hi)
	}
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
