package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

const (
	// maxSumOrder is the largest integer order that is summed term by term. Above it the quadrature is
	// as exact, and its cost does not grow with the order.
	maxSumOrder = 256
	// maxQuadratureOrder is the largest order that is integrated. Above it the result is the plain
	// Gaussian's α/(2σ²), which is always an upper bound.
	maxQuadratureOrder = 1e12
	// roundingMargin is the relative amount added to computed divergences. It covers sums of some
	// hundred positive terms. A term itself errs by more if huge logarithms cancel, those of a tiny
	// probability and of a huge ratio. Each term is raised by its error separately.
	roundingMargin = 2e-12
	unit           = 0x1p-53 // relative error of one rounded operation
	// Noise multipliers from leastSigma to mostSigma are integrated. Outside, squares of σ would
	// underflow or overflow, and the plain Gaussian's α/(2σ²) is returned. Below the range its excess
	// is at most α/(α-1) log(1/q), as log A >= α log q + α(α-1)/(2σ²). Above the range it is below
	// 1e-188.
	leastSigma, mostSigma = 1e-9, 1e100
)

// SampledGaussian returns the Rényi divergence, in nats, of one step of the Poisson-sampled
// Gaussian mechanism, at every real order > 1.
//
//	RDP(α) = log(A) / (α-1)
//	A      = E[ (1+u)^α ],  u = q (exp((2x-1)/(2σ²)) - 1),  x ~ N(0, σ²)
//
// samplingRate is q in [0, 1], noiseMultiplier is σ > 0. Neighbors differ by one added or removed
// example.
//
// Special cases are:
//
//	q = 0      returns 0
//	σ = 0      returns +Inf (q > 0)
//	q = 1      returns α/(2σ²)
//
// Above order 1e12, and for σ outside [1e-9, 1e100], the curve is α/(2σ²).
//
// Computing it. E[u] = 0, so A - 1 = E[(1+u)^α - 1 - αu], the mean of a value that is never
// negative: neither small q nor large σ cancels. At an integer order up to 256 the mean is the
// binomial sum
//
//	A - 1 = Σ_{k=2..α} C(α,k) (1-q)^(α-k) q^k (exp((k²-k)/(2σ²)) - 1).
//
// At every other order it is a Gauss-Legendre quadrature; a bound on the parts cut off is added.
// Both are exact to rounding, and raised by a bound of it: 2e-12 of their value in ordinary cases,
// more if α log(1/q) is in the thousands.
//
// Directions. A is the divergence of the mixture from the plain normal (the example is removed).
// The opposite divergence is never larger, by Theorem 5 of the reference. It needs a map that is
// its own inverse and exchanges the two normals, here x -> 1-x. By its Theorem 4 one dimension is
// the worst case.
//
// Cost is O(α) at integer orders up to 256, some tens of microseconds elsewhere.
//
// Reference: Mironov, Talwar, Zhang (2019), arXiv:1908.10530v1, Sections 3.1 to 3.3.
func SampledGaussian(samplingRate, noiseMultiplier float64) Curve {
	q, sigma := samplingRate, noiseMultiplier
	plain := Gaussian(sigma)
	return func(order float64) float64 {
		switch {
		case !(order > 1) || !(q >= 0 && q <= 1) || !(sigma >= 0):
			return math.Inf(1)
		case q == 0 || math.IsInf(sigma, 1) && !math.IsInf(order, 1):
			return 0
		}
		// The mixture is at most as far from the plain normal as its shifted part: the divergence is
		// quasi-convex (van Erven and Harremoës 2014, arXiv:1206.2459v2, Theorem 13).
		bound := plain(order)
		if q == 1 || math.IsInf(bound, 1) || order > maxQuadratureOrder || sigma < leastSigma || sigma > mostSigma {
			return bound
		}
		var logExcess float64 // log(A - 1)
		if order <= maxSumOrder && order == math.Floor(order) {
			logExcess = sampledSum(q, sigma, int(order))
		} else {
			logExcess = sampledQuadrature(q, sigma, order)
		}
		divergence := numeric.Log1pExp(logExcess) / (order - 1) * (1 + roundingMargin)
		return math.Min(bound, positive(divergence, true))
	}
}

// sampledSum returns log(A - 1) at an integer order, at least 2, by the binomial sum. q is in (0,
// 1).
func sampledSum(q, sigma float64, order int) float64 {
	return binomialExcess(q, order, func(k float64) float64 { return numeric.LogExpm1(k * (k - 1) / 2 / sigma / sigma) })
}

// binomialExcess returns log Σ_{k=2..n} C(n,k) (1-q)^{n-k} q^k e^{excess(k)}, where excess errs by
// 4 units of itself. n is at most maxSumOrder, so no C(n,k) overflows.
func binomialExcess(q float64, order int, excess func(k float64) float64) float64 {
	n := float64(order)
	logIn, logOut := numeric.Log(q), math.Log1p(-q)
	choose := n
	sum := numeric.NewSum()
	for k := 2.0; k <= n; k++ {
		choose *= (n - k + 1) / k // to 2k units
		logChoose, in, out, e := numeric.Log(choose), k*logIn, (n-k)*logOut, excess(k)
		size := 1 + k/2 + logChoose - in - out + math.Abs(e)
		sum.Add(logChoose + in + out + e + 4*unit*size)
	}
	return sum.Log()
}
