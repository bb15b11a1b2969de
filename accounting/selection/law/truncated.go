package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// Truncated is Law given that K <= Max: a draw above Max is drawn again. It limits the time of a
// search.
//
//	P[K=k] = P_Law[K=k]/P_Law[K<=Max],  k <= Max
//
// Drawing again changes the law, and so the price. This type draws and prices the same law. See
// [Capped] for a search that runs Max candidates instead.
//
// A price takes some 20 ms more than that of Law at Max 2,000, and half a second at 65,536.
//
// Reference: Papernot and Steinke (ICLR 2022), Appendix E.1.
type Truncated struct {
	Law Law // with P[1 <= K <= Max] > 0
	Max int // from 1 to 65,536
}

// Validate returns an error unless the law is valid and has some chance of 1 to Max runs.
func (l Truncated) Validate() error {
	if err := validateMax("Truncated", l.Law, l.Max); err != nil {
		return err
	}
	return someRuns("Truncated", l.Law, l.Max)
}

// someRuns returns an error unless the law has some chance of 1 to most runs.
func someRuns(name string, law Law, most int) error {
	logP := law.Distribution().LogPMF
	for k := 1; k <= most; k++ {
		if logP(k) > -700 {
			return nil
		}
	}
	return fmt.Errorf("law: %s.Max %d: the %v must have some chance of 1 to Max runs", name, most, law)
}

// validateMax checks the fields that Truncated, Capped and Withheld share.
func validateMax(name string, law Law, most int) error {
	if law == nil {
		return fmt.Errorf("law: %s.Law is nil: must be a law", name)
	}
	if nesting(law) >= maxNesting {
		return fmt.Errorf("law: %s.Law has truncated, capped or withheld laws %d deep: must be below %d", name, nesting(law), maxNesting)
	}
	if _, err := Of(law); err != nil {
		return err
	}
	if most < 1 || most > maxTerms {
		return fmt.Errorf("law: %s.Max %d: must be from 1 to %d", name, most, maxTerms)
	}
	return nil
}

// maxNesting is the largest depth of truncated, capped and withheld laws inside each other. A
// truncated law may draw the law inside it a hundred times.
const maxNesting = 3

// nesting returns the depth of truncated, capped and withheld laws inside each other.
func nesting(law Law) int {
	for depth := 0; ; depth++ {
		switch l := law.(type) {
		case Truncated:
			law = l.Law
		case Capped:
			law = l.Law
		case Withheld:
			law = l.Law
		default:
			return depth
		}
	}
}

// String names the law.
func (l Truncated) String() string { return fmt.Sprintf("%v, given K <= %d", l.Law, l.Max) }

// Distribution makes the list of chances, in O(Max), at every call. Draws come from Law, until K <=
// Max. After a hundred draws above Max, the distribution function is inverted instead, which gives
// the same law.
func (l Truncated) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
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
	k.excess = math.Max(0, numeric.Log(inner.Mean()/k.mean)-math.Log1p(-inner.TailAbove(l.Max))) + numeric.ChanceRounding(l.Max)
	return consistent(l, k)
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

// Distribution makes the list of chances, in O(Max), at every call. Draws come from Law, and are
// cut to Max.
func (l Capped) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
	}
	inner := l.Law.Distribution()
	w := chances(inner, l.Max-1)
	last := 1 - w.pgf(1)
	if last < 1e-9 { // few digits are left
		last = math.Max(inner.TailAbove(l.Max-1), math.SmallestNonzeroFloat64)
	}
	return consistent(l, newList(l, append(w, last).normalized(), func(rng *rand.Rand) (int, error) {
		k, err := inner.Rand(rng)
		if err != nil {
			return 0, err
		}
		return min(k, l.Max), nil
	}))
}

// limits are the fields of Truncated, Capped and Withheld.
type limits struct {
	Law Law
	Max int
}

// registerLimited registers the JSON form of a law with these fields.
func registerLimited[L interface {
	Law
	~struct {
		Law Law
		Max int
	}
}](name string) {
	RegisterFormat(name,
		func(l L) []eventjson.Field {
			return []eventjson.Field{field("law", Value(limits(l).Law)), field("max", limits(l).Max)}
		},
		func(o *eventjson.Object) L {
			return L(limits{Law: Read(o.Object("law")), Max: o.Int("max")})
		})
}

func init() {
	registerLimited[Truncated]("truncated")
	registerLimited[Capped]("capped")
	registerLimited[Withheld]("withheld")
}
