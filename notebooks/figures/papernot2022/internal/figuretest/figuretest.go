// Package figuretest has what tests ask of a figure: that it can be shown and agrees with the
// paper.
package figuretest

import (
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure validates what a figure shows.
func Figure(t *testing.T, figure chart.Figure, comparison figures.Comparison) {
	t.Helper()
	if err := figure.Validate(); err != nil {
		t.Error(err)
	}
	if err := comparison.Validate(); err != nil {
		t.Error(err)
	}
	if len(comparison.Rows) == 0 {
		t.Error("the comparison is empty")
	}
}

// Rows fails for every row that does not agree with the paper, and shows its source.
func Rows(t *testing.T, comparison figures.Comparison, skip func(figures.ComparisonRow) bool) {
	t.Helper()
	for _, row := range comparison.Rows {
		if v := row.Verdict(); !row.Holds() && v != figures.NoReference && !skip(row) {
			t.Errorf("%s: ours %.12g, paper %.12g ± %g: %s (%s)", row.Quantity, row.Ours, row.Reference, row.AbsErr, v, row.Source)
		}
	}
}

// None is for Rows: no row is skipped.
func None(figures.ComparisonRow) bool { return false }
