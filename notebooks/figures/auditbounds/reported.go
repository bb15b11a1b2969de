package auditbounds

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/scorefile"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Reported has the bounds from one set of scores, and what is claimed of the mechanism.
type Reported struct {
	Name     string // of the table: small letters, digits and hyphens
	Title    string
	Report   audit.Report
	Claimed  float64         // ε at the report's δ
	Verdicts []audit.Verdict // of tests of the claim
}

// Table lists the bounds, what each assumes, and its ceiling. The first bound was fixed beforehand.
// The last ones prove nothing.
func (r Reported) Table() figures.Table {
	t := figures.Table{
		Name: r.Name, Title: fmt.Sprintf("%s: %s; claimed is %.3f", r.Title, r.Report.Answer(), r.Claimed),
		Columns: []string{"bound", "ε at least", "it assumes", "confidence", "ceiling", "above the claim"},
		Notes: []string{
			fmt.Sprintf("%d member and %d non-member scores. δ = %s. The ceiling is what perfect scores would show.", r.Report.Members, r.Report.NonMembers, chart.Scientific(r.Report.Delta)),
			"The first bound was fixed beforehand and is the answer.",
		},
	}
	if together := r.Report.Together(); together != "" {
		t.Notes[1] += " " + together
	}
	if against := r.against(); against != "" {
		t.Notes = append(t.Notes, against)
	}
	for _, v := range r.Verdicts {
		t.Notes = append(t.Notes, v.String()+".")
	}
	headline, _ := r.Report.Headline()
	for _, b := range r.Report.Ordered() {
		name, confidence, above := b.Name, fmt.Sprint(b.Confidence), "no"
		if b.Epsilon > r.Claimed {
			above = "yes"
		}
		if b.Name == headline.Name {
			name += " (fixed beforehand)"
		}
		if b.Confidence == 0 {
			confidence, above = "none: proves nothing", ""
		}
		t.Rows = append(t.Rows, []string{name, audit.FormatLower(b.Epsilon), b.Assumption.Describe(), confidence, audit.FormatLower(b.Ceiling), above})
	}
	return t
}

// against compares the bound that was fixed beforehand with the claim.
func (r Reported) against() string {
	headline, ok := r.Report.Headline()
	switch {
	case !ok:
		return ""
	case headline.Epsilon > r.Claimed:
		return headline.Name + " is above the claim, which is then false."
	}
	return headline.Name + " is not above the claim, which proves nothing: the attack may be weak, or the scores too few."
}

// ReadScores reads a score file, or if no path is given one as pandas writes it, of 1,000 games of
// each class that leak µ = 1.
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
