package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Corollary16 returns the fifth inequality of the corollary at one r >= 1, as published:
//
//	ε'(λ) = ε(r(λ-1)+1) + (λ-2)/(λ-1) ε(λ-1) + (1+1/r)/(λ-1) ln(1/Q(S)),  λ >= 2
//
// It bounds a mechanism that is run until its output falls into a fixed set S. One run must do so
// with chance at least successProbability, in (0, 1], on every data set. r = 1 is the second
// inequality. Orders below 2 return +Inf. See [ConditionalLeast].
//
// Derived again. e^((λ-1)D(Q_S‖Q'_S)) = Q(S)^-λ Q'(S)^(λ-1) ∫_S Q^λ Q'^(1-λ). By Jensen
// the integral Q(S) E[(Q/Q')^(λ-1) | S] is at most Q(S)^(1-1/r) e^((λ-1)ε(r(λ-1)+1)). Moreover
// Q'(S)^(λ-1) Q(S)^(2-λ) <= e^((λ-2)ε(λ-1)), as S is a post-processing. ∎
//
// Reference: Papernot and Steinke (ICLR 2022), Corollary 16, which is Proposition 15 at q = ∞.
// Other q are not implemented.
func Corollary16(curve rdp.Curve, successProbability, r float64) (rdp.Curve, error) {
	if err := validateConditional(curve, successProbability); err != nil {
		return nil, err
	}
	if !(r >= 1) || math.IsInf(r, 1) {
		return nil, fmt.Errorf("selection: r %g: must be >= 1 and finite", r)
	}
	return func(order float64) float64 { return corollary16(curve, successProbability, r, order) }, nil
}

func corollary16(curve rdp.Curve, successProbability, r, order float64) float64 {
	a := order - 1
	if !(a >= 1) {
		return math.Inf(1)
	}
	value := curve(r*a+1) - (1+1/r)*numeric.Log(successProbability)/a
	if a > 1 {
		value += (a - 1) / a * curve(a)
	}
	return value
}

// ConditionalLeast returns the least of the second and the fifth inequality of Corollary 16, over
// all r. At each order it is the least over that order and all larger ones, as divergences do not
// fall with the order. It asks the curve some thousand times.
func ConditionalLeast(curve rdp.Curve, successProbability float64) (rdp.Curve, error) {
	if err := validateConditional(curve, successProbability); err != nil {
		return nil, err
	}
	return monotone(func(order float64) float64 {
		at := func(logR float64) float64 { return corollary16(curve, successProbability, math.Exp(logR), order) }
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
