package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/rdp"
)

// Curve returns the Rényi curve, in nats, that the theorem of AboveThreshold gives:
//
//	RDP(α) = m Laplace_ε1(α) + c [ ε2 - ln(1 + e^-ε2 - e^(-α ε2))/(α-1) ]
//
// The bracket is the divergence of J from J': its moment is the v with
// v = p0^α q0^(1-α) + (1-p0)^α (1-q0)^(1-α) v. At α -> 1 it is ε2 (1 - e^-ε2), at α -> +Inf ε2.
func (e AboveThreshold) Curve() rdp.Curve {
	return rdp.Sum(
		rdp.Scale(rdp.Laplace(1/e.ThresholdEpsilon()), e.Thresholds()),
		rdp.Scale(firstPositive(e.PositiveEpsilon()), e.MaxPositives))
}

// firstPositive returns the Rényi divergence of J from J'. With s = e^-ε:
//
//	(α-1) D = (α-1) ε - ln(1 + s - s^α)
//	        = ln(1 + (e^((α-1)ε) - 1)(1 - s^α) / (1 + s (1 - e^-((α-1)ε))))
//
// since s e^-((α-1)ε) = s^α. The second form has no cancellation; it is raised by 1e-14 of itself.
func firstPositive(epsilon float64) rdp.Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(epsilon >= 0) {
			return math.Inf(1)
		}
		if math.IsInf(order, 1) || epsilon == 0 {
			return epsilon
		}
		a := (order - 1) * epsilon
		factor := -math.Expm1(-order*epsilon) / (1 - math.Exp(-epsilon)*math.Expm1(-a))
		exponent := math.Log1p(math.Expm1(a) * factor)
		if a > 30 {
			exponent = a + math.Log(math.Exp(-a)-math.Expm1(-a)*factor)
		}
		return math.Min(epsilon, exponent/(order-1)*(1+1e-14))
	}
}
