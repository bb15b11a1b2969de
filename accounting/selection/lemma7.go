package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Lemma7 returns the Rényi curve, in nats, of the best of K runs for any law:
//
//	ε'(λ) = ln( f(0) + E[K] e^((λ-1)(L + ε(λ))) )/(λ-1)
//
// with L = law.MaxLogWeight(λ) of the base, the least over what is known of it, so that
// E[K] e^((λ-1)L) bounds f'(q)^λ f'(q')^(1-λ) over all ranks q, q' that one run can have.
// A law without a bound on f'(q)/f'(q'), a fixed number of runs for one, gives +Inf.
//
// Proof. With the notation of [Sharpened], e^((λ-1)D(A‖A')) = f(0) + ∫ Q^λ Q'^(1-λ) w and
// w <= E[K] e^((λ-1)L). ∎ [Sharpened] is never above it, and holds for TNB and Poisson laws.
//
// Reference: Papernot and Steinke (ICLR 2022), Lemma 7, which leaves f(0) = P[K=0] out: that
// is right for f(0) = 0, and not a bound for laws that are mostly 0.
func Lemma7(law Law, base Base) (rdp.Curve, error) {
	if err := validatePair(law, base); err != nil {
		return nil, err
	}
	if base.Curve == nil {
		return nil, errNilCurve
	}
	return lemma7(law.Distribution(), base.Prepared()), nil
}

// lemma7 is Lemma7 of what is valid and prepared.
func lemma7(law Distribution, base Base) rdp.Curve {
	constant := base.logRatio(law)
	sources := base.quickSources()
	logNone, logMean := law.LogPMF(0), math.Log(law.Mean())
	return monotone(func(order float64) float64 {
		a := order - 1
		divergence := base.Curve(order)
		if divergence == 0 {
			return 0 // both data sets have one law of outputs
		}
		weight := constant
		for _, s := range sources {
			weight = math.Min(weight, s.logWeight(law, order))
		}
		if math.IsInf(weight, 1) || math.IsInf(divergence, 1) {
			return math.Inf(1)
		}
		return math.Max(0, numeric.Add(logNone, logMean+a*(weight+divergence))/a)
	})
}
