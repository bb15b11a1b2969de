package papernot2022

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// example is a pair of distributions on three outputs. With it the paper shows in Appendix D.2 that
// Corollary 16 is nearly tight:
//
//	Q  = (a e^-s,     a e^-s, 1 - 2a e^-s)
//	Q' = (a e^(-s-t), a,      1 - a - a e^(-s-t))    S = the first two outputs
type example struct {
	a    float64 // in (0, 1/4]
	s, t float64 // > 0
}

// successProbability returns Q(S) = 2a e^-s.
func (e example) successProbability() float64 { return 2 * e.a * math.Exp(-e.s) }

// divergences returns D_λ(Q‖Q'), D_λ(Q'‖Q) and D_λ(Q_S‖Q'_S), in nats, at order > 1. They are
// exact. They are computed from logarithms, so s and t may be large.
func (e example) divergences(order float64) (forth, back, conditioned float64) {
	logA := numeric.Log(e.a)
	logQ := []float64{logA - e.s, logA - e.s, math.Log1p(-2 * e.a * math.Exp(-e.s))}
	logR := []float64{logA - e.s - e.t, logA, math.Log1p(-e.a * (1 + math.Exp(-e.s-e.t)))}
	half := -math.Ln2
	norm := math.Log1p(math.Exp(-e.s - e.t))
	return renyiOf(order, logQ, logR), renyiOf(order, logR, logQ),
		renyiOf(order, []float64{half, half}, []float64{-e.s - e.t - norm, -norm})
}

// tightExample returns the example with the given a whose two divergences at order both equal
// divergence. It uses nested bisection: D_λ(Q‖Q') grows with t, and at that t D_λ(Q'‖Q) grows with
// s. With divergence 0.1 λ it is the setting of Figure 8.
func tightExample(a, order, divergence float64) (example, error) {
	tFor := func(s float64) float64 {
		return bisect(func(t float64) bool {
			forth, _, _ := example{a, s, t}.divergences(order)
			return forth >= divergence
		})
	}
	s := bisect(func(s float64) bool {
		_, back, _ := example{a, s, tFor(s)}.divergences(order)
		return back >= divergence
	})
	e := example{a, s, tFor(s)}
	forth, back, _ := e.divergences(order)
	if !(math.Abs(forth-divergence)+math.Abs(back-divergence) <= 1e-6*divergence) {
		return e, fmt.Errorf("papernot2022: no s, t with both divergences %g at order %g for a = %g", divergence, order, a)
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

// renyiOf returns D_λ(P‖Q) of two distributions given by their logarithms.
func renyiOf(order float64, logP, logQ []float64) float64 {
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
