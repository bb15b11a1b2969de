package pld

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld/internal/hull"
)

// ErrNoProfile is the error, wrapped, of [PairAbove] for a profile that never falls below δ.
var ErrNoProfile = errors.New("pld: the profile does not fall below δ up to ε = 256: a pair of laws needs one that does")

// PairAbove returns a pair of laws on finitely many outcomes. It dominates every mechanism whose
// privacy profile is at most profile, in both directions of the neighboring relation. So in any
// composition, and on a Poisson sample, the mechanism costs at most as much as the pair. Prices of
// the pair have no lower end.
//
// profile returns an upper bound on δ, in [0, 1], at each of epsilons, which do not fall. PairAbove
// follows it to an ε where it is far below delta. delta, in (0, 1), is the δ of the question
// divided by the number of runs of the mechanism.
//
// Proof. Let h(x) be the bound at ε = ln x >= 0. It is above H(x) = ∫ (P - x Q)₊ of the mechanism's
// laws on any two neighbors, and above the same with P and Q exchanged. For x < 1, H(x) = 1 - x + ∫
// (xQ - P)₊ <= 1 - x + x h(1/x). H is convex.
//
// Take a list of x that begins with 0, where H is 1, and at each x a value that is at least these
// bounds. Let g be the largest convex function through or below these values, constant behind the
// last x. Then g >= H. Let Q' be the law of r whose density is the second derivative of g. Let P'
// have the density r against Q', and the mass g(∞) where Q' has none. Then ∫ (P' - x Q')₊ = g(x).
//
// If the divergences of a pair are at least those of another everywhere, it dominates the other in
// compositions too. ((1-q) Q' + q P', Q') and its reverse dominate the two directions of a sample.
// The pair is its own mirror image, so one pair serves both directions. ∎
//
// Reference: Zhu, Dong and Wang (2022), arXiv:2106.08567v3, Proposition 8 (the pair of a profile),
// Theorem 10 (composition) and Theorem 11 (Poisson samples).
func PairAbove(delta float64, profile func(epsilons []float64) []float64) (DiscretePair, error) {
	if err := accounting.ValidateDelta(delta); err != nil {
		return DiscretePair{}, fmt.Errorf("pld: %w", err)
	}
	epsilons, deltas, last := hull.List(delta, profile)
	if epsilons == nil {
		return DiscretePair{}, fmt.Errorf("%w: %g there", ErrNoProfile, last)
	}
	with, without := hull.Pair(epsilons, deltas)
	return DiscretePair{With: with, Without: without, Above: true}, nil
}

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
	with, without := hull.Pair(e.Epsilons[:n], hull.Falling(slices.Clone(e.Deltas[:n])))
	base := DiscretePair{With: with, Without: without}.base()
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
