package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Lemma22 returns the Rényi curve, in nats, of a search with a truncated TNB or Poisson
// law, from a bound on what Lemma 7 bounds for the law itself (Theorems 2 and 6 do):
//
//	ε'(λ) = ln( f̃(0) + e^((λ-1) untruncated(λ)) / ((1-τ)(1-ρ)^(λ-1)) )/(λ-1)
//	τ = P[K > Max],  ρ = E[K; K > Max]/E[K],  f̃(0) = P[K=0 | K <= Max]
//
// With f̃(0) = 0 this is untruncated(λ) - ln(1-τ)/(λ-1) - ln(1-ρ), as it is published. Both
// directions of the neighboring relation grow alike.
//
// Derived again. P[K <= Max] f̃'(x) = Σ_{k<=Max} k x^(k-1) P[K=k] is at most f'(x), and at
// least x^(Max-1) E[K; K <= Max], while what is missing is at most x^Max E[K; K > Max]. So
// f'(x)/(P[K <= Max] f̃'(x)) is in [1, 1 + x ρ/(1-ρ)], and 1 + ρ/(1-ρ) = 1/(1-ρ). Hence
// f̃'(q)^λ f̃'(q')^(1-λ) <= f'(q)^λ f'(q')^(1-λ) (1-τ)^-1 (1-ρ)^-(λ-1), and the rest is Lemma 7
// with K = 0 counted. ∎
//
// untruncated may be any curve of what is released with law.Law, as the integral of
// Q^λ Q'^(1-λ) f'(q)^λ f'(q')^(1-λ) is e^((λ-1)D) - f(0) exactly. For [Theorem2] and [Theorem6],
// which bound the weight at all ranks, (1-ρ)^(λ-1) is not needed: see limited.
//
// Reference: Papernot and Steinke (ICLR 2022), Lemma 22.
func Lemma22(law Truncated, untruncated rdp.Curve) (rdp.Curve, error) {
	if err := law.Validate(); err != nil {
		return nil, err
	}
	switch law.Law.(type) {
	case TNB, Poisson:
	default:
		return nil, fmt.Errorf("selection: Truncated.Law, the %v: must be a truncated negative binomial or Poisson law for Lemma 22", law.Law)
	}
	if untruncated == nil {
		return nil, errNilCurve
	}
	inner := law.Law.Distribution()
	logKept := math.Log1p(-tailAbove(inner, law.Max))
	logRuns := math.Log1p(-runsAbove(inner, law.Max) / inner.Mean())
	logNone := inner.LogPMF(0) - logKept
	return monotone(func(order float64) float64 {
		a := order - 1
		exponent := a*(untruncated(order)-logRuns) - logKept
		if math.IsNaN(exponent) || math.IsInf(exponent, 1) {
			return math.Inf(1)
		}
		return math.Max(0, numeric.Add(logNone, exponent)/a)
	}), nil
}

// lemma22Bounds is Lemma 22 around Theorem 2 or 6.
func lemma22Bounds(law Distribution, base Base, delta float64) ([]Bound, error) {
	truncated, ok := given(law).(Truncated)
	if !ok || base.Curve == nil {
		return nil, nil
	}
	var untruncated rdp.Curve
	var err error
	b := Bound{Name: "Lemma 22"}
	switch inner := truncated.Law.(type) {
	case TNB:
		b.Theorem, b.Published = "Lemma 22 of "+papernot+", with its Theorem 2", true
		untruncated, err = Theorem2(inner, base.Curve)
	case Poisson:
		if inner.MeanRepeats < 1 {
			return nil, nil
		}
		b.Theorem = "Lemma 22 of " + papernot + ", with its Theorem 6 and P[K=0] added (selection.Lemma22)"
		untruncated, err = Theorem6(inner, base)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	curve, err := Lemma22(truncated, untruncated)
	if err != nil {
		return nil, err
	}
	return []Bound{RDPBound(curve, delta, b)}, nil
}
