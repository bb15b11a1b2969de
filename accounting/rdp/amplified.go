package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// PoissonAmplified returns the Rényi curve, in nats, of any mechanism with the given curve when it
// runs on a Poisson sample of rate q, for both directions of add-or-remove-one:
//
//	ε'(α) = ln( S(α) )/(α-1)    S(α) = Σ_{k=0..α} C(α,k) (1-q)^(α-k) q^k e^((k-1)ε(k))
//
// at integers α >= 2, where the terms k = 0 and 1 have e^0, and chords of (α-1)ε'(α) between them.
// Above order 512, and below 2 if smaller, it is ln(1-q+q e^((α-1)ε(α)))/(α-1). q is in (0, 1]; 1
// returns the curve.
//
// Proof. Let x be the record that one data set has more. Given the sample of the others, the
// outputs are P on one side, (1-q)P + qP' on the other. Joint quasi-convexity covers mixtures over
// that sample, which both sides share. Let r = P'/P and z = 1-q+qr. The sum is the expansion of
// E_P[z^α], which is one direction.
//
// The other is E_P[z^(1-α)]. Claim: for α >= 2 there is λ in [0, 1] with
//
//	E_P[z^(1-α)] <= λ E_P[z^α] + (1-λ) E_P'[(1-q+q/r)^α],
//
// and both on the right are at most S(α). As E_P[r] = 1, it is enough that F(r) = λ z^α + (1-λ) r
// v^α - z^(1-α), v = 1-q+q/r, is convex: then F(r) >= F'(1)(r-1). Its second derivative, over
// α(α-1)q², is λ z^(α-2) + (1-λ) r^-3 v^(α-2) - z^(-α-1). Since zv >= 1, it is not negative if λ
// z^(2α-1) + (1-λ)(z/r)^3 >= 1. By the inequality of means the left side is at least z^a r^-b, a =
// λ(2α-1)+3(1-λ), b = 3(1-λ). As z >= r^q, it is at least r^(qa-b), which is 1 for λ =
// 3(1-q)/(3(1-q)+(2α-1)q).
//
// The last bound is convexity: z^α and z^(1-α) lie below their chords. ∎
//
// So the factor 3 of [ZhuWang] is not needed for both directions at once.
//
// Reference: the sum is Theorem 6 of Zhu and Wang (ICML 2019), stated there under a condition that
// this proof does not need.
func PoissonAmplified(curve Curve, rate float64) (Curve, error) {
	if err := validateAmplification(curve, rate); err != nil || rate == 1 {
		return curve, err
	}
	excess := amplifiedExcess(logMoment(curve), rate)
	return AtIntegers(func(n int) float64 { return numeric.Log1pExpUp(excess(n)) }, onlyIn(curve, rate)), nil
}

// ZhuWang returns the published Rényi curve of any mechanism on a Poisson sample of rate q, with a
// factor 3 from the third term on:
//
//	(1-q)^(α-1)(αq-q+1) + C(α,2) q²(1-q)^(α-2) e^ε(2)
//	                    + 3 Σ_{k=3..α} C(α,k) q^k (1-q)^(α-k) e^((k-1)ε(k))
//
// is e^((α-1)ε'(α)) at integers α >= 2. Other orders are as in [PoissonAmplified], which is never
// above it.
//
// Reference: Zhu and Wang (ICML 2019), Theorem 5; Koskela and Kulkarni (NeurIPS 2023), Theorem 4.
func ZhuWang(curve Curve, rate float64) (Curve, error) {
	if err := validateAmplification(curve, rate); err != nil || rate == 1 {
		return curve, err
	}
	moment := logMoment(curve)
	excess := amplifiedExcess(moment, rate)
	return AtIntegers(func(n int) float64 {
		sum := numeric.NewSum()
		sum.Add(excess(n))
		for k := 3; k <= n; k++ { // added twice more
			sum.Add(math.Ln2 + numeric.LogBinomialWeight(n, k, rate) + moment(k))
		}
		return numeric.Log1pExpUp(sum.Log())
	}, onlyIn(curve, rate)), nil
}

// amplifiedExcess returns n -> ln(S(n) - 1).
func amplifiedExcess(moment func(k int) float64, rate float64) func(n int) float64 {
	return memoizedInteger(func(n int) float64 { return numeric.LogBinomialExcess(n, rate, moment) })
}

// onlyIn bounds the curve of a mechanism that runs with chance rate and otherwise costs nothing.
func onlyIn(curve Curve, rate float64) Curve {
	return func(order float64) float64 {
		exponent := (order - 1) * curve(order)
		return numeric.Log1pExpUp(numeric.Log(rate)+numeric.LogExpm1(exponent)) / (order - 1)
	}
}

func validateAmplification(curve Curve, rate float64) error {
	f := check.In("rdp: ")
	f.That(curve != nil, "curve", "is nil", "must be a function")
	f.Number("rate", rate, check.Rate)
	return f.Err()
}
