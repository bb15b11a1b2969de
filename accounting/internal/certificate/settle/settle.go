// Package settle chooses the price of a selection among bounds, and shows it by a check of package
// selected. Verifiers do not need it.
package settle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/laws/lawof"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Question is what is to be shown for one bound.
type Question struct {
	Claim string   // with its theorem
	Given []string // what is taken from elsewhere
	Check selected.Check

	// Prove returns a rule and its witness, and what shows the profiles of the run. The proof takes
	// nothing from elsewhere. Prove may be nil, and so may be what shows a profile.
	Prove func() (rule string, w selected.Witness, of []*accounting.Proof)
	// Proof is that of Check, if this takes nothing from elsewhere and needs no slack.
	Proof *accounting.Proof
}

// Shows returns an upper bound of δ of a selection at epsilon by a step of a proof. See
// verify.Checker.
type Shows func(s accounting.Step, epsilon, delta float64) (float64, error)

// Proving returns a question that has a proof too.
func Proving(ask func() Question, prove func() (rule string, w selected.Witness, of []*accounting.Proof)) func() Question {
	return func() Question {
		q := ask()
		q.Prove = prove
		return q
	}
}

// Asked returns a question whose check is made from the law in intervals. Without such a law the
// check proves nothing.
func Asked(l law.Law, claim string, given []string, check func(l selected.Law) selected.Check) func() Question {
	return func() Question {
		q := Question{Claim: claim, Given: given}
		if made, err := lawof.Interval(l); err == nil {
			q.Check = check(made)
		}
		return q
	}
}

// PostProcessed checks a bound that is a given ε at the δ of the question, of a mechanism that
// reveals no less.
func PostProcessed(given, delta float64) selected.Check {
	return func(epsilon, _ float64) (float64, int) {
		if epsilon >= given {
			return delta, 1
		}
		return 1, 1
	}
}

// steepest is far above -d ln δ/d ln ε of an ordinary profile. A raise that cannot be enough is not
// tried.
const steepest = 1e4

// Certify returns the certificate at the least raised ε at which the check and the proof show δ. If
// no raise is enough for the proof, it is the first one of only the check; nil without one.
func (q Question) Certify(epsilon, delta float64, shows Shows) (checked *accounting.Certificate) {
	if q.Check == nil || !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return nil
	}
	var prove func(slack float64) *accounting.Proof
	total, above := 0, 0.0 // how far the last δ was too large, as a share
	for _, r := range selected.Raises {
		if above > steepest*r.Share && above > 2*r.Slack {
			continue
		}
		at := epsilon * (1 + r.Share)
		shown, work := q.Check(at, r.Slack)
		total += work
		if above = 0; shown < 1 {
			above = shown/delta - 1
		}
		if !(shown <= delta) {
			continue
		}
		if checked == nil {
			checked = &accounting.Certificate{Claim: q.Claim, Epsilon: at, DeltaUpper: shown, Given: q.Given, Work: total, Proof: q.Proof}
			if q.Prove == nil || shows == nil || total > selected.MostParts {
				return checked // what took many seconds is not done again
			}
			prove = q.prover()
		}
		proof := prove(r.Slack)
		if proof == nil {
			return checked
		}
		proven, err := shows(proof.Step, at, delta)
		if err == nil && proven <= delta {
			return &accounting.Certificate{Claim: q.Claim, Epsilon: at, DeltaUpper: proven, Work: total, Proof: proof}
		}
		above = proven/delta - 1
	}
	return checked
}

// prover returns the proof with any slack. Its steps are those of one slice: a checker knows them
// by their place.
func (q Question) prover() func(slack float64) *accounting.Proof {
	rule, w, of := q.Prove()
	first := certificate.Proof(rule, w, of...)
	return func(slack float64) *accounting.Proof {
		w.Slack = slack
		next := certificate.Proof(rule, w)
		if first == nil || next == nil {
			return nil
		}
		next.Of = first.Of
		return next
	}
}

// Candidate is a bound with what can show it.
type Candidate struct {
	accounting.Bound
	Ask   func() Question         // nil if the bound has no check
	Shown *accounting.Certificate // not nil if the bound was shown before
}

// detour limits how far a bound that is shown may be above one that has no check, as a share.
const detour = 1e-4

// aboutAsLow limits how far a bound that is shown may be above one whose check failed, as a share,
// to be the price. Farther ones would change the price and not its certainty.
const aboutAsLow = 1e-3

// Settled is the result of [Settle].
type Settled struct {
	Bounds      []accounting.Bound      // least first
	Certificate *accounting.Certificate // of the first bound; nil if it is not shown
	Warnings    []error                 // each wraps accounting.ErrUncertified
}

// Settle sorts bounds on ε at delta and shows one of them. It asks the least, then the next. The
// first that is shown is the price, if it is at most the share aboutAsLow above those whose check
// failed. They are then raised to the price. A bound without a check is raised if that costs at
// most the share detour, and otherwise is the price, with a warning. In all other cases the least
// bound is the price, with a warning.
func Settle(bounds []Candidate, delta float64, shows Shows) Settled {
	s := settle(leastFirst(bounds), delta, shows)
	accounting.LeastFirst(s.Bounds)
	return s
}

