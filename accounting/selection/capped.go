package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

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
