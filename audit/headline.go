package audit

import (
	"fmt"
	"slices"
	"strings"
)

// The headline.
//
// A report holds several bounds, each with the confidence that was asked for. The largest of m such
// bounds is above the truth with chance up to m times the significance. Of 600 audits of a
// mechanism that leaks nothing, 14.5 % had some bound of confidence 0.95 above 0. So one bound is
// the answer of the report, and it is chosen before the scores are seen:
//
//	canaries of one run       one-run-max, at the number of guesses of Config.Guesses or Config.ExpectedMu, else the best for µ = 1
//	Config.Threshold given    clopper-pearson, at that threshold
//	else                      rank-two-tail, at the rank of Config.Rank or Config.ExpectedMu, else min(2, n/8)
//
// n is the smaller number of games of a class. Name, rank, threshold and number of guesses follow
// from the Config and from the numbers of scores. No score has a part in them. So the chance that
// the headline is above the truth is that of one bound. All three assume nothing of the mechanism.

// Headline returns the bound that is the answer of the report. For the canaries of one run it is
// "one-run-max". Else it is "clopper-pearson" if Config.Threshold was given, and "rank-two-tail" if
// not. It was chosen before the scores were seen, so that it holds with its confidence. The largest
// of the bounds does not. ok is false if the report has no such bound: it is empty, or of
// [Describe].
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
		return "no leak shown: " + strings.Replace(b.answer(), FormatLower(0), "0", 1)
	case r.empty():
		return "no audit: nothing was computed"
	}
	return "no bound: none was asked for"
}

// empty reports whether nothing was computed.
func (r Report) empty() bool { return r.Members == 0 && r.NonMembers == 0 && len(r.Bounds) == 0 }

// answer returns the bound in words.
func (b Bound) answer() string {
	return fmt.Sprintf("ε >= %s at δ = %s, confidence %s, %s", FormatLower(b.Epsilon), FormatDelta(b.Delta), formatConfidence(b.Confidence), b.Assumption.assumed())
}

// assumed returns in a few words what an answer rests on.
func (a Assumption) assumed() string {
	if a == AssumeNothing {
		return "nothing assumed but independent games"
	}
	return "assumed: " + a.Describe()
}

// Ordered returns the bounds as a reader should meet them. The headline is first. Those that hold
// with a confidence, each by itself, are next. Those that prove nothing are last.
func (r Report) Ordered() []Bound {
	headline, _ := r.Headline()
	group := func(b Bound) int {
		switch {
		case b.Name == headline.Name:
			return 0
		case b.Confidence > 0:
			return 1
		}
		return 2
	}
	ordered := slices.Clone(r.Bounds)
	slices.SortStableFunc(ordered, func(a, b Bound) int { return group(a) - group(b) })
	return ordered
}

// split returns the bounds other than the headline: those with a confidence, and those with none.
func (r Report) split() (hold, uncorrected []Bound) {
	ordered := r.Ordered()
	if _, ok := r.Headline(); ok {
		ordered = ordered[1:]
	}
	at := slices.IndexFunc(ordered, func(b Bound) bool { return b.Confidence == 0 })
	if at < 0 {
		return ordered, nil
	}
	return ordered[:at], ordered[at:]
}

// Together returns how the largest of the bounds may be reported, by Bonferroni's correction with
// the numbers of this report. It is empty if at most one bound has a confidence.
func (r Report) Together() string {
	m := 0
	for _, b := range r.Bounds {
		if b.Confidence > 0 {
			m++
		}
	}
	if m < 2 {
		return ""
	}
	significance := 1 - r.Confidence
	return fmt.Sprintf("Each bound holds by itself. To report the largest of the %d that have a confidence, ask for confidence %s, which is 1 - %.6g/%d.",
		m, roundConfidence(1-significance/float64(m), +1, 2), significance, m)
}
