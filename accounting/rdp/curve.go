// Package rdp accounts for privacy with Rényi divergences. It has curves of mechanisms, their
// composition (a sum), and named conversions to (ε, δ). The Poisson-sampled Gaussian is exact at
// every real order. So the search over orders is continuous and needs no grid of orders.
//
// Two things are left out on purpose: lower bounds, and curves of approximate (δ > 0) Rényi
// guarantees. [Accountant] subtracts approximate differential privacy from δ instead. Neighbors
// differ by one added or removed example unless another relation is chosen. Every curve holds for
// both directions.
//
//	step := rdp.SampledGaussian(0.01, 2)          // q, σ
//	g, err := rdp.NewAccountant().EpsilonOf(rdp.Scale(step, 5000), 1e-5)
//	if err != nil { ... }
//	fmt.Println(g.Epsilon.Upper, g.Method)
//
// It promises nothing to other modules.
package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Curve is the Rényi divergence, in nats, of one mechanism as a function of its order. It is an
// upper bound, for both directions of the neighboring relation, at every real order > 1. +Inf is a
// valid value ("no bound at this order"); NaN is not allowed.
//
// The curves of this package return +Inf at an order that is not greater than 1, and for parameters
// outside their stated range. So a wrong call never makes a mechanism look more private. FromEvent
// checks parameters and returns errors.
//
// A Curve may be slow away from the integers. A search over orders should evaluate it once per
// order and keep the values.
type Curve func(order float64) float64

// Gaussian returns the curve of one release of a vector of L2 sensitivity 1 with normal noise of
// standard deviation noiseMultiplier in each coordinate.
//
//	RDP(α) = α/(2σ²)
//
// noiseMultiplier is σ > 0.
//
// Reference: Mironov (2017), arXiv:1702.07476v3, Corollary 3.
func Gaussian(noiseMultiplier float64) Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(noiseMultiplier > 0) {
			return math.Inf(1)
		}
		return positive(order/2/noiseMultiplier/noiseMultiplier, !math.IsInf(noiseMultiplier, 1))
	}
}

// ZCDP returns the curve of a mechanism that satisfies ρ-zero-concentrated differential
// privacy: RDP(α) = ρα. rho is in nats, >= 0.
//
// Reference: Bun and Steinke (2016), arXiv:1605.02065v1, Definition 1.1.
func ZCDP(rho float64) Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(rho >= 0) {
			return math.Inf(1)
		}
		return atMost(rho * order)
	}
}

// PureDP returns the least curve that holds for every mechanism with (ε, 0)-differential privacy in
// both directions, that of randomized response:
//
//	RDP(α) = log( (e^{αε} + e^{(1-α)ε}) / (1 + e^ε) ) / (α-1)
//	       = log( 1 + (e^{(α-1)ε} - 1)(1 - e^{-αε}) / (1 + e^{-ε}) ) / (α-1)
//
// It is at most ε, its limit for α -> +Inf. epsilon is >= 0. The second form is computed, as it has
// no cancellation.
//
// Proof. The likelihood ratio r lies in [e^{-ε}, e^ε] and has mean 1. r^α is convex, so it lies
// under its chord over that interval. The chord's value at 1 is the fraction above.
//
// Reference: Mironov (2017), arXiv:1702.07476v3, Proposition 5 (randomized response).
func PureDP(epsilon float64) Curve {
	return func(order float64) float64 {
		if !(order > 1) || !(epsilon >= 0) {
			return math.Inf(1)
		}
		if epsilon == 0 || math.IsInf(epsilon, 1) || math.IsInf(order, 1) {
			return epsilon
		}
		logExcess := numeric.LogExpm1((order-1)*epsilon) +
			numeric.Log1mExp(-order*epsilon) - math.Log1p(math.Exp(-epsilon))
		return math.Min(epsilon, atMost(numeric.Log1pExp(logExcess)/(order-1)))
	}
}

// Scale returns the curve of count runs of the mechanism of curve. Each run may depend on earlier
// outputs. count is at least 0; 0 runs cost 0.
//
// Reference: Mironov (2017), arXiv:1702.07476v3, Proposition 1.
func Scale(curve Curve, count int) Curve {
	return scale(curve, float64(count))
}

func scale(curve Curve, count float64) Curve {
	return func(order float64) float64 {
		switch {
		case !(order > 1) || !(count >= 0):
			return math.Inf(1)
		case count == 0:
			return 0
		}
		return atMost(count * curve(order))
	}
}

// Sum returns the curve of the mechanisms of curves run one after the other. Each may depend on
// earlier outputs. No curves cost 0. The sum is rounded up.
//
// Reference: Mironov (2017), arXiv:1702.07476v3, Proposition 1.
func Sum(curves ...Curve) Curve {
	return func(order float64) float64 {
		if !(order > 1) {
			return math.Inf(1)
		}
		total := 0.0
		for _, curve := range curves {
			total += curve(order)
		}
		return atMost(total * (1 + float64(len(curves)-1)*unit))
	}
}

// atMost returns x, or +Inf for NaN, which bounds nothing.
func atMost(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// positive returns x, but never 0 if there is a cost. A divergence that underflows is rounded up,
// because √x bounds δ and does not underflow.
func positive(x float64, cost bool) float64 {
	if x == 0 && cost {
		return math.SmallestNonzeroFloat64
	}
	return atMost(x)
}

// Max returns the curve of a mechanism whose divergence is, for each pair of neighbors, at most
// that of one of curves: see accounting.Parallel and accounting.WorstCase. No curves cost 0.
//
// For WorstCase the bound is the joint quasi-convexity of Rényi divergences (van Erven and
// Harremoës (2014), arXiv:1206.2459v2, Theorem 13): a mixture over a choice that both data sets
// share diverges by at most the worst of its parts. Koskela and Kulkarni (NeurIPS 2023) have it as
// Lemma 9, and Parallel as Corollary 13.
func Max(curves ...Curve) Curve {
	return func(order float64) float64 {
		if !(order > 1) {
			return math.Inf(1)
		}
		largest := 0.0
		for _, curve := range curves {
			largest = max(largest, atMost(curve(order)))
		}
		return largest
	}
}