// Sorted is Settle without checks, for searches that check their answer.
func Sorted(bounds []Candidate, _ float64, _ Shows) (s Settled) {
	for _, b := range leastFirst(bounds) {
		s.Bounds = append(s.Bounds, b.Bound)
	}
	return s
}

func leastFirst(bounds []Candidate) []Candidate {
	bounds = slices.Clone(bounds)
	slices.SortStableFunc(bounds, func(a, b Candidate) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
	return bounds
}

func settle(bounds []Candidate, delta float64, shows Shows) (s Settled) {
	unchecked, price := math.Inf(1), -1 // the least bound without a check; the place of the price
	leastFailed := math.Inf(1)
	var failed []error
	for i, b := range bounds {
		done := price >= 0 && b.Epsilon >= s.Certificate.Epsilon // no later bound is less
		if done || b.Epsilon > unchecked*(1+detour) || math.IsInf(b.Epsilon, 1) {
			break
		}
		certificate := b.Shown
		switch {
		case certificate != nil:
		case b.Ask == nil:
			unchecked = min(unchecked, b.Epsilon)
			continue
		default:
			if certificate = b.Ask().Certify(b.Epsilon, delta, shows); certificate == nil {
				leastFailed = math.Min(leastFailed, b.Epsilon)
				failed = append(failed, fmt.Errorf("selection: bound %q, ε <= %s: %w, as its check failed", b.Name, accounting.FormatUpper(b.Epsilon), accounting.ErrUncertified))
				continue
			}
		}
		if price < 0 || certificate.Epsilon < s.Certificate.Epsilon {
			price, s.Certificate = i, certificate
		}
	}
	if price >= 0 && len(failed) > 0 && s.Certificate.Epsilon > leastFailed*(1+aboutAsLow) {
		price, s.Certificate = -1, nil
	}
	if price >= 0 {
		bounds[price].Epsilon = s.Certificate.Epsilon
		s.Bounds = []accounting.Bound{bounds[price].Bound}
		for i, other := range bounds {
			if i != price {
				other.Epsilon = max(other.Epsilon, s.Certificate.Epsilon)
				s.Bounds = append(s.Bounds, other.Bound)
			}
		}
		return s
	}
	for _, b := range bounds {
		s.Bounds = append(s.Bounds, b.Bound)
	}
	switch s.Warnings = failed; {
	case len(bounds) == 0 || math.IsInf(bounds[0].Epsilon, 1): // claims nothing
		s.Warnings = nil
	case bounds[0].Ask == nil:
		s.Warnings = append(s.Warnings, fmt.Errorf("selection: bound %q: %w, as it has no check", bounds[0].Name, accounting.ErrUncertified))
	}
	return s
}

// Proven returns a guarantee with a certificate by a proof, if that shows its ε raised by at most a
// share of 1e-4. ok is false if it does not.
func Proven(g accounting.Guarantee, proof *accounting.Proof, shows Shows) (_ accounting.Guarantee, ok bool) {
	if proof == nil || shows == nil {
		return g, false
	}
	for _, share := range []float64{0, 1e-5, 1e-4} {
		at := g.Epsilon.Upper * (1 + share)
		if delta, err := shows(proof.Step, at, g.Delta); err == nil && delta <= g.Delta {
			g.Epsilon = accounting.UpperBound(at)
			g.Certificate = &accounting.Certificate{Claim: g.Certificate.Claim, Epsilon: at, DeltaUpper: delta, Work: g.Certificate.Work, Proof: proof}
			return g, true
		}
	}
	return g, false
}

// About returns a certificate whose proof has the event that it is about. An event without a JSON
// form has no proof.
func About(c *accounting.Certificate, event accounting.Event) *accounting.Certificate {
	if c == nil || c.Proof == nil {
		return c
	}
	out := *c
	text, err := eventjson.Marshal(event)
	if out.Proof = nil; err == nil && c.Proof.Rule != certificate.RulePairs {
		out.Proof = &accounting.Proof{Version: accounting.ProofVersion, Event: text, Step: c.Proof.Step}
	}
	return &out
}

// Values returns what shows values of a profile, at the ratios of a pair of laws, from proofs that
// hold at any ε. It is nil if one of them is.
func Values(with, without []float64, of ...*accounting.Proof) *accounting.Proof {
	list := Ratios(with, without)
	w := selected.Witness{}
	for range of {
		w.Run = append(w.Run, selected.Epsilons{List: list})
	}
	return certificate.Proof(selected.RuleValues, w, of...)
}

// Ratios returns the logarithms of the finite ratios above 1, rising, to some digits. Between two
// of them, and between the least and its mirror image, a profile is about on its chords.
func Ratios(with, without []float64) []float64 {
	var list []float64
	for i, p := range with {
		if q := without[i]; p > q && q > 0 {
			e, _ := strconv.ParseFloat(strconv.FormatFloat(math.Log1p((p-q)/q), 'g', 8, 64), 64)
			list = append(list, e)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
