package law

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
)

// Withheld is Law, but no run at all if Law draws more than Max. It is the law of a search with a
// time limit that releases nothing if the limit is too short.
//
//	P[K=k] = P_Law[K=k] for 1 <= k <= Max,  P[K=0] = P_Law[K=0] + P_Law[K>Max]
//
// By privacy profiles it never costs more than Law; see Distribution.Limited. [Truncated] draws
// again instead, and [Capped] runs Max candidates.
type Withheld struct {
	Law Law // with P[1 <= K <= Max] > 0
	Max int // from 1 to 65,536
}

// Validate returns an error unless the law is valid and has some chance of 1 to Max runs.
func (l Withheld) Validate() error {
	if err := validateMax("Withheld", l.Law, l.Max); err != nil {
		return err
	}
	return someRuns("Withheld", l.Law, l.Max)
}

// String names the law.
func (l Withheld) String() string { return fmt.Sprintf("%v, none if K > %d", l.Law, l.Max) }

// Distribution makes the list of chances, in O(Max), at every call. Draws come from Law.
func (l Withheld) Distribution() Distribution {
	if err := l.Validate(); err != nil {
		return Distribution{l, invalid{err}}
	}
	inner := l.Law.Distribution()
	w := chances(inner, l.Max)
	w[0] += math.Max(0, 1-w.pgf(1))
	k := newList(l, w.normalized(), func(rng *rand.Rand) (int, error) {
		k, err := inner.Rand(rng)
		if err != nil || k > l.Max {
			return 0, err
		}
		return k, nil
	})
	k.whole = inner
	k.excess = math.Max(0, numeric.Log(inner.Mean()/k.mean)) + numeric.ChanceRounding(l.Max)
	return consistent(l, k)
}
