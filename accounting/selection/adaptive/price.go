package adaptive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/certificate/unproved"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PriceAt returns the ε at delta of a tuning by proposals, by every bound that applies:
//
//	pointwise, NAME         the ranks that a profile of a run and the densities allow (ours)
//	RDP                     Lemma 7 with the densities (ours)
//	composition, NAME       all runs published, if there are at most 10 (see package selection)
//	published runs, NAME    the same, averaged over K
//
// The last two hold for any proposals, as every candidate has the base guarantee. They are the
// least if C/c is large and there are few runs. The price is checked in intervals, as in package
// selection. For the accountants see baserun.New.
func PriceAt(e Event, delta float64, accountants ...accounting.Accountant) (accounting.Price, error) {
	t, err := e.prepared(delta, accountants)
	if err != nil {
		return accounting.NoPrice(), err
	}
	bounds, err := t.published(delta)
	if err != nil {
		return accounting.NoPrice(), err
	}
	bounds = append(bounds, t.pointwise(delta)...)
	if t.base.Curve != nil {
		more, err := t.renyi(delta)
		if err != nil {
			return accounting.NoPrice(), err
		}
		bounds = append(bounds, more)
	}
	for i := range bounds {
		bounds[i].Epsilon *= 1 + 8*0x1p-53
	}
	if len(bounds) == 0 {
		bounds = append(bounds, settle.Candidate{Bound: accounting.Bound{Name: "none", Method: "no finite bound", Epsilon: math.Inf(1)}})
	}
	shown := settle.Settle(bounds, delta, nil)
	least := shown.Bounds[0]
	return accounting.Price{OneRun: t.base.Guarantee(delta), Bounds: shown.Bounds, Guarantee: accounting.Guarantee{
		Epsilon:     accounting.UpperBound(least.Epsilon),
		Delta:       delta,
		Neighboring: t.base.Relation(),
		Method:      fmt.Sprintf("best of K proposed runs, K from the %v, densities %g to %g: %s", e.Law, e.Least, e.Most, least.Method),
		Warnings:    slices.Concat(t.base.Warnings(), least.Warnings, shown.Warnings),
		Certificate: shown.Certificate,
	}}, nil
}

// tuning is a valid event with what is known of one run.
type tuning struct {
	Event
	k    law.Distribution
	base baserun.Run
}

func (e Event) prepared(delta float64, accountants []accounting.Accountant) (t tuning, err error) {
	if err := e.Validate(); err != nil {
		return t, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return t, fmt.Errorf("adaptive: %w", err)
	}
	k, err := law.Of(e.Law)
	if err != nil {
		return t, fmt.Errorf("adaptive: %w", err)
	}
	base, err := baserun.New(e.Base, accountants...)
	return tuning{e, k, base.Prepared()}, err
}

// share returns the δ of one run that matters.
func (t tuning) share(delta float64) float64 { return delta / (t.Most * math.Max(1, t.k.Mean())) }

