package firstabove

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PriceAt returns the ε at delta of a search by every bound that applies:
//
//	threshold, NAME    the worst share of good outputs that a profile of a run allows (Bound, ours)
//	RDP                the Rényi bound (Curve, ours)
//	pure               twice the pure ε of a run, if K is geometric (published)
//	best of K, NAME    the bound NAME of selection.PriceAt on the best of K runs; the search is a
//	                   post-processing of it (ours)
//
// So a search never costs more than the best of as many runs. ε is +Inf if no bound is finite. For
// the accountants see baserun.New.
//
// Proof that the search is a post-processing of the best of K. Give each run a uniform mark in (0,
// 1), drawn without looking at the data. The pairs (output, mark) have the same divergences on
// neighboring data as the outputs. Rank good outputs above bad ones, and within both by the mark,
// the smaller the better. The order is strict, and does not look at the data. Sorted by their
// marks, K runs are a sequence of K independent runs. So the best of K marked runs is the first
// good one of such a sequence, if one is good. Forget the mark, and put the default where the best
// run is bad or K = 0: this is the search. Every bound of package selection holds for every such
// order. ∎
//
// The marks are needed. The search releases the first of equally good runs, and that choice among
// their outputs depends on the data. See selection.TieFirst.
func PriceAt(search Event, delta float64, accountants ...accounting.Accountant) (accounting.Price, error) {
	if err := search.Validate(); err != nil {
		return accounting.NoPrice(), err
	}
	base, err := baserun.New(search.Base, accountants...)
	if err != nil {
		return accounting.NoPrice(), err
	}
	return priceAt(search.Law, base, delta)
}

func priceAt(l law.Law, base baserun.Run, delta float64) (accounting.Price, error) {
	k, err := validated(l, base)
	if err != nil {
		return accounting.NoPrice(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoPrice(), fmt.Errorf("firstabove: %w", err)
	}
	base = base.Prepared()
	bounds, err := bestOf(l, base, delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	bounds = append(bounds, profileBounds(k, base, delta)...)
	if base.Curve != nil {
		curve, err := Curve(l, base)
		if err != nil {
			return accounting.NoPrice(), err
		}
		bounds = append(bounds, selection.RDPBound(curve, delta, accounting.Bound{Name: "RDP", Theorem: "Lemma 7 of Papernot and Steinke (ICLR 2022), for the first good run (firstabove.Curve)"}))
		if pure := base.Curve(math.Inf(1)); isGeometric(l) && !math.IsInf(pure, 1) {
			bounds = append(bounds, accounting.Bound{
				Name: "pure", Theorem: "Theorem 3.1 of Liu and Talwar (STOC 2019)", Published: true,
				Method: fmt.Sprintf("twice the pure ε = %.6g of one run", pure), Epsilon: 2 * pure * (1 + 8*0x1p-53),
			})
		}
	}
	accounting.LeastFirst(bounds)
	one := base.Guarantee(delta)
	return accounting.Price{OneRun: one, Bounds: bounds, Guarantee: accounting.Guarantee{
		Epsilon:     accounting.UpperBound(bounds[0].Epsilon),
		Delta:       delta,
		Neighboring: one.Neighboring,
		Method:      fmt.Sprintf("first above a threshold of at most K runs, K from the %v: %s", l, bounds[0].Method),
		Warnings:    append(base.Warnings(), bounds[0].Warnings...),
	}}, nil
}

// bestOf returns the bounds on the best of K runs. There is at least one.
func bestOf(l law.Law, base baserun.Run, delta float64) ([]accounting.Bound, error) {
	best, err := selection.PriceAt(l, base, delta)
	if err != nil {
		return nil, fmt.Errorf("firstabove: %w", err)
	}
	for i, b := range best.Bounds {
		best.Bounds[i].Name = "best of K, " + b.Name
		best.Bounds[i].Theorem = "a post-processing of the best of K runs (firstabove.PriceAt): " + b.Theorem
		best.Bounds[i].Method = "as the best of K runs: " + b.Method
		best.Bounds[i].Published = false
	}
	return best.Bounds, nil
}

// isGeometric reports whether the law is geometric: after each run the next takes place with the
// same chance.
func isGeometric(l law.Law) bool {
	tnb, ok := l.(law.TNB)
	return ok && tnb.Eta == 1
}

// DominatingPair returns a pair of laws on finitely many outcomes that dominates a search. Package
// pld composes the pair with trainings and other searches. It is finest for prices at delta. See
// selection.DominatingPair.
func DominatingPair(search Event, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	if err := search.Validate(); err != nil {
		return pld.DiscretePair{}, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return pld.DiscretePair{}, fmt.Errorf("firstabove: %w", err)
	}
	base, err := baserun.New(search.Base, accountants...)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	k, err := validated(search.Law, base)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	var bounds []func(epsilon float64) float64
	for _, known := range ranks.Around(base, delta*selection.PairTail/math.Max(1, k.Mean())) {
		best := known.BestOf(k)
		bestAt := func(epsilon float64) float64 { return best(known, epsilon) } // PriceAt has the proof
		bounds = append(bounds, newProfile(k, known).deltaAt, bestAt)
	}
	return selection.PairOf(delta, bounds...)
}
