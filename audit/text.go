package audit

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// String returns the report as dpaudit prints it. The first line is the answer ([Report.Answer]).
// Verdicts on claims and warnings follow. Below are the other bounds that hold, each by itself, and
// apart from them those that prove nothing. The last line is [Report.Together].
func (r Report) String() string {
	if r.empty() {
		return r.Answer() + "\n"
	}
	w := &strings.Builder{}
	headline, ok := r.Headline()
	if ok {
		fmt.Fprintln(w, r.Answer())
		fmt.Fprintf(w, "%s: %s; perfect scores would show %s\n", headline.Name, headline.ChosenBefore, FormatLower(headline.Ceiling))
		if headline.Epsilon == 0 {
			fmt.Fprintln(w, "This does not show that there is no leak: the attack may be weak, or the games too few.")
		}
	}
	for _, verdict := range r.Claims {
		fmt.Fprintln(w, verdict)
	}
	for _, warning := range slices.Concat(headline.Warnings, r.Warnings) {
		fmt.Fprintf(w, "warning: %v\n", warning)
	}
	fmt.Fprintf(w, "%d member and %d non-member scores, δ = %s, confidence %s\n", r.Members, r.NonMembers, FormatDelta(r.Delta), formatConfidence(r.Confidence))
	if r.Tied > 0 {
		fmt.Fprintf(w, "%.3g %% of the scores are tied with the other class; such ties are broken at random by the seed: the first report counts\n", 100*r.Tied)
	}
	hold, uncorrected := r.split()
	writeBounds(w, "Other bounds, each valid by itself under what it assumes:", hold, assumptions(hold))
	writeBounds(w, "These prove nothing: the best threshold on the same scores, as in papers.", uncorrected, assumptions(uncorrected, hold...))
	fmt.Fprintf(w, "\nAUC %s (two-sided, asymptotic)\n", formatInterval(r.AUC.Lower, r.AUC.Estimate, r.AUC.Upper))
	for _, rate := range r.TPRAtFPR {
		note := ""
		for _, warning := range rate.Warnings {
			note += "  " + warning.Error()
		}
		fmt.Fprintf(w, "TPR at FPR %-5g %s%s\n", rate.FPR, formatInterval(rate.TPR.Lower, rate.TPR.Estimate, rate.TPR.Upper), note)
	}
	if r.Seed != 0 {
		fmt.Fprintf(w, "seed %d gives this report again\n", r.Seed)
	}
	if together := r.Together(); together != "" {
		fmt.Fprintf(w, "\n%s\n", together)
	}
	return w.String()
}

// writeBounds prints a heading and one line a bound. Then it prints what assumptions mean, and what
// was fixed for each bound, with its warnings.
func writeBounds(w io.Writer, heading string, bounds []Bound, explain []Assumption) {
	if len(bounds) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "bound\tε >=\tceiling\tconfidence\tassumes")
	for _, b := range bounds {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", b.Name, FormatLower(b.Epsilon), FormatLower(b.Ceiling), b.confidence(), b.Assumption)
	}
	table.Flush()
	for _, a := range explain {
		fmt.Fprintf(w, "assumes %s: %s\n", a, a.Describe())
	}
	for _, b := range bounds {
		fmt.Fprintf(w, "%s: fixed: %s\n", b.Name, b.ChosenBefore)
		for _, warning := range b.Warnings {
			if warning != errUncorrected { // the heading says it
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
	return formatConfidence(b.Confidence)
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

// FormatLower writes x >= 0 with four digits after the point, or below 1e-4 with three significant
// ones. It rounds towards zero, so that a printed lower bound is still one.
func FormatLower(x float64) string {
	if x > 0 && x < 1e-4 {
		return significant(x, 3)
	}
	return decimals(x, 4, -1)
}

// decimals writes x with so many digits after the point, rounded up for direction +1 and down for
// -1.
func decimals(x float64, digits int, direction float64) string {
	unit := math.Pow10(-digits)
	for at := x; ; at += direction * unit {
		text := strconv.FormatFloat(at, 'f', digits, 64)
		if printed, err := strconv.ParseFloat(text, 64); err != nil || (printed-x)*direction >= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return text
		}
	}
}

// FormatDelta writes a δ with at most six digits, as "1e-5". It rounds down: a bound that holds at
// a δ holds at every smaller one.
func FormatDelta(delta float64) string { return significant(delta, 6) }

// significant writes x >= 0 with at most so many significant digits, rounded down.
func significant(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if printed, err := strconv.ParseFloat(text, 64); err == nil && printed > x {
		unit := math.Pow10(int(math.Floor(math.Log10(x))) - digits + 1)
		text = strconv.FormatFloat(printed-unit, 'g', digits, 64)
		if printed, err = strconv.ParseFloat(text, 64); err != nil || printed > x {
			text = strconv.FormatFloat(x, 'g', -1, 64) // all digits are right in any case
		}
	}
	for _, zero := range []string{"e-0", "e+0"} {
		text = strings.Replace(text, zero, zero[:2], 1)
	}
	return strings.Replace(text, "e+", "e", 1)
}

// formatConfidence writes a confidence, rounded down, to four digits of what is left to 1.
func formatConfidence(confidence float64) string {
	if confidence < 0.5 {
		return significant(confidence, 4)
	}
	return roundConfidence(confidence, -1, 3)
}

// roundConfidence writes a confidence to 1 + more digits of what is left to 1, rounded up for
// direction +1 and down for -1.
func roundConfidence(confidence, direction float64, more int) string {
	left := 1 - confidence
	if !(left > 1e-12) || left >= 1 { // rounding would not show
		return strconv.FormatFloat(confidence, 'g', -1, 64)
	}
	text := decimals(confidence, more-int(math.Floor(math.Log10(left)+1e-9)), direction)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// formatP writes a p-value to three significant digits, rounded up.
func formatP(p float64) string {
	text := strconv.FormatFloat(p, 'g', 3, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err == nil && printed < p {
		unit := math.Pow10(int(math.Floor(math.Log10(p))) - 2)
		text = strconv.FormatFloat(printed+unit, 'g', 3, 64)
	}
	return text
}

// formatInterval writes an estimate to four digits, between ends that are rounded outwards.
func formatInterval(lower, estimate, upper float64) string {
	return strconv.FormatFloat(estimate, 'f', 4, 64) + " [" + decimals(lower, 4, -1) + ", " + decimals(upper, 4, +1) + "]"
}
