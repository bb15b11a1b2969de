package laws

import (
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Spec is a law by its family and mean.
type Spec struct {
	Family Family
	Mean   float64 // E[K], > 1; for the fixed family the number of runs, >= 1
}

// WithMean returns the family's law of a mean: TNB(0).WithMean(10).
func (f Family) WithMean(mean float64) Spec { return Spec{Family: f, Mean: mean} }

// Label is the law's entry in a legend.
func (s Spec) Label() string {
	if s.Family.Name == "fixed" {
		if s.Mean == 1 {
			return "K = 1"
		}
		return fmt.Sprintf("K = %s (naive)", chart.Grouped(s.Mean))
	}
	return fmt.Sprintf("E[K] = %s, %s", chart.Grouped(s.Mean), s.Family.Label())
}

// Published is the row of a published value of one law.
func Published(v papers.Value, law papers.LawID, ours float64) figures.ComparisonRow {
	row := figures.Against(v, ours)
	row.Quantity += ", " + Of(law).WithMean(law.MeanRepeats).Label()
	return row
}
