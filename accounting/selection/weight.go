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

// weightRounding bounds the rounding of maxLogWeight where its logarithms are at most some 40 in size;
// where they are larger so is the result, and lastDigits of the price covers it.
const weightRounding = 1e-14

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
