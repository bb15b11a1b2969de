package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/law"
)

// DominatingPair returns a pair of laws on finitely many outcomes that dominates the best of K runs of event.Base: in any composition
// the tuning costs no more than the pair does, in both directions of the neighboring relation. So package pld composes tunings
// with trainings and with each other. The pair is finest for a composition that is asked for about delta.
//
// It is an error where no profile of a run is known, or its ε is above 150.
//
// Proof. By PointwiseAt's theorem h(x), the bound at ε = ln x >= 0, is above the divergence H(x) = ∫ (A - x A')₊ of the released
// laws, and so it is with A and A' exchanged; for x < 1, H(x) = 1 - x + ∫ (xA' - A)₊ <= 1 - x + x h(1/x). H is convex. Let g be
// the largest convex function through values not below these at a list of x, beginning with (0, 1), and constant behind its end: g >= H. The
// measure on r with density the second derivative of g is that of a law Q; with P of density r against it, and of mass g(∞) where Q has none,
// ∫ (P - x Q)₊ = g(x). A pair whose divergences are nowhere below those of another dominates it in compositions too. ∎
//
// Reference: Zhu, Dong and Wang (2022), arXiv:2106.08567v3, Proposition 8 and Theorem 10; the profile is derived here.
func DominatingPair(event Event, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	if err := event.Validate(); err != nil {
		return pld.DiscretePair{}, err
	}
	base, err := NewBase(event.Base, accountants...)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	return DominatingPairOf(event.Law, base, delta)
}

// DominatingPairOf is DominatingPair of runs of which base is known.
func DominatingPairOf(l law.Law, base Base, delta float64) (pld.DiscretePair, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return pld.DiscretePair{}, fmt.Errorf("selection: %w", err)
	}
	return dominatingPair(k, base.Prepared(), delta)
}

const (
	// PairTail is the share of delta down to which the profile of a pair is followed.
	PairTail = 1e-5
	// pairSteps is how many values of the profile there are up to there, for ε >= 0.
	pairSteps = 800
	// pairRounding raises the profile by more than the differences of its slopes lose: some 1e-14 at each of them.
	pairRounding = 1e-9
)

var errNoPair = errors.New("selection: no profile of one run is known up to ε = 150: a pair needs one")

// dominatingPair is that of what is valid and prepared. Several profiles of a run are used together, the least at each ε.
func dominatingPair(k law.Distribution, base Base, delta float64) (pld.DiscretePair, error) {
	tail := delta * PairTail
	var bounds []func(epsilon float64) float64
	top := math.Inf(1)
	for _, s := range base.pointwiseSources() {
		known, scale, ok := s.knownFor(tail / math.Max(1, k.Mean()))
		if !ok {
			continue
		}
		p, h := newPointwise(k, known, scale), newHockey(known)
		bounds = append(bounds, func(epsilon float64) float64 { return p.deltaAt(epsilon, h) })
		top = math.Min(top, p.epsilonAt(tail, h))
	}
	return PairOf(top, bounds...)
}

// PairOf returns a pair of laws on finitely many outcomes whose divergences, in either order, are nowhere below those of a mechanism. Each
// of bounds is above its privacy profile, in both directions; the least of them is asked at some ε from 0 to top, where the profile should be
// far below the δ that matters. It is an error if nothing is known. The proof is that of DominatingPair.
func PairOf(top float64, bounds ...func(epsilon float64) float64) (pld.DiscretePair, error) {
	if len(bounds) == 0 || !(top >= 0) || math.IsInf(top, 1) {
		return pld.DiscretePair{}, errNoPair
	}
	var points []point // (x, H(x)), x falling from the top to 1
	for i := pairSteps; i >= 0; i-- {
		epsilon, least := top*float64(i)/pairSteps, 1.0
		for _, bound := range bounds {
			least = math.Min(least, bound(epsilon))
		}
		points = append(points, point{math.Exp(epsilon), math.Min(1, least*(1+pairRounding))})
	}
	return pairOf(points), nil
}

// pairOf returns the pair whose divergences are those of the lower convex hull of the points (x, H(x)), x >= 1 falling, and of their
// mirror images (1/x, 1 - 1/x + H(x)/x), and constant behind the largest x. The pair is its own mirror image: masses at r and
// 1/r are exchanged, so that the small ones keep their digits, and what is left has r = 1.
func pairOf(points []point) pld.DiscretePair {
	corners, first := symmetricHull(points)
	var pair pld.DiscretePair
	rest := 1.0
	add := func(p, q float64) {
		pair.With, pair.Without = append(pair.With, p, q), append(pair.Without, q, p)
		rest -= p + q
	}
	slope := func(i int) float64 { // before corner i
		if i == len(corners) {
			return 0
		}
		return (corners[i].b - corners[i-1].b) / (corners[i].a - corners[i-1].a)
	}
	for i := first; i < len(corners); i++ {
		if mass := slope(i+1) - slope(i); mass > 0 {
			add(corners[i].a*mass, mass)
		}
	}
	add(corners[len(corners)-1].b, 0)
	pair.With, pair.Without = append(pair.With, math.Max(0, rest)), append(pair.Without, math.Max(0, rest))
	if rest < 0 { // by rounding, far below pairRounding
		for i := range pair.With {
			pair.With[i], pair.Without[i] = pair.With[i]/(1-rest), pair.Without[i]/(1-rest)
		}
	}
	return pair
}

// symmetricHull returns the lower convex hull of (0, 1), the mirror images and the points, and its first corner with x > 1.
func symmetricHull(points []point) (corners []point, first int) {
	all := []point{{0, 1}}
	for _, p := range points {
		if p.a > 1 {
			all = append(all, point{1 / p.a, (1 - 1/p.a) + p.b/p.a})
		}
	}
	for i := len(points) - 1; i >= 0; i-- {
		all = append(all, points[i])
	}
	for _, c := range all {
		for len(corners) > 1 && turnsDown(corners[len(corners)-2], corners[len(corners)-1], c) {
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, c)
	}
	for first < len(corners) && corners[first].a <= 1 {
		first++
	}
	return corners, first
}
