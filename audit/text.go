package audit

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// String returns the report as dpaudit prints it: a line for each bound, what they rest on, AUC, TPR, claims and warnings.
func (r Report) String() string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%d member and %d non-member scores, δ = %g, confidence %g\n", r.Members, r.NonMembers, r.Delta, r.Confidence)
	if r.Tied > 0 {
		fmt.Fprintf(w, "%.3g %% of the scores are tied with the other class; such ties are broken at random by the seed\n", 100*r.Tied)
	}
	fmt.Fprintln(w)
	if len(r.Bounds) > 0 { // [Describe] gives none
		writeBounds(w, r.Bounds)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "AUC %s (two-sided, asymptotic)\n", interval(r.AUC.Lower, r.AUC.Estimate, r.AUC.Upper))
	for _, rate := range r.TPRAtFPR {
		note := ""
		for _, warning := range rate.Warnings {
			note += "  " + warning.Error()
		}
		fmt.Fprintf(w, "TPR at FPR %-5g %s%s\n", rate.FPR, interval(rate.TPR.Lower, rate.TPR.Estimate, rate.TPR.Upper), note)
	}
	for i, verdict := range r.Claims {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, verdict)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %v\n", warning)
	}
	return w.String()
}

// writeBounds prints one line a bound, then what each rests on, then the warnings.
func writeBounds(w io.Writer, bounds []Bound) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "bound\tε >=\tceiling\tconfidence\tassumes")
	for _, b := range bounds {
		confidence := fmt.Sprintf("%g", b.Confidence)
		if b.Confidence == 0 {
			confidence = "none"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", b.Name, FormatLower(b.Epsilon), FormatLower(b.Ceiling), confidence, b.Assumption)
	}
	table.Flush()
	fmt.Fprintln(w)
	for _, a := range assumptions(bounds) {
		fmt.Fprintf(w, "assumes %s: %s\n", a, a.Describe())
	}
	for _, b := range bounds {
		fmt.Fprintf(w, "%s: fixed: %s\n", b.Name, b.Fixed)
		for _, warning := range b.Warnings {
			fmt.Fprintf(w, "%s  warning: %v\n", strings.Repeat(" ", len(b.Name)), warning)
		}
	}
}

func assumptions(bounds []Bound) []Assumption {
	var seen []Assumption
	for _, b := range bounds {
		known := false
		for _, a := range seen {
			known = known || a == b.Assumption
		}
		if !known {
			seen = append(seen, b.Assumption)
		}
	}
	return seen
}

func interval(lower, estimate, upper float64) string {
	return fmt.Sprintf("%.4f [%.4f, %.4f]", estimate, lower, upper)
}
