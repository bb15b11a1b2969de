// Package expost prices the best of K runs by the candidate that is released. Candidates of
// different ε take part in one tuning, and a cheap winner costs less than an expensive one.
//
//	tuning := expost.Event{Law: law, Candidates: []expost.Candidate{{Event: weak}, {Event: strong}}}
//	prices, err := expost.PriceAt(tuning, 1e-5)
//	fmt.Println(prices[0].Epsilon, prices[1].Epsilon)
//
// The guarantee is ex-post: for neighboring data sets and each set S of outputs,
//
//	P[A in S] <= P[A' in S, no run] + Σ_i e^(ε_i) P[A' in S, candidate i released] + δ.
//
// A release of no run (K = 0) costs nothing. If one ε must be named before the release, name the
// largest or use selection.EventAt. Every price assumes what package selection lists.
//
// Reference: Ghazi, Kamath, Knop, Kumar, Manurangsi and Zhang (2025), "Private Hyperparameter
// Tuning with Ex-Post Guarantee", arXiv:2508.15183, for the question. The bound is derived here.
//
// It promises nothing to other modules.
package expost

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Candidate is the event of a run with one value of the hyper-parameters, its score included.
type Candidate struct {
	Event  accounting.Event
	Weight float64 // chance that a run draws it, in (0, 1]; all 0 means unknown chances
}

// Event is the best of K runs. The candidate of each run is drawn without looking at the data. The
// winning candidate is released with the output.
type Event struct {
	Law        law.Law
	Candidates []Candidate // weights add up to 1 within 1e-9, or all are 0
}

// Price is the cost of releasing one candidate.
type Price struct {
	Epsilon float64 // ex-post, in nats
	One     float64 // ε of one run of it, at the same δ
	Method  string
	// Certificate is the check of Epsilon in outward-rounded arithmetic. It is nil if Epsilon is +Inf,
	// or if the check failed.
	Certificate *accounting.Certificate
	OneChecked  bool // whether One has a certificate
}

// Validate returns every fault, joined.
func (t Event) Validate() error {
	f := check.In("expost: Event.")
	f.That(t.Law != nil, "Law", "is nil", "must be a law")
	if t.Law != nil {
		f.Below("Law", t.Law.Validate())
	}
	f.That(len(t.Candidates) > 0, "Candidates", "is empty", "must hold a candidate")
	known := len(t.Candidates) > 0 && t.Candidates[0].Weight != 0
	sum := 0.0
	for i, c := range t.Candidates {
		at := fmt.Sprintf("Candidates[%d].", i)
		f.That(c.Event != nil, at+"Event", "is nil", "must be an event")
		if c.Event != nil {
			f.Below(at+"Event", c.Event.Validate())
		}
		if check.Unit.Holds(c.Weight) {
			f.Number(at+"Weight", c.Weight, check.Between(0, 1)) // not subnormal
		}
		f.That(check.Unit.Holds(c.Weight) && known == (c.Weight != 0), at+"Weight", c.Weight, check.Rate.Text+", or 0 for all")
		sum += c.Weight
	}
	if known {
		f.That(math.Abs(sum-1) <= 1e-9, "Candidates", fmt.Sprintf("have weights that add up to %.12g", sum), "must be 1 within 1e-9")
	}
	return f.Err()
}

// Statement returns what the prices of PriceAt at delta mean: two sentences that may be quoted, and
// lists of assumptions and of what is not covered.
func Statement(delta float64) string {
	return fmt.Sprintf(`If candidate i is released, its loss is at most ε_i at δ = %[1]g. The guarantee that can be named before the release is the largest ε_i.

Bound: for neighboring data sets and every set S of releases, P[S] <= P'[S, no run] + sum over candidates i of e^(ε_i) P'[S, i released] + %[1]g

Assumptions:
- the number of runs was drawn without looking at the data
- the candidate of each run was drawn without looking at the data
- each run, including its score, is as private as its mechanism states
- noise and samples are drawn without rounding errors
- the seed of all random draws is secret

Not covered:
- the number of runs, the losing runs, their scores and the running time: do not publish them`, delta)
}

