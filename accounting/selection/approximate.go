package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// pureProfile is the profile of randomized response: the largest of all ε-private runs.
func pureProfile(epsilon float64) law.Profile {
	return law.Profile{Quick: true, DeltaAt: func(e float64) float64 {
		if e >= epsilon {
			return 0
		}
		// (e^ε - e^e)/(1 + e^ε) without overflow
		return -math.Expm1(e-epsilon) / (1 + math.Exp(-epsilon))
	}}
}

// Approximate returns an (ε, δ) of the best of K runs. Each run has the (ε0, δ0) of run:
//
//	(ε0 + L, 1 - f(1-δ0)),  L = MaxLogWeight(+Inf) of the tilted law P[K=k](1-δ0)^k/f(1-δ0)
//
// for an ε0-private run. L is at most (1+η) ε0 for TNB laws, which is Corollary 3, and µ(1-δ0)
// tanh(ε0/2) for Poisson laws.
//
// run may also have an infinite ε or δ = 1. With an error the result is (+Inf, 1).
//
// Proof. An (ε0, δ0)-private run has laws Q = (1-δ0)Q1 + δ0 Q0 and Q' likewise with Q1, Q1'
// ε0-private. With chance f(1-δ0) all K runs come from Q1, and K is then from the tilted
// law: Lemma 20. For ε0-private runs f'(q)/f'(q') <= e^L and Q1 <= e^ε0 Q1'. ∎
//
// Reference: Papernot and Steinke (ICLR 2022), Lemma 20. Corollary 21 uses it with Theorem 6, which
// gives ε0 + (e^ε0 - 1) ln µ at one order instead of ε0 + L.
func Approximate(l law.Law, run accounting.ApproxDP) (accounting.ApproxDP, error) {
	nothing := accounting.ApproxDP{Epsilon: math.Inf(1), Delta: 1}
	k, err := law.Of(l)
	if err != nil {
		return nothing, err
	}
	if err := validateFrom(run.Epsilon, run.Delta); err != nil {
		return nothing, err
	}
	best := accounting.ApproxDP{Epsilon: run.Epsilon, Delta: k.SuccessProbability(run.Delta)}
	if run.Delta < 1 && !math.IsInf(run.Epsilon, 1) {
		best.Epsilon = pureEpsilon(k, run.Epsilon, run.Delta)
	}
	return best, nil
}

// pureEpsilon returns ε0 + L, or +Inf where the tilted law is lost to rounding.
//
// For a two-point law with s and rest the chances of one and of n runs, f' lies between f'(0) = s
// and f'(1) = s + n rest. So L is at most the logarithm of their ratio. This bound remains where
// the chance of n runs rounds to 0.
func pureEpsilon(k law.Distribution, epsilon, delta float64) float64 {
	switch l := k.Law().(type) {
	case law.Fixed:
		return epsilon * float64(l.Count)
	case law.TwoPoint:
		rest := (1 - l.Single) * math.Pow(1-delta, float64(l.Runs-1)) // of the tilted law, before division by the sum
		if all := math.Log1p(rest * float64(l.Runs) / l.Single); all < 1e-9 {
			return epsilon + all*(1+1e-9)
		}
	}
	if epsilon == 0 {
		return 0
	}
	t, ok := k.Tilted(1 - delta)
	if !ok {
		return math.Inf(1)
	}
	return epsilon + t.MaxLogWeight(math.Inf(1), pureProfile(epsilon))
}

// underflow bounds the error of a chance of success that is subnormal or has subnormal terms.
const underflow = 1e-318

