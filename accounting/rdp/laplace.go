package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Laplace returns the curve of Laplace noise of scale b = noiseMultiplier times the L1
// sensitivity:
//
//	RDP(α) = log( α/(2α-1) e^{(α-1)/b} + (α-1)/(2α-1) e^{-α/b} ) / (α-1)
//
// The terms of first order in 1/b cancel, so the excess over 1 is summed from
// h(v) = e^v - 1 - v instead, or, for (α-1)/b above 30, the terms' logarithms are added.
// The curve is at most 1/b, its limit for α -> +Inf. noiseMultiplier is b > 0. Rounding:
// about 1e-15 relative; the result is raised by 1e-14 of itself.
//
// Reference: Mironov (2017), arXiv:1702.07476v3, Proposition 6.
func Laplace(noiseMultiplier float64) Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(noiseMultiplier > 0) {
			return math.Inf(1)
		}
		epsilon := 1 / noiseMultiplier
		if epsilon == 0 {
			return positive(0, !math.IsInf(noiseMultiplier, 1))
		}
		if math.IsInf(epsilon, 1) || math.IsInf(order, 1) {
			return epsilon
		}
		up, down := (order-1)*epsilon, -order*epsilon
		wUp, wDown := order/(2*order-1), (order-1)/(2*order-1)
		var logMean float64
		if up < 30 {
			logMean = math.Log1p(wUp*expm1Minus(up) + wDown*expm1Minus(down))
		} else {
			logMean = numeric.Add(numeric.Log(wUp)+up, numeric.Log(wDown)+down)
		}
		return math.Min(epsilon, positive(logMean/(order-1)*(1+1e-14), true))
	}
}

// expm1Minus returns e^v - 1 - v, by its power series near 0.
func expm1Minus(v float64) float64 {
	if math.Abs(v) > 0.5 {
		return math.Expm1(v) - v
	}
	sum, term := 0.0, v
	for n := 2.0; n < 20; n++ {
		term *= v / n
		sum += term
	}
	return sum
}
