package output

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
)

// Releases writes the answer of expost.
func Releases(a answer.Releases, asJSON bool) ([]byte, error) {
	if asJSON {
		return indented(a)
	}
	return releasesText(a), nil
}

func releasesText(a answer.Releases) []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "tuning\tthe best of K runs, K from the %s; each run draws one of %d candidates\n", format.Shortened(accounting.RoundParameters(a.Law)), len(a.Candidates))
	if a.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", a.Batches.Drawn)
	}
	fmt.Fprintf(w, "delta\t%g\n", a.Delta)
	fmt.Fprintf(w, "neighboring\t%s\n", a.Relation)
	fmt.Fprintf(w, "epsilon\t%s  (before the release, for every candidate)\n", upper(a.Before.Upper, a.Checked))
	for _, warning := range a.Warnings {
		fmt.Fprintf(w, "warning\t%s\n", format.Escaped(warning))
	}
	w.Flush()
	fmt.Fprintf(&out, "\nepsilon if the candidate is released; epsilon of one run of it; the candidate\n")
	for _, c := range a.Candidates {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", upper(float64(c.Epsilon), c.Checked), upper(float64(c.One), c.ByItself), format.Visible(c.Name), format.Shortened(accounting.RoundParameters(c.Mechanism)))
	}
	w.Flush()
	fmt.Fprintf(&out, "\n%s\n", a.Statement)
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}
