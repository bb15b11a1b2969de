package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Sharpened returns the Rényi curve, in nats, of the best of K runs, for every truncated
// negative binomial and Poisson law:
//
//	ε'(λ) = ln( 1 + E[K] e^((λ-1)L) (e^((λ-1) ε(λ)) - 1) ) / (λ-1)
//
// L is the MaxLogWeight at λ of the law for the base, the least over all that is known of the base.
// The curve is never above Theorem 2, nor above Theorem 6 with the same δ̂ where that holds. It is
// valid for Poisson means below 1 too, and stays finite for λ -> 1.
//
// Proof. Break ties by a uniform number that is published too. Let y run through the order from the
// worst to the best output, and q and q' be its ranks under Q and Q'. Then A has density Q f'(q),
// and K = 0 adds f(0) to both sides. With B = ∫ Q^λ Q'^(1-λ) = e^((λ-1)D(Q‖Q')) and w = f'(q)^λ
// f'(q')^(1-λ),
//
//	e^((λ-1)D(A‖A')) = f(0) + ∫ Q^λ Q'^(1-λ) w = f(0) + WB - ∫ Q^λ Q'^(1-λ) (W-w)
//
// for any W >= w; by the definition of L, W := f'(1) e^((λ-1)L) is one. As x^λ >= 1+λ(x-1),
// Q^λ Q'^(1-λ) >= λQ - (λ-1)Q', whose integral is 1, hence
//
//	e^((λ-1)D(A‖A')) <= f(0) + WB - W + ∫ w (λ dq - (λ-1) dq')
//
// along the path (q, q') from (0,0) to (1,1). On the diagonal the last integral is f(1) - f(0) = 1
// - f(0). By Green's theorem it differs from that on another path by the integral of λ(λ-1) w (g(q)
// - g(q')), g = (ln f')', over the area between. The sign is minus below the diagonal (q > q') and
// plus above it. If g does not fall, both are at most 0, so e^((λ-1)D(A‖A')) <= 1 + W(B-1). For
// Poisson laws g is constant, for TNB it is (η+1)(1-γ)/(1-(1-γ)q). ∎
//
// The proof starts from Lemma 7 of Papernot and Steinke (ICLR 2022). The rest is derived here.
// Tests compare it with exact divergences of random and adversarial examples.
func Sharpened(l law.Law, base baserun.Run) (rdp.Curve, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return nil, err
	}
	if !k.LogConvex() {
		return nil, fmt.Errorf("selection: %v: must be a truncated negative binomial or Poisson law for this bound", l)
	}
	if base.Curve == nil {
		return nil, errNilCurve
	}
	return sharpened(k, base.Prepared()), nil
}

// sharpened is Sharpened of a valid law and a prepared run.
func sharpened(k law.Distribution, base baserun.Run) rdp.Curve {
	constant := base.LogRatio(k)
	sources := base.FastSources()
	logMean := numeric.Log(k.Mean())
	curve := base.Curve
	return monotone(func(order float64) float64 {
		a := order - 1
		exponent := a * curve(order)
		if exponent == 0 || math.IsInf(exponent, 1) {
			return exponent
		}
		weight := constant
		for _, s := range sources {
			weight = math.Min(weight, s.LogWeight(k, order))
		}
		return numeric.Log1pExp(logMean+a*weight+numeric.LogExpm1(exponent)) / a
	})
}
