package firstabove

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
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
	base, err := search.run(accountants)
	if err != nil {
		return accounting.NoPrice(), err
	}
	return priceAt(search.Law, base, delta)
}

// run returns what the accountants know of one run of a valid search.
func (e Event) run(accountants []accounting.Accountant) (baserun.Run, error) {
	if err := e.Validate(); err != nil {
		return baserun.Run{}, err
	}
	return baserun.New(e.Base, accountants...)
}

func priceAt(l law.Law, base baserun.Run, delta float64) (accounting.Price, error) {
	k, err := validatedAt(l, base, delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	base = base.Prepared()
	bounds, doubts, err := bestOf(l, base.WithoutProof(), delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	bounds = append(bounds, profileBounds(k, base, delta)...)
	if base.Curve != nil {
		curve, err := Curve(l, base)
		if err != nil {
			return accounting.NoPrice(), err
		}
		best := rdp.CanonneKamathSteinke.Best(curve, delta)
		b := selection.RDPBound(curve, delta, accounting.Bound{Name: "RDP", Theorem: "Lemma 7 of Papernot and Steinke (ICLR 2022), for the first good run (firstabove.Curve)"})
		bounds = append(bounds, settle.Candidate{Bound: b, Ask: renyiCheck(k, base, best.Order, delta)})
		if pure := base.Curve(math.Inf(1)); isGeometric(l) && !math.IsInf(pure, 1) {
			bounds = append(bounds, settle.Candidate{Ask: pureCheck(pure, delta), Bound: accounting.Bound{
				Name: "pure", Theorem: "Theorem 3.1 of Liu and Talwar (STOC 2019)", Published: true,
				Method: fmt.Sprintf("twice the pure ε = %.6g of one run", pure), Epsilon: 2 * pure * (1 + 8*0x1p-53),
			}})
		}
	}
	shown := settle.Settle(bounds, delta, base.Shows(Event{l, base.Event()}))
	least, one := shown.Bounds[0], base.Guarantee(delta)
	if !strings.HasPrefix(least.Name, bestOfPrefix) {
		doubts = nil
	} else if best, err := selection.PriceAt(l, base, delta); err == nil && best.Guarantee.Epsilon.Upper <= least.Epsilon {
		shown.Certificate = postProcessed(best.Guarantee.Certificate) // with its proof
	}
	return accounting.Price{OneRun: one, Bounds: shown.Bounds, Guarantee: accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       delta,
		Neighboring: one.Neighboring,
		Method:      fmt.Sprintf("first above a threshold of at most K runs, K from the %v: %s", l, least.Method),
		Warnings:    slices.Concat(base.Warnings(), least.Warnings, doubts, shown.Warnings),
		Certificate: settle.About(shown.Certificate, Event{l, base.Event()}),
	}}, nil
}

const bestOfPrefix = "best of K, "

// bestOf returns the bounds on the best of K runs, the least with its certificate. There is at
// least one. doubts has the warnings about bounds that were not shown.
func bestOf(l law.Law, base baserun.Run, delta float64) (bounds []settle.Candidate, doubts []error, err error) {
	best, err := selection.PriceAt(l, base, delta)
	if err != nil {
		return nil, nil, fmt.Errorf("firstabove: %w", err)
	}
	for i, b := range best.Bounds {
		b.Name = bestOfPrefix + b.Name
		b.Theorem = "a post-processing of the best of K runs (firstabove.PriceAt): " + b.Theorem
		b.Method = "as the best of K runs: " + b.Method
		b.Published = false
		bounds = append(bounds, settle.Candidate{Bound: b})
		if i == 0 {
			bounds[0].Shown = postProcessed(best.Guarantee.Certificate)
		}
	}
	for _, w := range best.Guarantee.Warnings {
		if errors.Is(w, accounting.ErrUncertified) {
			doubts = append(doubts, w)
		}
	}
	return bounds, doubts, nil
}

// postProcessed returns a certificate of the best of K as one of the search.
func postProcessed(c *accounting.Certificate) *accounting.Certificate {
	if c == nil {
		return nil
	}
	out := *c
	out.Proof = certificate.Proof(selected.RuleFirstBest, nil, c.Proof)
	return &out
}

// renyiCheck returns the check of the curve at an order.
func renyiCheck(k law.Distribution, base baserun.Run, order, delta float64) func() settle.Question {
	given := []string{"the privacy profile of one run", fmt.Sprintf("its Rényi divergence at order %.6g", order)}
	ask := settle.Asked(k.Law(), "the Rényi divergence of a search, converted (firstabove.Curve)", given, func(l selected.Law) selected.Check {
		var points []selected.Known
		for _, known := range ranks.Around(base, delta/math.Max(1, k.Mean())) {
			points = append(points, known.Known()...)
		}
		points = append(points, selected.Known{Epsilon: base.Curve(math.Inf(1)), Delta: 0})
		slices.SortFunc(points, func(a, b selected.Known) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
		return selected.FirstAboveRenyi(l, selected.NewRun(points), order, base.Curve(order))
	})
	return settle.Proving(ask, func() (string, selected.Witness, []*accounting.Proof) {
		w, of := selected.Witness{Order: accounting.Number(order)}, []*accounting.Proof{base.ProveDivergence(order)}
		for _, known := range ranks.Around(base, delta/math.Max(1, k.Mean())) {
			epsilons, shown := known.Proof()
			w.Run, of = append(w.Run, epsilons), append(of, shown)
		}
		return selected.RuleFirstRenyi, w, of
	})
}

// pureCheck returns the check of twice the pure ε of one run.
func pureCheck(pure, delta float64) func() settle.Question {
	return func() settle.Question {
		return settle.Question{
			Claim: "Theorem 3.1 of Liu and Talwar (STOC 2019)",
			Given: []string{"the pure ε of one run"},
			Check: settle.PostProcessed(2*pure, delta),
		}
	}
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
	base, err := search.run(accountants)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	k, err := validatedAt(search.Law, base, delta)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	var bounds []func(epsilon float64) float64
	for _, known := range ranks.AroundReached(base, delta*selection.PairTail/math.Max(1, k.Mean())) {
		best := known.BestOf(k)
		bestAt := func(epsilon float64) float64 { return best(known, epsilon) } // PriceAt has the proof
		bounds = append(bounds, newProfile(k, known).deltaAt, bestAt)
	}
	return selection.PairOf(delta, bounds...)
}
