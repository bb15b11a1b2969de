package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
)

// Truncated is Law given that K <= Max: a draw above Max is drawn again. It is how a
// search keeps within the time that it has.
//
//	P[K=k] = P_Law[K=k]/P_Law[K<=Max],  k <= Max
//
// A law that draws again is another law, with another price: this type draws and prices
// the same one. See [Capped] for a search that runs Max candidates instead.
//
// A price takes some 20 ms more at Max 2,000, and half a second at 65,536.
//
// Reference: Papernot and Steinke (ICLR 2022), Appendix E.1.
type Truncated struct {
	Law Law // with P[1 <= K <= Max] > 0
	Max int // from 1 to 65,536
}

// Validate returns an error unless the law is valid, and gives from 1 to Max runs with
// some chance.
func (l Truncated) Validate() error {
	if err := validateMax("Truncated", l.Law, l.Max); err != nil {
		return err
	}
	logP := l.Law.Distribution().LogPMF
	for k := 1; k <= l.Max; k++ {
		if logP(k) > -700 {
			return nil
		}
	}
	return fmt.Errorf("selection: Truncated.Max %d: the %v must have some chance of 1 to Max runs", l.Max, l.Law)
}

// validateMax checks what Truncated and Capped share.
func validateMax(name string, law Law, most int) error {
	if law == nil {
		return fmt.Errorf("selection: %s.Law is nil: must be a law", name)
	}
	if nesting(law) >= maxNesting {
		return fmt.Errorf("selection: %s.Law has truncated and capped laws %d deep: must be at most %d in all", name, nesting(law), maxNesting)
	}
	if err := law.Validate(); err != nil {
		return err
	}
	if most < 1 || most > maxTerms {
		return fmt.Errorf("selection: %s.Max %d: must be from 1 to %d", name, most, maxTerms)
	}
	return nil
}

// maxNesting is how deep truncated and capped laws may stand in each other: each may draw the one
// inside a hundred times.
const maxNesting = 3

// nesting returns how many truncated and capped laws stand in each other.
func nesting(law Law) int {
	for depth := 0; ; depth++ {
		switch l := law.(type) {
		case Truncated:
			law = l.Law
		case Capped:
			law = l.Law
		default:
			return depth
		}
	}
}

// String names the law.
func (l Truncated) String() string { return fmt.Sprintf("%v, given K <= %d", l.Law, l.Max) }

// Distribution makes the list of chances, in O(Max), as often as it is called. It draws from
// Law until K <= Max; after a hundred draws above, it inverts the distribution function instead,
// which is the same law.
func (l Truncated) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return invalid{err}
	}
	inner := l.Law.Distribution()
	w := chances(inner, l.Max).normalized()
	k := newList(l, w, func(rng *rand.Rand) (int, error) {
		for range 100 {
			if k, err := inner.Rand(rng); err == nil && k <= l.Max {
				return k, nil
			}
		}
		return w.rand(rng), nil
	})
	k.whole = inner
	k.excess = math.Max(0, math.Log(inner.Mean()/k.mean)-math.Log1p(-tailAbove(inner, l.Max))) + numeric.ChanceRounding(l.Max)
	return k
}

// DeltaFrom returns a δ at which the truncated search is (ε, δ)-private if the search with
// Law itself is (ε, untruncated)-private:
//
//	δ = (untruncated + e^ε τ)/(1-τ),  τ = P[K > Max]
//
// Proof. A = (1-τ)Ã + τB, with Ã the truncated search and B that of K > Max. For an event S,
// (1-τ)(Ã - e^ε Ã')(S) = (A - e^ε A')(S) - τ(B - e^ε B')(S) <= untruncated + τ e^ε B'(S). ∎
// So the e^ε stands with the data set whose chance is multiplied by it, in each direction.
// This is total variation; it needs nothing of the law but τ. It is the better of what is
// known where the price of Law is a Rényi bound; elsewhere f' of the truncated law is used.
func (l Truncated) DeltaFrom(epsilon, untruncated float64) (float64, error) {
	if err := errors.Join(l.Validate(), validateFrom(epsilon, untruncated)); err != nil {
		return 0, err
	}
	offset, slope := l.variation()(epsilon)
	return clampDelta(offset + slope*untruncated), nil
}

// variation returns the δ of DeltaFrom as a line in untruncated, without the limit at 1.
func (l Truncated) variation() func(epsilon float64) (offset, slope float64) {
	tau := tailAbove(l.Law.Distribution(), l.Max)
	return func(epsilon float64) (offset, slope float64) {
		return math.Exp(epsilon) * tau / (1 - tau), 1 / (1 - tau)
	}
}

func validateFrom(epsilon, delta float64) error {
	var errs []error
	if !(epsilon >= 0) {
		errs = append(errs, fmt.Errorf("selection: epsilon %g: must be >= 0", epsilon))
	}
	if !(delta >= 0 && delta <= 1) {
		errs = append(errs, fmt.Errorf("selection: delta %g: must be in [0, 1]", delta))
	}
	return errors.Join(errs...)
}

