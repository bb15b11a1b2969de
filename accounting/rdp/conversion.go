package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// Conversion is a theorem that turns a Rényi divergence at one order into an (ε, δ) guarantee. The
// zero value is the tighter of the two.
type Conversion int

const (
	// CanonneKamathSteinke is the best conversion from one order that holds for every pair of
	// distributions with that divergence, up to rounding of δ:
	//
	//	δ = exp((α-1)(RDP(α)-ε)) (1-1/α)^α / (α-1)
	//	ε = RDP(α) + log(1-1/α) - log(αδ)/(α-1)
	//
	// Reference: Canonne, Kamath, Steinke (2020), arXiv:2004.00010v4, Proposition 12.
	CanonneKamathSteinke Conversion = iota
	// Classic is the conversion of the paper that introduced the Rényi accountant:
	//
	//	δ = exp((α-1)(RDP(α)-ε))
	//	ε = RDP(α) - log(δ)/(α-1)
	//
	// It is never better. Use it to reproduce published numbers.
	//
	// Reference: Mironov (2017), arXiv:1702.07476v3, Proposition 3.
	Classic
)

// String returns the conversion's citation.
func (c Conversion) String() string {
	switch c {
	case CanonneKamathSteinke:
		return "conversion of Canonne, Kamath, Steinke 2020"
	case Classic:
		return "conversion of Mironov 2017"
	}
	return fmt.Sprintf("Conversion(%d)", int(c))
}

// Validate returns an error unless c is one of the named conversions.
func (c Conversion) Validate() error {
	if c != CanonneKamathSteinke && c != Classic {
		return fmt.Errorf("rdp: conversion %d: must be CanonneKamathSteinke or Classic", int(c))
	}
	return nil
}

// Epsilon returns the ε, in nats, that divergence at order implies at delta. It is never negative:
// δ(ε) does not grow with ε, so a negative solution means ε = 0.
//
// order must be > 1, divergence >= 0 in nats, delta in (0, 1). Any other argument returns +Inf. At
// an order very near 1 the result is large, never wrong.
func (c Conversion) Epsilon(order, divergence, delta float64) float64 {
	if !(order > 1) || !(divergence >= 0) || !(delta > 0 && delta < 1) || c.Validate() != nil {
		return math.Inf(1)
	}
	if math.IsInf(order, 1) || math.IsInf(divergence, 1) {
		return divergence // a divergence at order +Inf is pure differential privacy
	}
	return math.Max(0, atMost(divergence+(c.logFactor(order)-numeric.Log(delta))/(order-1)))
}

// Best returns the least ε at delta of a curve over all orders, and that order.
func (c Conversion) Best(curve Curve, delta float64) Best {
	return OverOrders(func(order float64) float64 {
		if epsilon := c.Epsilon(order, curve(order), delta); !math.IsNaN(epsilon) {
			return epsilon
		}
		return math.Inf(1)
	})
}

// LogDelta returns log δ, at most 0, that divergence at order implies at epsilon.
//
// order must be > 1, divergence >= 0 in nats, epsilon >= 0. Any other argument returns 0, which is
// δ = 1.
func (c Conversion) LogDelta(order, divergence, epsilon float64) float64 {
	if !(order > 1) || !(divergence >= 0) || !(epsilon >= 0) || c.Validate() != nil {
		return 0
	}
	if divergence == 0 {
		return math.Inf(-1) // the two distributions are equal
	}
	if math.IsInf(order, 1) || math.IsInf(divergence, 1) {
		if divergence <= epsilon && !math.IsInf(divergence, 1) {
			return math.Inf(-1)
		}
		return 0
	}
	logDelta := (order-1)*(divergence-epsilon) + c.logFactor(order)
	if math.IsNaN(logDelta) {
		return 0
	}
	return math.Min(0, logDelta)
}

// Divergence returns the largest divergence at order that Epsilon turns into at most the target:
// the formula solved the other way. It is negative if there is none.
//
// order must be > 1, the target's ε >= 0 and its δ in (0, 1). Any other argument returns -Inf.
func (c Conversion) Divergence(order float64, target accounting.Target) float64 {
	epsilon, delta := target.Epsilon, target.Delta
	if !(order > 1) || !(epsilon >= 0) || !(delta > 0 && delta < 1) || c.Validate() != nil {
		return math.Inf(-1)
	}
	if math.IsInf(order, 1) {
		return epsilon
	}
	return epsilon - (c.logFactor(order)-numeric.Log(delta))/(order-1)
}

// logFactor returns the logarithm of δ / exp((α-1)(RDP(α)-ε)).
//
//	Classic               0
//	CanonneKamathSteinke  log( (1-1/α)^α / (α-1) ) = (α-1) log(1-1/α) - log α
//
// The right-hand form is finite for α -> 1, where it goes to 0. With a = α-1, 1-1/α = a/(1+a) is
// computed without cancellation.
func (c Conversion) logFactor(order float64) float64 {
	if c == Classic {
		return 0
	}
	a := order - 1
	return -a*math.Log1p(1/a) - numeric.Log(order)
}

// LogTotalVariation returns log δ, at most 0, that divergence at any order > 1 implies at every ε
// >= 0, by the total variation distance:
//
//	δ <= TV <= √(1 - exp(-KL)) <= √(1 - exp(-RDP(α)))
//
// Use it for mechanisms that cost almost nothing, where the conversions at ε = 0 are poor.
// divergence is >= 0 in nats. Any other argument returns 0.
//
// Reference: Bretagnolle and Huber (1979), as in Canonne (2022), arXiv:2202.07198v1; KL <= RDP(α):
// van Erven and Harremoës (2014), arXiv:1206.2459v2, Theorem 3.
func LogTotalVariation(divergence float64) float64 {
	if !(divergence >= 0) {
		return 0
	}
	return numeric.Log(-math.Expm1(-divergence)) / 2
}
