package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/audit/internal/digits"
)

// String returns the report as dpaudit prints it. The first line is the answer ([Report.Answer]).
// Verdicts on claims and warnings follow. Then come the other bounds that hold, each by itself. The
// bounds that prove nothing are apart from them. The last line is [Report.Together].
func (r Report) String() string {
	if r.empty() {
		return r.Answer() + "\n"
	}
	w := &strings.Builder{}
	headline, ok := r.Headline()
	if ok {
		fmt.Fprintln(w, r.Answer())
		fmt.Fprintf(w, "%s: %s; perfect scores would show %s\n", headline.Name, headline.ChosenBefore, digits.Lower(headline.Ceiling))
		if headline.Epsilon == 0 {
			fmt.Fprintln(w, "This does not rule out a leak: the attack may be weak, or the games too few.")
		}
	}
	var doubts []error
	for _, verdict := range r.Claims {
		fmt.Fprintln(w, verdict.line())
		doubts = append(doubts, verdict.Warnings...)
	}
	doubts = slices.Concat(doubts, headline.Warnings, r.Warnings)
	for i, doubt := range messages(doubts) {
		if !slices.Contains(messages(doubts[:i]), doubt) { // headline, report and claims share some
			fmt.Fprintf(w, "warning: %s\n", doubt)
		}
	}
	fmt.Fprintf(w, "%d member and %d non-member scores, δ = %s, confidence %s\n", r.Members, r.NonMembers, digits.Delta(r.Delta), digits.Confidence(r.Confidence))
	if r.Tied > 0 {
		fmt.Fprintf(w, "%.3g %% of the scores are tied with the other class; such ties are broken at random by the seed: the first report counts\n", 100*r.Tied)
	}
	hold, uncorrected := r.Ordered()[:len(r.Bounds)], r.WithoutConfidence
	if ok {
		hold = hold[1:]
	}
	writeBounds(w, "Other bounds, each valid by itself under its assumption:", hold, assumptions(hold))
	writeBounds(w, "These prove nothing: they use the best threshold on the same scores, as papers do.", uncorrected, assumptions(uncorrected, hold...))
	fmt.Fprintf(w, "\nAUC %s (two-sided, asymptotic)\n", digits.Interval(r.AUC.Lower, r.AUC.Estimate, r.AUC.Upper))
	fmt.Fprintf(w, "largest TPR - FPR %s (two-sided)\n", digits.Interval(r.Advantage.Lower, r.Advantage.Estimate, r.Advantage.Upper))
	for _, rate := range r.TPRAtFPR {
		note := ""
		for _, warning := range rate.Warnings {
			note += "  " + warning.Error()
		}
		fmt.Fprintf(w, "TPR at FPR %-5g %s%s\n", rate.FPR, digits.Interval(rate.TPR.Lower, rate.TPR.Estimate, rate.TPR.Upper), note)
	}
	if r.Seed != 0 {
		fmt.Fprintf(w, "seed %d gives this report again\n", r.Seed)
	}
	if together := r.Together(); together != "" {
		fmt.Fprintf(w, "\n%s\n", together)
	}
	return w.String()
}

// writeBounds prints a heading and one line a bound. Then it explains the assumptions. Last it
// lists what was fixed for each bound, with its warnings.
func writeBounds(w io.Writer, heading string, bounds []Bound, explain []Assumption) {
	if len(bounds) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "bound\tε >=\tceiling\tconfidence\tassumes")
	for _, b := range bounds {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", b.Name, digits.Lower(b.Epsilon), digits.Lower(b.Ceiling), b.confidence(), b.Assumption)
	}
	table.Flush()
	for _, a := range explain {
		fmt.Fprintf(w, "assumes %s: %s\n", a, a.Describe())
	}
	for _, b := range bounds {
		fmt.Fprintf(w, "%s: %s\n", b.Name, b.ChosenBefore)
		for _, warning := range b.Warnings {
			if warning != errUncorrected { // the heading has it
				fmt.Fprintf(w, "%s  warning: %v\n", strings.Repeat(" ", len(b.Name)), warning)
			}
		}
	}
}

// confidence returns the confidence that holds, in words.
func (b Bound) confidence() string {
	if b.Confidence == 0 {
		return "none"
	}
	return digits.Confidence(b.Confidence)
}

// assumptions returns those of the bounds that none of the others has.
func assumptions(bounds []Bound, others ...Bound) (first []Assumption) {
	for _, b := range bounds {
		known := func(o Bound) bool { return o.Assumption == b.Assumption }
		if !slices.Contains(first, b.Assumption) && !slices.ContainsFunc(others, known) {
			first = append(first, b.Assumption)
		}
	}
	return first
}
