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

// ConditionalExample is a pair of distributions on three outputs. With it Papernot and Steinke
// (ICLR 2022, Appendix D.2) show that Corollary16 is nearly tight:
//
//	Q  = (a e^-s,     a e^-s, 1 - 2a e^-s)
//	Q' = (a e^(-s-t), a,      1 - a - a e^(-s-t))    S = the first two outputs
type ConditionalExample struct {
	A    float64 // in (0, 1/4]
	S, T float64 // > 0
}

// Validate returns an error unless a is in (0, 1/4] and s, t are positive and finite.
func (e ConditionalExample) Validate() error {
	f := check.In("selection: ConditionalExample.")
	f.Number("A", e.A, check.UpTo(0.25))
	f.Number("S", e.S, check.Positive)
	f.Number("T", e.T, check.Positive)
	return f.Err()
}

// SuccessProbability returns Q(S) = 2a e^-s.
func (e ConditionalExample) SuccessProbability() float64 { return 2 * e.A * math.Exp(-e.S) }

// Divergences returns D_λ(Q‖Q'), D_λ(Q'‖Q) and D_λ(Q_S‖Q'_S), in nats, at order > 1. They are
// exact. They are computed from logarithms, so s and t may be large.
func (e ConditionalExample) Divergences(order float64) (forth, back, conditioned float64) {
	logA := numeric.Log(e.A)
	logQ := []float64{logA - e.S, logA - e.S, math.Log1p(-2 * e.A * math.Exp(-e.S))}
	logR := []float64{logA - e.S - e.T, logA, math.Log1p(-e.A * (1 + math.Exp(-e.S-e.T)))}
	half := -math.Ln2
	norm := math.Log1p(math.Exp(-e.S - e.T))
	return renyi(order, logQ, logR), renyi(order, logR, logQ),
		renyi(order, []float64{half, half}, []float64{-e.S - e.T - norm, -norm})
}

// TightConditionalExample returns the example with the given a whose two divergences at order both
// equal divergence. It uses nested bisection: D_λ(Q‖Q') grows with t, and at that t D_λ(Q'‖Q) grows
// with s. With divergence 0.1 λ it is the setting of Figure 8.
func TightConditionalExample(a, order, divergence float64) (ConditionalExample, error) {
	if !(order > 1) || !(divergence > 0) || math.IsInf(order, 1) || math.IsInf(divergence, 1) {
		return ConditionalExample{}, fmt.Errorf("selection: order %g, divergence %g: must be > 1 and > 0, finite", order, divergence)
	}
	if err := (ConditionalExample{A: a, S: 1, T: 1}).Validate(); err != nil {
		return ConditionalExample{}, err
	}
	tFor := func(s float64) float64 {
		return bisect(func(t float64) bool {
			forth, _, _ := ConditionalExample{a, s, t}.Divergences(order)
			return forth >= divergence
		})
	}
	s := bisect(func(s float64) bool {
		_, back, _ := ConditionalExample{a, s, tFor(s)}.Divergences(order)
		return back >= divergence
	})
	e := ConditionalExample{a, s, tFor(s)}
	forth, back, _ := e.Divergences(order)
	if math.Abs(forth-divergence)+math.Abs(back-divergence) > 1e-6*divergence {
		return ConditionalExample{}, fmt.Errorf("selection: no s, t with both divergences %g at order %g for a = %g", divergence, order, a)
	}
	return e, nil
}

// bisect returns where ok turns true on (0, 700).
func bisect(ok func(float64) bool) float64 {
	lo, hi := 0.0, 700.0
	for range 60 {
		if mid := (lo + hi) / 2; ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// renyi returns D_λ(P‖Q) of two distributions given by their logarithms.
func renyi(order float64, logP, logQ []float64) float64 {
	largest := math.Inf(-1)
	for i := range logP {
		largest = math.Max(largest, order*logP[i]+(1-order)*logQ[i])
	}
	sum := 0.0
	for i := range logP {
		sum += math.Exp(order*logP[i] + (1-order)*logQ[i] - largest)
	}
	return math.Max(0, (largest+numeric.Log(sum))/(order-1))
}
