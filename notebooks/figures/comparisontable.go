package figures

import (
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/papers"
)

// Table returns the comparison as a table to read: numbers with as many digits as their error deserves.
func (c Comparison) Table() Table {
	t := Table{Name: c.Name, Title: c.Title,
		Columns: []string{"quantity", "ours", c.referenceHead(), "difference", "its error", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		finest := math.Min(nonzero(r.AbsErr), nonzero(r.OursErr))
		ours := chart.Format(r.Ours, finest)
		if r.OursErr > 0 {
			ours += " ± " + chart.Format(chart.Round(r.OursErr, 2), 0)
		}
		difference := chart.Format(r.Difference(), finest)
		if r.Difference() > 0 {
			difference = "+" + difference
		}
		row := []string{r.Quantity, ours, withoutZeros(chart.Format(r.Reference, r.AbsErr)), difference, "± " + chart.Format(chart.Round(r.AbsErr, 3), 0), r.Verdict(), r.Source, r.Note}
		if math.IsNaN(r.Reference) {
			row[2], row[3], row[4] = "", "", ""
		}
		if math.IsNaN(r.Ours) {
			row[1], row[3] = "", ""
		}
		t.Rows = append(t.Rows, row)
	}
	if tally := c.Tally(); tally.Of() > 0 {
		t.Notes = []string{tally.String() + "."}
	}
	return t
}

// referenceHead heads the numbers beside ours: "paper" only if the paper prints all of them.
func (c Comparison) referenceHead() string {
	for _, r := range c.Rows {
		if !math.IsNaN(r.Reference) && r.Read != papers.Printed && r.Read != papers.Digitized {
			return "reference"
		}
	}
	return "paper"
}

// withoutZeros takes the zeros from the end of a decimal fraction: the paper printed no more digits than that.
func withoutZeros(s string) string {
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// nonzero returns v, or +Inf for 0.
func nonzero(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	return v
}
