package subsample

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
)

// likelihood prices the event by the likelihood ratios of both parts together. The tuning enters as
// the pair of laws that dominates it, the training by each of its profiles.
//
// Proof. Fix the other records of the sample. The hockey-stick divergence is jointly convex, so a
// bound for each choice of them holds for the mixture. Let r be the ratio of the tuning's output on
// the sample with the record and without. Let s be the ratio of the training's output on its data
// with the record and without, given the tuning's output. The record is in the sample with chance
// q. Then the ratio of the outputs with the record and without is
//
//	q r + (1-q) s         training on the rest: the record changes one of both
//	s (1 - q + q r)       training on all: it changes the training, and the tuning with chance q
//
// Let H(t) = ∫ (s - t)₊, and let H' be that of the training with both data sets exchanged. Then ∫
// (t - s)₊ = t H'(1/t). Given the tuning's output, ∫ (. - x)₊ and ∫ (1 - x .)₊ over the training
// are
//
//	(1-q) H((x - qr)/(1-q)), or qr + (1-q) - x where x <= qr       (1 - xqr)₊ H'(x(1-q)/(1 - xqr))
//	(1-q+qr) H(x/(1-q+qr))                                          H'(x (1-q+qr))
//
// Each is convex in r, as a mean of convex functions. A pair that dominates the tuning has a larger
// mean of every convex function of r. The profile of the training bounds H and H'. ∎
//
// How tight: with one run it is exact to 1 % of δ (TestGaussiansAgainstPrices). With more runs, the
// order of the tuning's outputs that is worst at one ratio leaks 0.56 to 0.95 of δ in six cases,
// and 0.16 in one. In ε these gaps are 0.4 to 4 %, and 8 % (TestWorstOrderAgainstPrices). The pair
// takes the worst order at each ratio, and a training needs many ratios.
//
// Reference: derived here. For the mixture of likelihood ratios see Zhu, Dong and Wang (2022),
// arXiv:2106.08567v3, Section 3.
func (s subsampled) likelihood() ([]settle.Candidate, error) {
	pair, err := s.pair()
	if err != nil {
		return nil, nil // too little is known of the tuning
	}
	var bounds []settle.Candidate
	for _, training := range s.trainings() {
		epsilon := leastEpsilon(func(epsilon float64) float64 {
			return mixtureDelta(pair.DiscretePair, training.Stick, s.TuningRate, epsilon, s.Variant)
		}, s.delta)
		if epsilon > mostEpsilon {
			continue
		}
		ask := func() settle.Question {
			run := selected.NewRun(training.Known())
			return settle.Question{
				Claim: "the likelihood ratios of a tuning on a sample and a training (subsample, likelihood.go)",
				Given: []string{"that the pair of laws dominates the tuning", "the privacy profile of the training by " + training.Name},
				Check: selected.Fates(selected.NewRun(profileOf(pair.DiscretePair)), run, s.TuningRate, s.Variant == AllData),
				Prove: func() (string, selected.Witness, []*accounting.Proof) { return proofOf(training, pair.shown) },
			}
		}
		bounds = append(bounds, settle.Candidate{Ask: ask, Bound: accounting.Bound{
			Name:    "likelihood ratios, " + training.Name,
			Theorem: "the pair of laws that dominates the tuning and the privacy profile of the training (subsample: likelihood.go)",
			Method:  fmt.Sprintf("likelihood ratios of a tuning and a training, the training by %s", training.Name),
			Epsilon: epsilon,
		}})
	}
	return bounds, nil
}

// proofOf returns what shows a tuning and a training after it, from what shows the tuning.
func proofOf(training ranks.Bounds, tuning selection.Shown) (string, selected.Witness, []*accounting.Proof) {
	epsilons, shown := training.Proof()
	of := certificate.Proof(selected.RuleValues, selected.Witness{Run: []selected.Epsilons{epsilons}}, shown)
	return selected.RuleFates, selected.Witness{}, []*accounting.Proof{tuning(), of}
}

// profileOf returns the profile of a pair at the ratios of its outcomes.
func profileOf(pair pld.DiscretePair) (known []selected.Known) {
	for _, epsilon := range settle.Ratios(pair.With, pair.Without) {
		known = append(known, selected.Known{Epsilon: epsilon, Delta: attach.OfPair(pair.With, pair.Without, epsilon)})
	}
	return known
}

// mostEpsilon is the largest ε of the search, as in selection.PointwiseAt.
const mostEpsilon = 600

// mixtureDelta returns the larger δ at ε >= 0 of both directions. What hockey returns bounds H and
// H' from above.
func mixtureDelta(pair pld.DiscretePair, hockey func() func(t float64) float64, rate, epsilon float64, variant Variant) float64 {
	x := numeric.ExpBelow(epsilon)
	direction := onRest
	if variant == AllData {
		direction = onAll
	}
	with, without := direction(hockey(), hockey(), rate, x)
	forth, back := 0.0, 0.0
	for i, p := range pair.With {
		if q := pair.Without[i]; q > 0 {
			forth += q * with(p/q)
			back += q * without(p/q)
		} else {
			forth += rate * p
		}
	}
	return math.Min(1, math.Max(forth, back)*(1+1e-9))
}

func onRest(forth, back func(t float64) float64, rate, x float64) (with, without func(r float64) float64) {
	other := 1 - rate
	with = func(r float64) float64 {
		left := x - rate*r
		switch {
		case left <= 0:
			return other - left
		case other == 0:
			return 0
		}
		return other * forth(left/other)
	}
	without = func(r float64) float64 {
		left := 1 - x*rate*r
		switch {
		case left <= 0:
			return 0
		case other == 0:
			return left
		}
		return left * back(x*other/left)
	}
	return with, without
}

func onAll(forth, back func(t float64) float64, rate, x float64) (with, without func(r float64) float64) {
	ratio := func(r float64) float64 { return 1 - rate + rate*r }
	with = func(r float64) float64 {
		if ratio(r) == 0 {
			return 0
		}
		return ratio(r) * forth(x/ratio(r))
	}
	return with, func(r float64) float64 { return back(x * ratio(r)) }
}