// approximateBounds returns Lemma 20 for each source: ε0 of one run at the δ0 that solves 1 -
// f(1-δ0) = delta. These bounds win where δ has a floor, and a run with a floor has no Rényi curve.
// With a curve they never win and are left out.
func approximateBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	if base.Curve != nil {
		return nil, nil
	}
	if k.SuccessProbability(1) <= delta {
		return nil, nil
	}
	lo, hi := 0.0, 1.0 // of δ0; success grows
	for range 60 {
		middle := hi / 1e6
		if lo > 0 {
			middle = math.Sqrt(lo) * math.Sqrt(hi)
		}
		if k.SuccessProbability(middle)+underflow <= delta*(1-1e-12) {
			lo = middle
		} else {
			hi = middle
		}
	}
	if !(lo > 0) {
		return nil, nil
	}
	var bounds []found
	for _, s := range base.Sources() {
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:      "Lemma 20, " + s.Name,
			Theorem:   "Lemma 20 of " + papernot + " with pure runs (selection.Approximate)",
			Method:    fmt.Sprintf("%s, one run as a mixture of pure differential privacy and a failure of chance %.3g", s.Name, lo),
			Epsilon:   pureEpsilon(k, s.EpsilonAt(lo), lo),
			Published: false,
		}, Ask: mixtureCheck(k, s, lo)})
	}
	return bounds, nil
}

// Lemma22 returns the Rényi curve, in nats, of a search with a truncated law. untruncated bounds
// the curve of the search with the law itself, as [Theorem2], [Theorem6] and [Lemma7] do:
//
//	ε'(λ) = ln( f̃(0) + e^((λ-1) untruncated(λ)) / ((1-τ)(1-ρ)^(λ-1)) )/(λ-1)
//	τ = P[K > Max],  ρ = E[K; K > Max]/E[K],  f̃(0) = P[K=0 | K <= Max]
//
// With f̃(0) = 0 this is untruncated(λ) - ln(1-τ)/(λ-1) - ln(1-ρ), as published. Both directions of
// the neighboring relation grow by the same amount.
//
// Derived again. P[K <= Max] f̃'(x) = Σ_{k<=Max} k x^(k-1) P[K=k] is at most f'(x) and at least
// x^(Max-1) E[K; K <= Max]. The missing part of f'(x) is at most x^Max E[K; K > Max]. So f'(x)/(P[K
// <= Max] f̃'(x)) is in [1, 1 + x ρ/(1-ρ)], and 1 + ρ/(1-ρ) = 1/(1-ρ). Hence f̃'(q)^λ f̃'(q')^(1-λ)
// <= f'(q)^λ f'(q')^(1-λ) (1-τ)^-1 (1-ρ)^-(λ-1), and the rest is Lemma 7 with K = 0 counted. ∎
//
// untruncated may be any curve of the release with law.Law, as the integral of Q^λ Q'^(1-λ) f'(q)^λ
// f'(q')^(1-λ) is e^((λ-1)D) - f(0) exactly. [Theorem2] and [Theorem6] bound the weight at all
// ranks and do not need (1-ρ)^(λ-1): see law.Distribution.Limited.
//
// Reference: Papernot and Steinke (ICLR 2022), Lemma 22.
func Lemma22(l law.Truncated, untruncated rdp.Curve) (rdp.Curve, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if untruncated == nil {
		return nil, errNilCurve
	}
	inner := l.Law.Distribution()
	logKept := math.Log1p(-inner.TailAbove(l.Max))
	logRuns := math.Log1p(-inner.RunsAbove(l.Max) / inner.Mean())
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

// lemma22Bounds returns Lemma 22 with Theorem 2 or 6.
func lemma22Bounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	truncated, ok := k.Law().(law.Truncated)
	if !ok || base.Curve == nil {
		return nil, nil
	}
	var untruncated rdp.Curve
	var err error
	b := accounting.Bound{Name: "Lemma 22"}
	switch inner := truncated.Law.(type) {
	case law.TNB:
		b.Theorem, b.Published = "Lemma 22 of "+papernot+", with its Theorem 2", true
		untruncated, err = Theorem2(inner, base.Curve)
	case law.Poisson:
		if inner.MeanRepeats < 1 {
			return nil, nil
		}
		b.Theorem = "Lemma 22 of " + papernot + ", with its Theorem 6 and P[K=0] added (selection, approximate.go)"
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
	return []found{{Bound: RDPBound(curve, delta, b)}}, nil
}
