package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/digits"
)

// Report is everything that [Bounds] computes from one set of scores. Its answer is
// [Report.Headline]. Each of its Bounds holds with its confidence by itself. The largest of them
// does not. WithoutConfidence proves nothing. The zero Report was never computed: it prints that,
// and is an error in JSON. A Report is not read from JSON, only written.
type Report struct {
	Members, NonMembers int
	Delta, Confidence   float64
	Bounds              []Bound             // each with a confidence above 0
	WithoutConfidence   []Bound             // at the best threshold on the same scores, as papers report; may exceed the true ε
	AUC                 accounting.Interval // two-sided, asymptotic
	Advantage           accounting.Interval // the largest TPR - FPR, two-sided
	TPRAtFPR            []Rate              // at 0.1, 0.01 and 0.001
	ROC                 ROC
	Claims              []Verdict // added by the caller; Bounds leaves it empty
	Warnings            []error
	Tied                float64 // share of all scores that equal one of the other class
	Seed                uint64  // of ties, splits and simulations: as Config.Seed it gives this report again; 0 without Bounds
	OneRun              bool    // the scores are of the canaries of one run

	steps steps
}

// MarshalJSON writes the headline, in words and as a bound. After it come bounds,
// without_confidence, auc, advantage and tpr_at_fpr, with the values that they were computed from.
// The zero Report is an error.
func (r Report) MarshalJSON() ([]byte, error) {
	if r.empty() {
		return nil, errors.New("audit: the report was never computed: must come from Bounds or Describe")
	}
	var headline *Bound
	if b, ok := r.Headline(); ok {
		headline = &b
	}
	return json.Marshal(struct {
		Answer     string              `json:"answer"`
		Headline   *Bound              `json:"headline"`
		Members    int                 `json:"members"`
		NonMembers int                 `json:"non_members"`
		Delta      float64             `json:"delta"`
		Confidence float64             `json:"confidence"`
		Bounds     []Bound             `json:"bounds"`
		Without    []Bound             `json:"without_confidence"`
		AUC        accounting.Interval `json:"auc"`
		Advantage  accounting.Interval `json:"advantage"`
		TPRAtFPR   []Rate              `json:"tpr_at_fpr"`
		Claims     []Verdict           `json:"claims,omitempty"`
		Tied       float64             `json:"tied_share"`
		Seed       uint64              `json:"seed,omitempty"`
		Warnings   []string            `json:"warnings"`
	}{r.Answer(), headline, r.Members, r.NonMembers, r.Delta, r.Confidence, r.Bounds, append([]Bound{}, r.WithoutConfidence...), r.AUC, r.Advantage, r.TPRAtFPR, r.Claims, r.Tied, r.Seed, messages(r.Warnings)})
}

// Bound returns the bound of that name, which may be one without confidence.
func (r Report) Bound(name string) (Bound, bool) {
	for _, b := range slices.Concat(r.Bounds, r.WithoutConfidence) {
		if b.Name == name {
			return b, true
		}
	}
	return Bound{}, false
}

// Add appends a bound to Bounds, or to WithoutConfidence if that is 0, with a warning where ties
// raise a doubt about it. A bound that could not be computed becomes a warning of the report.
func (r *Report) Add(b Bound, err error) {
	if err != nil {
		r.Warnings = append(r.Warnings, err)
		return
	}
	b.doubtTies(r.Tied)
	if b.Confidence == 0 {
		r.WithoutConfidence = append(r.WithoutConfidence, b)
		return
	}
	r.Bounds = append(r.Bounds, b)
}

// The headline.
//
// A report holds several bounds, each with the confidence that was asked for. The largest of m such
// bounds is above the truth with chance up to m times the significance. Of 600 audits of a
// mechanism that leaks nothing, 14.5 % had some bound of confidence 0.95 above 0. So one bound is
// the answer of the report, and it is chosen before the scores are seen:
//
//	canaries of one run       one-run-max, at the guesses of Config.Guesses or Config.ExpectedMu,
//	                          else the best for µ = 1
//	Config.Threshold given    clopper-pearson, at that threshold
//	else                      rank-two-tail, at the rank of Config.Rank or Config.ExpectedMu,
//	                          else min(2, n/8), or δ n if that is more and δ is at most 0.1
//
// n is the smaller number of games of a class. Name, rank, threshold and number of guesses follow
// from the Config and from the numbers of scores, which are known beforehand, as δ is. The values
// of the scores have no part in them. So the chance that the headline is above the truth is that of
// one bound. All three assume nothing of the mechanism.

// Headline returns the bound that is the answer of the report. For the canaries of one run it is
// "one-run-max". Otherwise it is "clopper-pearson" if Config.Threshold was given, and
// "rank-two-tail" if not. It was chosen before the scores were seen, and so holds with its
// confidence. The largest of the bounds does not. ok is false if the report has no such bound: it
// is empty, or of [Describe].
func (r Report) Headline() (b Bound, ok bool) {
	if r.OneRun {
		return r.Bound("one-run-max")
	}
	if b, ok = r.Bound("clopper-pearson"); ok && b.Confidence > 0 { // without a threshold that was given it has none
		return b, true
	}
	return r.Bound("rank-two-tail")
}

// Answer returns the headline in words, the first line of a printed report:
// "ε >= 1.8850 at δ = 1e-5, confidence 0.95, nothing assumed but independent games".
func (r Report) Answer() string {
	b, ok := r.Headline()
	switch {
	case ok && b.Epsilon > 0:
		return b.answer()
	case ok:
		return "no leak shown: " + strings.Replace(b.answer(), digits.Lower(0), "0", 1)
	case r.empty():
		return "no audit: nothing was computed"
	}
	return "no bound: none was requested"
}

// empty reports whether nothing was computed.
func (r Report) empty() bool { return r.Members == 0 && r.NonMembers == 0 && len(r.Bounds) == 0 }

// answer returns the bound in words.
func (b Bound) answer() string {
	return fmt.Sprintf("ε >= %s at δ = %s, confidence %s, %s", digits.Lower(b.Epsilon), digits.Delta(b.Delta), digits.Confidence(b.Confidence), b.Assumption.assumed())
}

// assumed returns in a few words what an answer assumes.
func (a Assumption) assumed() string {
	if a == AssumeNothing {
		return "nothing assumed but independent games"
	}
	return "assumed: " + a.Describe()
}

// Ordered returns the bounds in the order to read them. The headline is first. Then come those that
// hold with a confidence, each by itself. Those that prove nothing are last.
func (r Report) Ordered() []Bound {
	headline, _ := r.Headline()
	isHeadline := func(b Bound) bool { return b.Name == headline.Name }
	ordered := slices.Clone(r.Bounds)
	if i := slices.IndexFunc(ordered, isHeadline); i > 0 {
		ordered = slices.Insert(slices.Delete(ordered, i, i+1), 0, headline)
	}
	return append(ordered, r.WithoutConfidence...)
}

// Together returns how the largest of the bounds may be reported, by Bonferroni's correction with
// the numbers of this report. It is empty if there is at most one.
func (r Report) Together() string {
	m := len(r.Bounds)
	if m < 2 {
		return ""
	}
	significance := 1 - r.Confidence
	return fmt.Sprintf("Each bound holds by itself. To report the largest of the %d that have a confidence, ask for confidence %s, which is 1 - %.6g/%d.",
		m, digits.RoundConfidence(1-significance/float64(m), +1, 2), significance, m)
}
