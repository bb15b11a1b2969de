package firstabove

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PriceAt returns the ε at delta of a search by every bound that applies:
//
//	threshold, NAME    the worst share of good outputs that a profile of a run allows (Bound, ours)
//	RDP                the Rényi bound (Curve, ours)
//	pure               twice the pure ε of a run, if K is geometric (published)
//
// Without accountants named, what is certified of one run counts: see selection.NewBase.
func PriceAt(search Search, delta float64, accountants ...accounting.Accountant) (selection.Price, error) {
	if err := search.Validate(); err != nil {
		return selection.Price{}, err
	}
	base, err := selection.NewBase(search.Base, accountants...)
	if err != nil {
		return selection.Price{}, err
	}
	return priceAt(search.Law, base, delta)
}

func priceAt(l law.Law, base selection.Base, delta float64) (selection.Price, error) {
	k, err := validated(l, base)
	if err != nil {
		return selection.Price{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return selection.Price{}, fmt.Errorf("firstabove: %w", err)
	}
	base = base.Prepared()
	bounds := profileBounds(k, base, delta)
	if base.Curve != nil {
		curve, err := Curve(l, base)
		if err != nil {
			return selection.Price{}, err
		}
		bounds = append(bounds, selection.RDPBound(curve, delta, selection.Bound{Name: "RDP", Theorem: "Lemma 7 of Papernot and Steinke (ICLR 2022), for the first good run (firstabove.Curve)"}))
		if pure := base.Curve(math.Inf(1)); isGeometric(l) && !math.IsInf(pure, 1) {
			bounds = append(bounds, selection.Bound{
				Name: "pure", Theorem: "Theorem 3.1 of Liu and Talwar (STOC 2019)", Published: true,
				Method: fmt.Sprintf("twice the pure ε = %.6g of one run", pure), Epsilon: 2 * pure * (1 + 8*0x1p-53),
			})
		}
	}
	bounds = slices.DeleteFunc(bounds, func(b selection.Bound) bool { return !(b.Epsilon < math.Inf(1)) })
	if len(bounds) == 0 {
		return selection.Price{}, fmt.Errorf("firstabove: no bound is finite for the %v with this base", l)
	}
	slices.SortStableFunc(bounds, func(a, b selection.Bound) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	one := base.Guarantee(delta)
	return selection.Price{Law: l, Base: one, Bounds: bounds, Guarantee: accounting.Guarantee{
		Epsilon:     accounting.UpperBound(bounds[0].Epsilon),
		Delta:       delta,
		Neighboring: one.Neighboring,
		Method:      fmt.Sprintf("first above a threshold of at most K runs, K from the %v: %s", l, bounds[0].Method),
		Warnings:    append(base.Warnings(), bounds[0].Warnings...),
	}}, nil
}

// isGeometric reports whether after each run the next takes place with one chance.
func isGeometric(l law.Law) bool {
	tnb, ok := l.(law.TNB)
	return ok && tnb.Eta == 1
}

// DominatingPair returns a pair of laws on finitely many outcomes that dominates a search, so that package pld composes it with trainings
// and other searches; it is finest about delta. See selection.DominatingPair.
func DominatingPair(search Search, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	if err := search.Validate(); err != nil {
		return pld.DiscretePair{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return pld.DiscretePair{}, fmt.Errorf("firstabove: %w", err)
	}
	base, err := selection.NewBase(search.Base, accountants...)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	k, err := validated(search.Law, base)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	tail := delta * selection.PairTail
	top := math.Inf(1)
	var bounds []func(epsilon float64) float64
	for _, known := range base.KnownAround(tail / math.Max(1, k.Mean())) {
		p := newProfile(k, known)
		bounds, top = append(bounds, p.deltaAt), math.Min(top, p.epsilonAt(tail))
	}
	return selection.PairOf(top, bounds...)
}
