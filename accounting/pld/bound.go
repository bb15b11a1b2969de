package pld

import (
	"math"
	"reflect"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// addProfile adds the pair of laws of [PairAbove] for a mechanism. Only a bound on its profile is
// known. Under every relation that bound is about both orders of two neighbors, and the pair is its
// own mirror image. So it may replace the mechanism on each kind of sample.
func (c *collector) addProfile(e accounting.ProfileBound, rate, count float64) error {
	c.upperOnly = true
	same := func(known accounting.ProfileBound) bool { return reflect.DeepEqual(known, e) }
	at := slices.IndexFunc(c.profiles, same)
	if at < 0 {
		at, c.profiles = len(c.profiles), append(c.profiles, e)
	}
	// e^ε must be far from overflow. The last value that is left holds for all larger ε.
	n := sort.Search(len(e.Epsilons), func(i int) bool { return e.Epsilons[i] > mostResponse })
	if n == 0 {
		return tooLarge(e)
	}
	base := pairAbove(e.Epsilons[:n], falling(slices.Clone(e.Deltas[:n]))).base()
	base.given = "that the pair of laws above " + e.String() + " dominates it"
	return c.put(key{kind: 6, rate: rate, a: float64(at)}, base, count)
}

// once returns the pair of the only run of a program, if that is a known profile and no sample. It
// needs no grid.
func (p program) once() (pair discreteBase, ok bool) {
	if len(p.mechanisms) != 1 {
		return pair, false
	}
	f := p.mechanisms[0]
	pair, _ = f.base.(discreteBase)
	return pair, pair.given != "" && f.count == 1 && f.rate == 1 && !f.fixedSize && f.shown == 0
}

// deltaAt returns Σ (p - e^ε q)₊ over the outcomes, rounded up. Both directions have this δ, as the
// pair is its own mirror image.
func (d discreteBase) deltaAt(epsilon float64) float64 {
	x, delta, sizes := numeric.ExpBelow(epsilon), 0.0, 0.0
	for _, o := range d.outcomes {
		more := o.p
		if o.q > 0 {
			more -= x * o.q
		}
		if more > 0 {
			delta, sizes = delta+more, sizes+o.p
		}
	}
	return math.Min(1, delta+4*unit*sizes+float64(len(d.outcomes))*unit*delta)
}

// epsilonAt returns the least ε, to a relative 1e-12, with δ of at most delta. It is +Inf if there
// is none.
func (d discreteBase) epsilonAt(delta float64) float64 {
	return numeric.LeastTrue(1e-12, func(epsilon float64) bool { return d.deltaAt(epsilon) <= delta })
}
