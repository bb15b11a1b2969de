package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Laplace returns the curve of Laplace noise of scale b = noiseMultiplier times the L1 sensitivity:
//
//	RDP(α) = log( α/(2α-1) e^{(α-1)/b} + (α-1)/(2α-1) e^{-α/b} ) / (α-1)
//
// noiseMultiplier is b > 0. The curve is at most 1/b, its limit for α -> +Inf. The rounding error
// is about 1e-15 relative; the result is raised by 1e-14 of itself.
//
// The terms of first order in 1/b cancel, so the excess over 1 is summed from h(v) = e^v - 1 - v
// instead. For (α-1)/b above 30 the terms' logarithms are added.
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

// BoundedRange returns the least Rényi curve that holds for every mechanism of ε-bounded range,
// such as the exponential mechanism. Between neighbors the likelihood ratios of any two of its
// outputs differ by a factor of at most e^ε.
//
//	RDP(α) = log( s^{α-1} (1-c^α)/(α (1-c)) ) / (α-1),    c = e^{-ε},    s = (α-1)(1-c^α)/(α(c-c^α)),
//
// It is at most αε²/8 and at most ε, its limit for α -> +Inf. epsilon is >= 0.
//
// Proof. On one pair of neighbors the likelihood ratio r lies in [sc, s], 1 <= s <= e^ε, and has
// mean 1. r^α is convex, so its mean is at most the value at 1 of the chord over that interval. A
// mechanism with two outputs attains that value:
//
//	s^{α-1} ((1-c^α) - s(c-c^α))/(1-c).
//
// Its logarithm is concave in log s, and largest at the s above. That one lies in [1, e^ε]:
// (1-c^u)/u falls with u, and αc <= α-1+c^α. The family is closed under an exchange of the two
// laws.
//
// K(u) = log E r^u is 0 at 0 and 1. Its second derivative is the variance of log r under a tilted
// law. That is at most ε²/4, as log r lies in an interval of length ε. So K(u) - u(u-1)ε²/8 is
// concave and 0 at 0 and 1, and at most 0 beyond. ∎
//
// Reference: derived here; bounded range by Durfee and Rogers (2019), arXiv:1905.04273; the two
// outputs are those of Dong, Durfee and Rogers (2020), arXiv:1909.13830.
func BoundedRange(epsilon float64) Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(epsilon >= 0) {
			return math.Inf(1)
		}
		if epsilon == 0 || math.IsInf(epsilon, 1) || math.IsInf(order, 1) {
			return epsilon
		}
		a := order - 1
		whole, most, less := numeric.Log1mExp(-epsilon), numeric.Log1mExp(-order*epsilon), numeric.Log1mExp(-a*epsilon)
		shift := -math.Log1p(1 / a)
		moment := a*(shift+most+epsilon-less) + most - math.Log1p(a) - whole
		rounding := 16 * unit * (a*(math.Abs(shift)+math.Abs(most)+epsilon+math.Abs(less)) + math.Abs(most) + math.Log1p(a) + math.Abs(whole))
		normal := positive(order*(epsilon/8)*epsilon*(1+4*unit), true)
		return math.Min(math.Min(epsilon, normal), math.Max(atMost((moment+rounding)/a), math.SmallestNonzeroFloat64))
	}
}
