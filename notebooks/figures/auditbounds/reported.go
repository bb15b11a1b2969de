package auditbounds

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/scorefile"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Reported is what one set of scores says, beside what is claimed of the mechanism.
type Reported struct {
	Name     string // of the table: small letters, digits and hyphens
	Title    string
	Report   audit.Report
	Claimed  float64         // ε at the report's δ
	Verdicts []audit.Verdict // of tests of the claim
}

// Table lists the bounds, what each assumes, and how high it could have gone.
func (r Reported) Table() figures.Table {
	t := figures.Table{
		Name: r.Name, Title: fmt.Sprintf("%s: lower bounds on ε at δ = %s; claimed is %.3f", r.Title, figures.Scientific(r.Report.Delta), r.Claimed),
		Columns: []string{"bound", "ε at least", "it assumes", "confidence", "ceiling"},
		Notes:   []string{fmt.Sprintf("%d member and %d non-member scores. The ceiling is what perfect scores would show.", r.Report.Members, r.Report.NonMembers)},
	}
	for _, b := range r.Report.Bounds {
		confidence := "none"
		if b.Confidence > 0 {
			confidence = fmt.Sprint(b.Confidence)
		}
		t.Rows = append(t.Rows, []string{b.Name, audit.FormatLower(b.Epsilon), b.Assumption.Describe(), confidence, audit.FormatLower(b.Ceiling)})
	}
	return t
}

// Findings says which bounds that hold are above the claim, and what the tests of the claim say.
func (r Reported) Findings() []string {
	above := map[bool][]string{}
	for _, b := range r.Report.Bounds {
		if b.Confidence > 0 && b.Epsilon > r.Claimed {
			gaussian := b.Assumption == audit.AssumeGDP || b.Assumption == audit.AssumeOneRunGDP
			above[gaussian] = append(above[gaussian], b.Name)
		}
	}
	said := func(gaussian bool) string {
		if len(above[gaussian]) == 0 {
			return "none is above the claim, which proves nothing: the attack may be weak, or the scores too few"
		}
		return strings.Join(above[gaussian], ", ") + " above the claim, which is then false"
	}
	list := []string{
		r.Title + ", bounds that assume nothing of the mechanism: " + said(false) + ".",
		"Bounds for a Gaussian trade-off: " + said(true) + " if the trade-off is Gaussian.",
	}
	if len(above[true]) == 0 {
		list[1] = "Bounds for a Gaussian trade-off: " + said(true) + "."
	}
	for _, v := range r.Verdicts {
		list = append(list, v.String()+".")
	}
	return list
}

// ReadScores reads a score file, or if no path is given one as pandas writes it, of 1,000 games of each class that leak µ = 1.
func ReadScores(path string) (audit.Scores, error) {
	if path == "" {
		return scorefile.Read(strings.NewReader(SampleFile()))
	}
	file, err := os.Open(path)
	if err != nil {
		return audit.Scores{}, fmt.Errorf("auditbounds: %w", err)
	}
	defer file.Close()
	return scorefile.Read(io.Reader(file))
}

// SampleFile is a data frame with an index, a score and a column of booleans.
func SampleFile() string {
	var out strings.Builder
	out.WriteString(",score,member\n")
	rng := streams.Fixed("audit notebook").Rand("scores")
	for i := range 2000 {
		member, score := "False", rng.NormFloat64()
		if i%2 == 0 {
			member, score = "True", score+1
		}
		fmt.Fprintf(&out, "%d,%.6f,%s\n", i, score, member)
	}
	return out.String()
}
