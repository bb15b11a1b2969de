package output

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/numeric"
)

// Ledger writes what is left of a budget, or the releases and the statement if the report has one.
// first is a line above it.
func Ledger(r answer.Report, first string, asJSON bool) ([]byte, error) {
	if asJSON {
		return indented(reportJSON(r))
	}
	a, g := r.Ledger, r.Guarantee
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	if out.WriteString(first); r.Statement != nil {
		for i, line := range a.Releases {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i+1, line.Date, format.Shortened(accounting.RoundParameters(line.Mechanism)), strings.Join(strings.Fields(line.Note), " "))
		}
		w.Flush()
		out.WriteString("\n" + r.Statement.Full())
		return []byte(format.Escaped(string(trimLines(out.Bytes())))), nil
	}
	plan, name, over := "fixed: neither a parameter of a release nor their number depends on an answer", "spent", g.Epsilon.Upper > a.Budget
	if a.Share != nil {
		plan, name, over = "adaptive: "+a.Theorem, "guaranteed", *a.Share > 1
	}
	fmt.Fprintf(w, "data\t%s\nplan\t%s\nbudget\tepsilon %g at delta %g, %v\nreleases\t%d\n", format.Visible(a.Data), plan, a.Budget, g.Delta, g.Neighboring, len(a.Releases))
	if a.Share != nil {
		fmt.Fprintf(w, "spent\t%s%% of the constant of the filter\n", numeric.Significant(100*float64(*a.Share), format.Digits, 1))
	}
	if g.Epsilon.Upper == 0 {
		fmt.Fprintf(w, "%s\tepsilon 0: %s\n", name, g.Method)
	} else {
		fmt.Fprintf(w, "%s\tepsilon %s\nchecked\t%s\n", name, upper(g.Epsilon.Upper, g.Certificate != nil), accounting.RoundParameters(strings.TrimPrefix(g.Certificate.Summary(), "checked ")))
	}
	left := "nothing"
	switch {
	case over:
		left = "nothing: more is spent than the budget"
	case a.Noise != nil:
		left = fmt.Sprintf("for instance one Gaussian release with noise multiplier %s, or more noise", format.RoundUp(float64(*a.Noise)))
	}
	fmt.Fprintf(w, "left\t%s\nlast hash\t%s\n", left, a.Sum)
	for _, warning := range r.AllWarnings() {
		fmt.Fprintf(w, "warning\t%s\n", format.Escaped(warning))
	}
	w.Flush()
	return []byte(command.Wrap(string(trimLines(out.Bytes())))), nil
}

// Fits writes the least noise, or the most steps or releases, that still fit.
func Fits(what string, x float64, asJSON bool) ([]byte, error) {
	switch {
	case asJSON && what == "noise":
		return indented(map[string]float64{"noise_multiplier": x})
	case asJSON:
		return indented(map[string]float64{what: x})
	case what == "noise":
		return fmt.Appendf(nil, "noise multiplier  %s, the least that fits\n", format.RoundUp(x)), nil
	}
	return fmt.Appendf(nil, "%s  %.0f, the most that fit in one release\n", what, x), nil
}

// FitsOrNot writes whether a release fits, and what would be spent.
func FitsOrNot(fits bool, would string, asJSON bool) ([]byte, error) {
	if asJSON {
		return indented(map[string]any{"fits": fits, "reason": would})
	}
	word := map[bool]string{true: "fits", false: "does not fit"}[fits]
	return []byte(command.Wrap(fmt.Sprintf("%s  %s\n", word, would))), nil
}