// pointwise returns one bound for each profile of a run.
//
// Theorem. Let Q and Q' be the laws of one run on neighboring data, with a candidate from the
// prior, and H(t) = ∫ (Q - t Q')₊ as in package ranks, in either direction. Let P~(u) be the
// largest v in [0, 1] such that (u, v) and (1-v, 1-u) obey, in the place of (u, v),
//
//	v <= C H + (C t/c) u,              v <= 1-c + c H + t u,
//	v <= C H + t (C-1) + t u,          v <= 1-c + c H + c t (1-1/C) + (c t/C) u
//
// for all t > 0, with H = H(t). Let
//
//	M(r) = sup over u in [0, 1] of (r f'(1-u) - e^ε f'(1-P~(u)))₊.
//
// Then δ_A(ε) <= ∫ C H(tc/C) dM'(t) for every ε >= 0.
//
// Proof. An output of a run is its candidate, what it released and its score, and a uniform mark
// that breaks ties. So the order is strict. Let h be what the earlier runs have put out. The
// candidate of the next run has the density ρ_h relative to the prior. ρ_h is the same function on
// both data sets, because it is computed from h only. Given its candidate, the run does not depend
// on h. So the run has the law ρ_h Q, or ρ_h Q' on the other data set, and c <= ρ_h <= C.
//
// Let B be the outputs that rank better than an output y. Let u be the infimum over h of ∫_B ρ_h Q,
// and v the supremum over h of ∫_B ρ_h Q'. Suppose K = k. Integrate over the runs from the last to
// the first. Whatever came before, run i is not better than y with chance at most 1-u, and run j is
// at y with density at most C Q(y). So run j is at y and all others are not better with density at
// most C Q(y) (1-u)^(k-1). Sum over j and k: the release has the density
//
//	A <= C Q f'(1-u),    and likewise    A' >= c Q' f'(1-v).
//
// This holds also if proposals depend on K. K = 0 releases the same constant on both sides and adds
// nothing at ε >= 0.
//
// ρ_h Q and ρ_h Q' have mass 1. So with q = Q(B) and q' = Q'(B)
//
//	u >= max(c q, 1 - C (1-q)),    v <= min(C q', 1 - c (1-q')),
//
// and q' <= H(t) + t q for every t > 0. Each of the two bounds on v, with each of the two on q, is
// one of the four inequalities. They hold for the outputs outside of B too, with Q and Q'
// exchanged: these have the chances 1-v at least and 1-u at most. So v <= P~(u). f' does not fall
// on [0, 1]: with r = C Q/(c Q')
//
//	A - e^ε A' <= C Q f'(1-u) - e^ε c Q' f'(1-P~(u)) <= c Q' M(r),
//
// and A <= C Q E[K] where Q' = 0. M is convex with M(0) = 0 and slopes in [0, E[K]], so the
// integral is at most ∫ (∫ (C Q - t c Q')₊) dM'(t), which is ∫ C H(tc/C) dM'(t). ∎
//
// How much it costs. Proposals that know the data set nearly attain the bound where E[K] C δ is
// small (TestKnowingProposalsAttainTheBound), and after many runs they know it. After few runs they
// do not. Then the bound may be far above the worst proposals (TestWorstProposals), and published
// runs may cost less.
func (t tuning) pointwise(delta float64) (bounds []settle.Candidate) {
	for _, known := range ranks.Around(t.base, t.share(delta)) {
		found := known.Proposed(t.k, t.Least, t.Most)
		epsilon := found.EpsilonAt(delta)
		if math.IsInf(epsilon, 1) {
			continue
		}
		given := []string{"the privacy profile of one run by " + known.Name}
		bounds = append(bounds, settle.Candidate{Bound: accounting.Bound{
			Name:    "pointwise, " + known.Name,
			Theorem: "the ranks that the privacy profile and the densities of proposals allow (adaptive.PriceAt)",
			Method:  fmt.Sprintf("pointwise bound on the privacy profile of one run by %s", known.Name),
			Epsilon: epsilon,
		}, Ask: settle.Asked(t.k.Law(), "the ranks that a privacy profile and the densities of proposals allow, one by one (adaptive.PriceAt)", given, func(l selected.Law) selected.Check {
			run := selected.NewRun(known.Known())
			claim := selected.Claim{Slopes: found.Slopes, Weights: found.Weights}
			inner := selected.Pointwise(l, run.Proposed(t.Least, t.Most), run, claim, delta/t.Most)
			return selected.Proposals(inner, t.Least, t.Most)
		})})
	}
	return bounds
}

// run returns the run that Lemma 7 of package selection is asked about:
//
//	D_λ(A‖A') <= ln( f(0) + E[K] e^((λ-1)(L + ε~(λ))) )/(λ-1)
//	ε~(λ) = ε(λ) + λ/(λ-1) ln C - ln c
//
// L is the MaxLogWeight of the law at λ for a profile δ~, and for those of ε~. At e, δ~ is the
// least term without u of the inequalities of pointwise whose factor of u is e^e.
//
// Proof. With A <= C Q f'(1-u) and A' >= c Q' f'(1-v) as in the proof of pointwise,
//
//	∫ A^λ A'^(1-λ) <= f(0) + C^λ c^(1-λ) ∫ Q^λ Q'^(1-λ) f'(1-u)^λ f'(1-v)^(1-λ).
//
// The factor C^λ c^(1-λ) is e^((λ-1)(ε~(λ) - ε(λ))). The laws (u, 1-u) and (v, 1-v) obey the
// profile δ~ in both directions, as u is also at most any ρ_h Q(B) and v at least any ρ_h Q'(B).
// The divergence of any ρ_h Q to any ρ_h' Q' is at most ε~. So MaxLogWeight bounds the weight of
// f'. ∎
func (t tuning) run() baserun.Run {
	curve, gain, loss := t.base.Curve, numeric.Log(t.Most), numeric.Log(t.Least)
	apart := gain - loss
	run := baserun.Run{Name: t.base.Name, Neighboring: t.base.Neighboring, Curve: func(order float64) float64 {
		if math.IsInf(order, 1) {
			return curve(order) + apart
		}
		return curve(order) + order/(order-1)*gain - loss
	}}
	for _, s := range t.base.FastSources() {
		run.Profiles = append(run.Profiles, baserun.Profile{Name: s.Name, DeltaAt: func(e float64) float64 {
			stick := func(e float64) float64 {
				if e < 0 {
					return -math.Expm1(e) + math.Exp(e)*s.DeltaAt(-e)
				}
				return s.DeltaAt(e)
			}
			const up = 1 + 16*0x1p-53                    // above the rounding of a sum or a product
			slack := 8 * 0x1p-53 * (math.Abs(e) + apart) // e near apart cancels, and the profile falls
			here, more := stick(e), math.Exp(e)*(t.Most-1)
			rest := 1 - t.Least + min(t.Least*here, t.Least*stick(e+apart-slack)+more)
			return min(1, up*t.Most*stick(e-apart-slack), up*(t.Most*here+more), up*rest)
		}})
	}
	return run
}

