package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// truncatedVariation returns offset and slope of a line δ = offset(ε) + slope(ε) δ0. If the search
// with Law itself is (ε, δ0)-private, then the truncated search is (ε, δ)-private:
//
//	δ = (δ0 + e^ε τ)/(1-τ),  τ = P[K > Max]
//
// Proof. A = (1-τ)Ã + τB, with Ã the truncated search and B that of K > Max. For an event S,
// (1-τ)(Ã - e^ε Ã')(S) = (A - e^ε A')(S) - τ(B - e^ε B')(S) <= δ0 + τ e^ε B'(S). ∎ So in each
// direction e^ε multiplies the chance on the same data set as in the definition. This is total
// variation, which needs only τ of the law. It is the better bound if the price of Law is a Rényi
// bound. Otherwise f' of the truncated law is used.
func truncatedVariation(l law.Truncated) func(epsilon float64) (offset, slope float64) {
	tau := l.Law.Distribution().TailAbove(l.Max)
	return func(epsilon float64) (offset, slope float64) {
		return math.Exp(epsilon) * tau / (1 - tau), 1 / (1 - tau)
	}
}

func validateFrom(epsilon, delta float64) error {
	var errs []error
	if !(epsilon >= 0) {
		errs = append(errs, fmt.Errorf("law: epsilon %g: must be >= 0", epsilon))
	}
	if !(delta >= 0 && delta <= 1) {
		errs = append(errs, fmt.Errorf("law: delta %g: must be in [0, 1]", delta))
	}
	return errors.Join(errs...)
}

// cappedVariation returns offset and slope of a line δ = offset(ε) + slope(ε) δ0. If the search
// with Law itself is (ε, δ0)-private, then the capped search is (ε, δ)-private:
//
//	δ = δ0 + (1 + e^ε) τ,  τ = P[K > Max]
//
// Proof. The two searches can share K and the first Max runs. Then their outputs differ with chance
// at most τ, on each of the two data sets. For an event S, Ã(S) <= A(S) + τ <= e^ε A'(S) + δ0 + τ
// <= e^ε (Ã'(S) + τ) + δ0 + τ. ∎
func cappedVariation(l law.Capped) func(epsilon float64) (offset, slope float64) {
	tau := l.Law.Distribution().TailAbove(l.Max)
	return func(epsilon float64) (offset, slope float64) { return (1 + math.Exp(epsilon)) * tau, 1 }
}

// truncationBounds returns bounds for laws that stop at some number of runs, from the price of the
// law without that limit.
func truncationBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	bounds, err := lemma22Bounds(k, base, delta)
	if err != nil {
		return nil, err
	}
	var inner law.Law
	var variation func(epsilon float64) (offset, slope float64)
	switch l := k.Law().(type) {
	case law.Truncated:
		inner, variation = l.Law, truncatedVariation(l)
	case law.Capped:
		inner, variation = l.Law, cappedVariation(l)
	default:
		return bounds, nil
	}
	if epsilon := variationEpsilon(inner.Distribution(), base, delta, variation); epsilon < math.Inf(1) {
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:    "total variation",
			Theorem: "the chance of more than Max runs in total variation (selection, truncation.go)",
			Method:  "price of the law without its limit, at a δ that leaves room for the chance of more runs",
			Epsilon: epsilon,
		}})
	}
	return bounds, nil
}

// variationEpsilon solves offset(ε) + slope(ε) δ_A(ε) <= delta, where δ_A is the profile that the
// price of the law implies. It returns an ε only if the tail fits into delta at that ε.
func variationEpsilon(k law.Distribution, base baserun.Run, delta float64, variation func(epsilon float64) (offset, slope float64)) float64 {
	guess := 0.0
	for range 4 {
		offset, slope := variation(guess)
		if !(offset < delta/2) {
			return math.Inf(1)
		}
		epsilon := leastEpsilon(k, base, (delta-offset)/slope*(1-1e-12))
		if epsilon <= guess {
			return guess
		}
		guess = epsilon*(1+1e-7) + 1e-12
	}
	return math.Inf(1)
}

// leastEpsilon returns the least of the quick bounds that are usually the least. It leaves out
// interleavedBounds.
func leastEpsilon(k law.Distribution, base baserun.Run, delta float64) float64 {
	any := func(found) bool { return true }
	return leastOf(k, base, delta, any, sharpenedBounds, lemma7Bounds, sharpenedProfileBounds, pointwiseBounds, approximateBounds)
}

// leastPublished is leastEpsilon over the published bounds only.
func leastPublished(k law.Distribution, base baserun.Run, delta float64) float64 {
	published := func(b found) bool { return b.Published }
	return leastOf(k, base, delta, published, theoremBounds, profileBounds, sharpenedProfileBounds)
}

// leastOf returns the least ε of the bounds that count. A family that fails adds nothing.
func leastOf(k law.Distribution, base baserun.Run, delta float64, counts func(found) bool, families ...family) float64 {
	least := math.Inf(1)
	for _, family := range families {
		bounds, _ := family(k, base, delta)
		for _, b := range bounds {
			if counts(b) {
				least = numeric.Lesser(least, b.Epsilon)
			}
		}
	}
	return least
}