func clampDelta(delta float64) float64 {
	if !(delta < 1) {
		return 1
	}
	return delta
}

// Capped is min(K, Max) with K from Law: draw K, and stop after Max runs.
//
//	P[K=k] = P_Law[K=k] for k < Max,  P[K=Max] = P_Law[K>=Max]
type Capped struct {
	Law Law // any law that can give K >= 1
	Max int // from 1 to 65,536
}

// Validate returns an error unless the law is valid and Max from 1 to 65,536.
func (l Capped) Validate() error { return validateMax("Capped", l.Law, l.Max) }

// String names the law.
func (l Capped) String() string { return fmt.Sprintf("%v, at most %d runs", l.Law, l.Max) }

// Distribution makes the list of chances, in O(Max), as often as it is called. It draws from
// Law, and returns at most Max.
func (l Capped) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return invalid{err}
	}
	inner := l.Law.Distribution()
	w := chances(inner, l.Max-1)
	last := 1 - w.pgf(1)
	if last < 1e-9 { // few digits are left
		last = math.Max(tailAbove(inner, l.Max-1), math.SmallestNonzeroFloat64)
	}
	return newList(l, append(w, last).normalized(), func(rng *rand.Rand) (int, error) {
		k, err := inner.Rand(rng)
		if err != nil {
			return 0, err
		}
		return min(k, l.Max), nil
	})
}

// DeltaFrom returns a δ at which the capped search is (ε, δ)-private if the search with
// Law itself is (ε, uncapped)-private:
//
//	δ = uncapped + (1 + e^ε) τ,  τ = P[K > Max]
//
// Proof. The two searches can share K and the first Max runs, so that their outputs differ
// with chance at most τ, on each of the two data sets: for an event S,
// Ã(S) <= A(S) + τ <= e^ε A'(S) + uncapped + τ <= e^ε (Ã'(S) + τ) + uncapped + τ. ∎
func (l Capped) DeltaFrom(epsilon, uncapped float64) (float64, error) {
	if err := errors.Join(l.Validate(), validateFrom(epsilon, uncapped)); err != nil {
		return 0, err
	}
	offset, slope := l.variation()(epsilon)
	return clampDelta(offset + slope*uncapped), nil
}

// variation returns the δ of DeltaFrom as a line in uncapped, without the limit at 1.
func (l Capped) variation() func(epsilon float64) (offset, slope float64) {
	tau := tailAbove(l.Law.Distribution(), l.Max)
	return func(epsilon float64) (offset, slope float64) { return (1 + math.Exp(epsilon)) * tau, 1 }
}

// truncationBounds are the bounds for laws that stop at some number of runs, from the
// price of the law that does not.
func truncationBounds(law Distribution, base Base, delta float64) ([]Bound, error) {
	bounds, err := lemma22Bounds(law, base, delta)
	if err != nil {
		return nil, err
	}
	var inner Law
	var variation func(epsilon float64) (offset, slope float64)
	switch l := given(law).(type) {
	case Truncated:
		inner, variation = l.Law, l.variation()
	case Capped:
		inner, variation = l.Law, l.variation()
	default:
		return bounds, nil
	}
	if epsilon := variationEpsilon(inner.Distribution(), base, delta, variation); epsilon < math.Inf(1) {
		bounds = append(bounds, Bound{
			Name:    "total variation",
			Theorem: "the chance of more than Max runs in total variation (selection.Truncated.DeltaFrom, selection.Capped.DeltaFrom)",
			Method:  "price of the law without its limit, at a δ that leaves room for the chance of more runs",
			Epsilon: epsilon,
		})
	}
	return bounds, nil
}

// variationEpsilon solves offset(ε) + slope(ε) δ_A(ε) <= delta with δ_A the profile that the
// price of law gives. An ε is accepted only if its own room for the tail is enough.
func variationEpsilon(law Distribution, base Base, delta float64, variation func(epsilon float64) (offset, slope float64)) float64 {
	guess := 0.0
	for range 4 {
		offset, slope := variation(guess)
		if !(offset < delta/2) {
			return math.Inf(1)
		}
		epsilon := leastEpsilon(law, base, (delta-offset)/slope*(1-1e-12))
		if epsilon <= guess {
			return guess
		}
		guess = epsilon*(1+1e-7) + 1e-12
	}
	return math.Inf(1)
}

// leastEpsilon returns the least of the bounds that are usually the least.
func leastEpsilon(law Distribution, base Base, delta float64) float64 {
	least := math.Inf(1)
	for _, family := range []func(Distribution, Base, float64) ([]Bound, error){sharpenedBounds, lemma7Bounds, sharpenedProfileBounds, approximateBounds} {
		bounds, err := family(law, base, delta)
		if err != nil {
			continue
		}
		for _, b := range bounds {
			least = lesser(least, b.Epsilon)
		}
	}
	return least
}