// renyi returns the Rényi bound at the order that is best at delta. The check takes one run's
// divergence at that order, and its profiles.
func (t tuning) renyi(delta float64) (settle.Candidate, error) {
	run := t.run()
	curve, err := selection.Lemma7(t.Law, run)
	if err != nil {
		return settle.Candidate{}, err
	}
	order := rdp.CanonneKamathSteinke.Best(curve, delta).Order
	given := []string{"the privacy profile of one run", fmt.Sprintf("its Rényi divergence at order %.6g", order)}
	return settle.Candidate{Bound: selection.RDPBound(curve, delta, accounting.Bound{
		Name:    "RDP",
		Theorem: "Lemma 7 of Papernot and Steinke (ICLR 2022) with the densities of proposals (adaptive.CurveOf)",
	}), Ask: settle.Asked(t.k.Law(), "the Rényi divergence of a tuning by proposals, converted (adaptive.CurveOf)", given, func(l selected.Law) selected.Check {
		l.Log = nil // the check is that of Lemma 7
		all := []selected.Known{{Epsilon: t.base.Curve(math.Inf(1)), Delta: 0}}
		for _, known := range ranks.Around(t.base, t.share(delta)) {
			all = append(all, known.Known()...)
		}
		slices.SortFunc(all, func(a, b selected.Known) int {
			return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
		})
		return selected.Renyi(l, selected.NewRun(all).Proposed(t.Least, t.Most), order, run.Curve(order)*(1+0x1p-48))
	})}, nil
}

// published returns the bounds of package selection that publish all runs.
func (t tuning) published(delta float64) (bounds []settle.Candidate, err error) {
	price, err := selection.PriceAt(t.Law, t.base.WithoutProof(), delta)
	if err != nil {
		return nil, fmt.Errorf("adaptive: %w", err)
	}
	for _, b := range price.Bounds {
		ask := func() settle.Question {
			return settle.Question{
				Claim: "a post-processing of all runs (adaptive.PriceAt)",
				Given: []string{"ε of the largest number of runs, by " + b.Method},
				Check: settle.PostProcessed(b.Epsilon, delta),
			}
		}
		if strings.HasPrefix(b.Name, "published runs, ") {
			ask = t.averaged(delta)
		} else if !strings.HasPrefix(b.Name, "composition, ") {
			continue
		}
		bounds = append(bounds, settle.Candidate{Bound: b, Ask: ask})
	}
	return bounds, nil
}

// mostPublished limits the runs that a check sums over. What is left counts as δ.
const mostPublished = 400

// averaged returns the check of the mean cost of publishing all runs.
func (t tuning) averaged(delta float64) func() settle.Question {
	family, name := t.base.ComposedDelta()
	most := 1
	for most < mostPublished && t.k.TailBound(most) > delta/1000 {
		most++
	}
	given := []string{fmt.Sprintf("the privacy profiles of 1 to %d runs by %s", most, name)}
	return settle.Asked(t.k.Law(), "the convexity of the privacy profile in the pair of laws (adaptive.PriceAt)", given, func(l selected.Law) selected.Check {
		return unproved.Published(l, most, family)
	})
}

// CurveOf returns a Rényi curve of a tuning by proposals, in nats. The accountants price one run:
// see baserun.New.
func CurveOf(e Event, accountants ...accounting.Accountant) (rdp.Curve, error) {
	t, err := e.prepared(0.5, accountants)
	if err != nil {
		return nil, err
	}
	if t.base.Curve == nil {
		return nil, fmt.Errorf("adaptive: Rényi curve of %s: %w", t.base.Name, accounting.ErrUnsupportedEvent)
	}
	return selection.Lemma7(e.Law, t.run())
}

// DominatingPair returns a pair of laws on finitely many outcomes that dominates a tuning by
// proposals. Package pld composes the pair with trainings and other tunings. It is finest for
// prices at delta. See selection.DominatingPair.
func DominatingPair(e Event, delta float64, accountants ...accounting.Accountant) (pld.DiscretePair, error) {
	t, err := e.prepared(delta, accountants)
	if err != nil {
		return pld.DiscretePair{}, err
	}
	var bounds []func(epsilon float64) float64
	for _, known := range ranks.AroundReached(t.base, t.share(delta)*selection.PairTail) {
		bounds = append(bounds, known.Proposed(t.k, t.Least, t.Most).DeltaAt)
	}
	return selection.PairOf(delta, bounds...)
}
