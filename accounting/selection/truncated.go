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
