package selection

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Proposition15 returns the bound of the proposition at one q and r in [1, +Inf], with 1/q + 1/r at
// most 1:
//
//	ε'(λ) = (u+1)/(λ-1) ε(r(u+1)+1) + u/(λ-1) ε(u+1) + (1+1/r)/(λ-1) ln(1/Q(S)),  u = λ-2+1/q >= 0
//
// It bounds a mechanism that is run until its output falls into a fixed set S. One run must do so
// with chance at least successProbability, in (0, 1], on every data set. Orders below 2-1/q return
// +Inf. At order +Inf it is 2ε(+Inf), for every q and r. The inequalities of Corollary 16 are, one
// after the other, this one at
//
//	λ = +Inf    q = +Inf, r = 1    q = r = +Inf    q = 1, r = +Inf    q = +Inf
//
// Derived again. e^((λ-1)D(Q_S‖Q'_S)) = Q(S)^-λ Q'(S)^(λ-1) ∫_S Q^λ Q'^(1-λ). By Hölder, with 1/p =
// 1-1/q-1/r, the integral is at most Q(S)^(1/p) Q'(S)^(1/q) e^((u+1)ε(r(u+1)+1)). Moreover
// Q'(S)^(u+1) Q(S)^-u <= e^(uε(u+1)) for u >= 0, as S is a post-processing. ∎
//
// Reference: Papernot and Steinke (ICLR 2022), Proposition 15.
func Proposition15(curve rdp.Curve, successProbability, q, r float64) (rdp.Curve, error) {
	f := check.In("selection: Proposition15: ")
	f.That(q >= 1, "q", q, "must be in [1, +Inf]")
	f.That(r >= 1, "r", r, "must be in [1, +Inf]")
	f.That(f.Err() != nil || 1/q+1/r <= 1+1e-15, "1/q + 1/r", 1/q+1/r, "must be at most 1")
	if err := errors.Join(validateConditional(curve, successProbability), f.Err()); err != nil {
		return nil, err
	}
	return func(order float64) float64 { return proposition15(curve, successProbability, q, r, order) }, nil
}

func proposition15(curve rdp.Curve, successProbability, q, r, order float64) float64 {
	a := order - 1
	shifted := a + math.Min(1/q, 1-1/r) // u + 1; the right one is less only by rounding
	switch {
	case !(order > 1 && shifted >= 1):
		return math.Inf(1)
	case math.IsInf(order, 1):
		return 2 * curve(order)
	}
	value := shifted/a*curve(r*shifted+1) - (1+1/r)*numeric.Log(successProbability)/a
	if shifted > 1 {
		value += (shifted - 1) / a * curve(shifted)
	}
	return numeric.Lesser(math.Inf(1), value)
}

// Corollary16 returns the fifth inequality of the corollary at one r in [1, +Inf], as published:
//
//	ε'(λ) = ε(r(λ-1)+1) + (λ-2)/(λ-1) ε(λ-1) + (1+1/r)/(λ-1) ln(1/Q(S)),  λ >= 2
//
// It is [Proposition15] at q = +Inf. r = 1 is the second inequality, and r = +Inf the third. See
// [ConditionalLeast].
//
// Reference: Papernot and Steinke (ICLR 2022), Corollary 16.
func Corollary16(curve rdp.Curve, successProbability, r float64) (rdp.Curve, error) {
	return Proposition15(curve, successProbability, math.Inf(1), r)
}

// ConditionalLeast returns the least of the second and the fifth inequality of Corollary 16, over
// all r. At each order it is the least over that order and all larger ones, as divergences do not
// fall with the order. It asks the curve some thousand times.
func ConditionalLeast(curve rdp.Curve, successProbability float64) (rdp.Curve, error) {
	if err := validateConditional(curve, successProbability); err != nil {
		return nil, err
	}
	return monotone(func(order float64) float64 {
		at := func(logR float64) float64 {
			return proposition15(curve, successProbability, math.Inf(1), math.Exp(logR), order)
		}
		const span = 20 // of ln r
		least, best := math.Inf(1), 0.0
		for logR := 0.0; logR <= span; logR++ {
			if v := at(logR); v < least {
				least, best = v, logR
			}
		}
		return math.Min(least, numeric.GoldenMinimum(at, math.Max(0, best-1), best+1, 36))
	}), nil
}

func validateConditional(curve rdp.Curve, successProbability float64) error {
	if curve == nil {
		return errNilCurve
	}
	return check.Rate.Of("selection: success probability", successProbability)
}
