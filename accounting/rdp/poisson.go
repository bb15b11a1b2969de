package rdp

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
)

// Poisson samples of mechanisms other than Gaussians. (For Gaussians SampledGaussian is exact.)
//
// Hidden samples (add-or-remove-one, replace-special). A run without the example is one of the two
// laws. Let (P, Q) dominate the mechanism, with and without the example. Then ((1-q) Q + q P, Q)
// and its reverse dominate the sampled one (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 11).
// At an integer order α the binomial theorem gives
//
//	e^{(α-1) RDP(α)} = E_Q (1-q+q P/Q)^α
//	                 = 1 + Σ_{k=2..α} C(α,k) (1-q)^{α-k} q^k (e^{(k-1) D_k(P‖Q)} - 1).
//
// This rises with every D_k, so bounds of these may replace them. Between integers (α-1) RDP(α),
// which is convex and 0 at α = 1, is at most linear. RDP(α) is at most RDP(∞) = log(1-q+q e^{D_∞})
// as well.
//
// The reverse is never farther if the pair is symmetric: the law of r = P/Q under Q is that of 1/r
// under P. (Mironov, Talwar, Zhang 2019, Theorem 5, for an exchange of the two laws that is its own
// inverse.)
//
// Proof. Let u = 1-q+qr, v = 1-q+q/r and φ(x) = x^α - x^{1-α}. The difference of both moments is
// E_Q φ(u), and by symmetry half of E_Q (φ(u) + r φ(v)). For r >= 1 let x = u-1 = q(r-1) and y =
// 1-v = x/r, which is at most x/(1+x) as x <= r-1. The function -φ(1-y) is convex and 0 at 0. So
// -φ(1-y)/y is at most its value at y = x/(1+x), which is φ(1+x)/x. Hence r (-φ(v)) <= r y φ(u)/x =
// φ(u). For r < 1 exchange r and 1/r.
//
// Samples that may be shown (replace-one). An event bounds how far apart two runs are in which
// the record is replaced. It has no information about runs without the record. With chance 1-q
// both data sets give the same run. Otherwise they give two that (P, Q) dominates. So the pair (q
// P, q Q) with an outcome "not in the sample" of chance 1-q under both laws dominates. It is
// attained if the outputs reveal the sample:
//
//	e^{(α-1) RDP(α)} = 1-q + q e^{(α-1) D_α(P‖Q)}.
//
// A ClippedSum hides the sample, and replaced.go has the curve of its exact pair. If it is one of
// several events on the sample, the curve above is an upper bound.

// hiddenSample returns the curve of a Poisson sample of a mechanism with a symmetric dominating
// pair. curve bounds its divergences. rate is in (0, 1].
func hiddenSample(curve Curve, rate float64) Curve {
	excess := make([]float64, maxSumOrder+1) // log(e^{(k-1) D_k} - 1)
	for k := 2; k < len(excess); k++ {
		excess[k] = numeric.LogExpm1(float64(k-1) * curve(float64(k)))
	}
	moment := func(order float64) float64 { // (α-1) RDP(α)
		if order < 2 {
			return 0
		}
		return numeric.Log1pExp(binomialExcess(rate, int(order), func(k float64) float64 { return excess[int(k)] }))
	}
	largest := shown(curve, rate, math.Inf(1))
	return func(order float64) float64 {
		bound := math.Min(curve(order), largest)
		if !(order > 1) || order > maxSumOrder {
			return bound
		}
		below := math.Floor(order)
		m := moment(below)
		if order > below {
			m += (order - below) * (moment(below+1) - m)
		}
		return math.Min(bound, positive(m/(order-1)*(1+roundingMargin), true))
	}
}

// shownSample returns the curve of a Poisson sample that the outputs may reveal.
func shownSample(curve Curve, rate float64) Curve {
	return func(order float64) float64 { return shown(curve, rate, order) }
}

func shown(curve Curve, rate, order float64) float64 {
	bound := curve(order)
	if !(order > 1) || math.IsInf(bound, 1) {
		return bound
	}
	scale := order - 1
	if math.IsInf(order, 1) {
		scale = 1
	}
	logMoment := numeric.Log1pExp(numeric.Log(rate) + numeric.LogExpm1(scale*bound))
	return math.Min(bound, positive(logMoment/scale*(1+roundingMargin), bound > 0))
}

// Any other mechanism uses PoissonAmplified, which is the same sum for both directions, and needs
// no symmetry.

// symmetric reports whether a symmetric pair dominates each neighboring pair of an event. Noise and
// randomized response have such pairs, and products of them are symmetric. A sample has none.
func symmetric(event accounting.Node) bool {
	switch event.Shape {
	case accounting.Repetition, accounting.Sequence, accounting.Either:
		return !slices.ContainsFunc(event.Children, func(inner accounting.Node) bool { return !symmetric(inner) })
	}
	switch event.Event.(type) {
	case accounting.Gaussian, accounting.Laplace, accounting.RandomizedResponse, accounting.PureDP, accounting.PermuteAndFlip, accounting.ApproxDP, accounting.NonPrivate:
		return true
	}
	return false
}

// addSampled adds a mechanism on a Poisson sample.
//
// If the mechanism is µ-GDP, its outputs on two neighbors are one randomized function of a draw
// from N(0, 1) or from N(µ, 1) (Blackwell's theorem; Dong, Roth, Su 2019, arXiv:1905.02383v3,
// Section 2). The same function maps their mixtures. So the curve is that of a sampled Gaussian
// with σ = 1/µ.
func (s *steps) addSampled(sample accounting.Node, times float64) error {
	rate, sampled := sample.Rate, sample.Children[0]
	hidden := s.relation != accounting.ReplaceOne
	if mu, err := gdp.MuTo(s.asked.Part(sampled)); err == nil && hidden {
		s.addStep(step{rate: rate, noiseMultiplier: math.Min(1/mu, math.MaxFloat64)}, times)
		return nil
	}
	if sum, ok := sampled.Event.(accounting.ClippedSum); ok && !hidden {
		s.addStep(step{rate: rate, noiseMultiplier: sum.NoiseMultiplier, replaced: true}, times)
		return nil
	}
	if !hidden { // a ClippedSum that the sample keeps, among others
		sampled = sampled.Lowered(s.relation)
	}
	curve, logKeep, err := approximate(s.asked.Part(sampled))
	if err != nil {
		return err
	}
	s.logKeep += times * math.Log1p(rate*math.Expm1(logKeep))
	switch {
	case !hidden:
		curve = shownSample(curve, rate)
	case symmetric(sampled):
		curve = hiddenSample(curve, rate)
	default:
		if curve, err = PoissonAmplified(curve, rate); err != nil {
			return err
		}
	}
	s.addCurve(curve, times)
	return nil
}
