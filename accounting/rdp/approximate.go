package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// Approximate differential privacy beside curves.
//
// An (ε, δ)-private mechanism is, on each pair of neighbors, post-processing of one with four outcomes: with chance δ
// it shows which of the two data sets it has, else it is randomized response at ε (Kairouz, Oh,
// Viswanath 2015, arXiv:1311.0776v4, Theorem 3.3 and its proof; package pld has the same pair). The chance does
// not depend on the data. In a composition, adaptive or not, nothing is shown with chance k = Π(1-δ_i) on either data set, and given that the rest is
// a composition of (ε_i, 0)-private mechanisms and of the others, which have a curve. So for every
// set S of outputs, with δ' the profile of the rest,
//
//	P(S) - e^ε Q(S) <= 1-k + k (P(S | not shown) - e^ε Q(S | not shown)) <= 1-k + k δ'(ε).
//
// In Parallel and WorstCase the chance is at most the largest of the events', and 1-k + kδ' falls with k.
// In a hidden Poisson sample, where the four outcomes are mixed with those without the example, the law without
// puts δ on what shows it, which the other has with (1-q)δ: all but qδ of it is an outcome that
// shows nothing. The rest is a mixture of that one with the sample of what is not shown, no farther apart than the
// latter (quasi-convexity). So a sample shows with chance q times that of its event; and so does one that may
// be shown.

// left returns the δ that the curve is asked at, (δ-(1-k))/k, rounded down; <= 0 if all is spent.
func left(delta, logKeep float64) float64 {
	spent := -math.Expm1(logKeep) * (1 + keepMargin)
	return (delta - spent) / math.Exp(logKeep) * (1 - 8*0x1p-53)
}

// keepMargin is the relative error of the sum of log1p(-δ) over as many events as memory holds.
const keepMargin = 1e-9

// total returns 1-k + kδ', rounded up.
func total(delta, logKeep float64) float64 {
	return math.Min(1, (-math.Expm1(logKeep)*(1+keepMargin)+math.Exp(logKeep)*delta)*(1+8*0x1p-53))
}

// spending is EpsilonOf at what is left of delta.
func (a Accountant) spending(curve Curve, logKeep, delta float64) (accounting.Guarantee, error) {
	if err := a.validate(curve, accounting.ValidateDelta(delta)); err != nil {
		return accounting.NoGuarantee(), err
	}
	rest := left(delta, logKeep)
	if !(rest > 0) {
		return accounting.Guarantee{
			Epsilon: accounting.UpperBound(math.Inf(1)), Delta: delta, Neighboring: a.Neighboring(),
			Method: fmt.Sprintf("RDP, no finite bound: approximate differential privacy takes %.3g of δ", -math.Expm1(logKeep)),
		}, nil
	}
	g, err := a.EpsilonOf(curve, rest)
	g.Delta = delta
	g.Method += fmt.Sprintf(", at what approximate differential privacy leaves of δ, %.6g", rest)
	return g, err
}
