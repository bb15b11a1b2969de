package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// BoundedRange returns the least Rényi curve that holds for every mechanism of ε-bounded range,
// such as the exponential mechanism. Between neighbors the likelihood ratios of any two of its
// outputs differ by a factor of at most e^ε.
//
//	RDP(α) = log( s^{α-1} (1-c^α)/(α (1-c)) ) / (α-1),    c = e^{-ε},    s = (α-1)(1-c^α)/(α(c-c^α)),
//
// which is at most αε²/8 and at most ε, its limit for α -> +Inf. epsilon is >= 0.
//
// Proof. On one pair of neighbors the likelihood ratio r lies in [sc, s], 1 <= s <= e^ε, and has
// mean 1. r^α is convex, so that its mean is at most the value at 1 of the chord over that
// interval, which a mechanism with two outputs attains:
//
//	s^{α-1} ((1-c^α) - s(c-c^α))/(1-c).
//
// Its logarithm is concave in log s, and largest at the s above. That one lies in [1, e^ε]:
// (1-c^u)/u falls with u, and αc <= α-1+c^α. The family is closed under an exchange of the two
// laws.
//
// K(u) = log E r^u is 0 at 0 and 1. Its second derivative is the variance of log r under a tilted
// law. That is at most ε²/4, as log r lies in an interval of length ε. So K(u) - u(u-1)ε²/8 is
// concave, 0 at 0 and 1, and nowhere above 0 beyond. ∎
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