// PriceAt returns for each candidate the cost of the tuning if that candidate is released, at delta
// in (0, 1). It is +Inf if nothing is known of the candidate. It asks the profiles of each
// candidate some hundred questions. Each price is checked in intervals, given these profiles.
//
// Proof. A run draws candidate i with chance w_i; Q_i is the law of its output, and with it Q = Σ
// w_i Q_i over pairs of candidate and output. The profile of a run is Σ w_i δ_i(e), at most the
// largest δ_i(e). It allows the ranks P(p) of selection.PointwiseAt. By the proof there, the
// density of the release at an output of candidate i obeys A - e^ε A' <= w_i Q'_i M(Q_i/Q'_i). M is
// from the law and the ranks; the chance w_i is a factor of both Q and Q'. With H_i from δ_i, the
// integral over the outputs of i is at most w_i ∫ H_i dM'. ε_i is where that is w_i δ. Summed over
// the candidates it is δ. The outcome of no run adds nothing. ∎
func PriceAt(t Event, delta float64, accountants ...accounting.Accountant) ([]Price, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return nil, fmt.Errorf("expost: %w", err)
	}
	k, err := law.Of(t.Law)
	if err != nil {
		return nil, fmt.Errorf("expost: %w", err)
	}
	bases, profiles := make([]baserun.Run, len(t.Candidates)), make([]func(float64) float64, len(t.Candidates))
	for i, c := range t.Candidates {
		base, err := baserun.New(c.Event, accountants...)
		if err != nil {
			return nil, fmt.Errorf("expost: Event.Candidates[%d]: %w", i, err)
		}
		bases[i] = base.Prepared()
		profiles[i] = leastProfile(bases[i])
	}
	share := delta / math.Max(1, k.Mean())
	run := baserun.Run{Name: "a run", Profiles: []baserun.Profile{{Name: "mixture", DeltaAt: t.mixed(profiles)}}}
	prices := make([]Price, len(t.Candidates))
	for i, b := range bases {
		one := b.Guarantee(delta)
		prices[i] = Price{Epsilon: math.Inf(1), One: one.Epsilon.Upper, OneChecked: one.Certificate != nil, Method: "no finite bound"}
	}
	for _, all := range ranks.Around(run, share) {
		bound, slopes, weights := all.BestOfShown(k)
		for i, b := range bases {
			for _, one := range ranks.Around(b, share) {
				epsilon := numeric.LeastTrue(1e-9, func(epsilon float64) bool { return epsilon > mostEpsilon || bound(one, epsilon) <= delta })
				if epsilon < math.Min(mostEpsilon, prices[i].Epsilon) {
					prices[i].Epsilon = epsilon * (1 + 1e-9)
					prices[i].Certificate = nil
					given := []string{"the privacy profiles of one run of each candidate"}
					question := settle.Asked(k.Law(), "the ranks that the profile of all candidates allows, one by one (expost.PriceAt)", given, func(l selected.Law) selected.Check {
						return selected.Pointwise(l, selected.NewRun(all.Known()), selected.NewRun(one.Known()), selected.Claim{Slopes: slopes, Weights: weights}, delta)
					})
					if c := question().Certify(prices[i].Epsilon, delta, nil); c != nil {
						prices[i].Epsilon, prices[i].Certificate = c.Epsilon, c
					}
					prices[i].Method = fmt.Sprintf("ranks by the privacy profile of all candidates, outputs by that of the released one, %s (expost.PriceAt)", one.Name)
				}
			}
		}
	}
	return prices, nil
}

// mostEpsilon is the largest ε of the search, as in selection.PointwiseAt.
const mostEpsilon = 600

// mixed returns the profile of a run from those of its candidates. It weighs them by their chances,
// or returns the largest if the chances are unknown.
func (t Event) mixed(profiles []func(float64) float64) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		sum, largest := 0.0, 0.0
		for i, delta := range profiles {
			d := delta(epsilon)
			sum, largest = sum+t.Candidates[i].Weight*d, math.Max(largest, d)
		}
		if t.Candidates[0].Weight == 0 {
			return largest
		}
		return math.Min(largest, sum*(1+1e-8)) // the weights may add up to a little less than 1
	}
}

// leastProfile returns the least of the known profiles of a candidate.
func leastProfile(b baserun.Run) func(epsilon float64) float64 {
	known := b.Sources()
	return func(epsilon float64) float64 {
		least := 1.0
		for _, p := range known {
			least = math.Min(least, p.DeltaAt(epsilon))
		}
		return least
	}
}
