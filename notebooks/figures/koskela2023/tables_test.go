package koskela2023

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// What the paper prints twice, or follows from its models, agrees.
func TestTables(t *testing.T) {
	// The header of Table 1 fits none of its sampling rates: they are B/(qN).
	rows := Table1().Compare().Rows
	if header := rows[len(rows)-1]; header.Verdict() != figures.Differs || header.Ours != 0 {
		t.Errorf("%s: ours %g, %s", header.Quantity, header.Ours, header.Verdict())
	}
	for _, row := range Table2().Compare().Rows { // 109.93 thousand is printed as 109
		if cut := strings.Contains(row.Quantity, "FashionMNIST"); (row.Note == "cut, not rounded") != cut {
			t.Errorf("%s: note %q", row.Quantity, row.Note)
		}
	}
	for _, r := range []SettingsResult{Table1(), Table2()} {
		if err := r.Table().Validate(); err != nil {
			t.Error(err)
		}
		if len(r.Table().Rows) != 4 {
			t.Errorf("%s: %d rows: must be 4", r.Table().Name, len(r.Table().Rows))
		}
		for _, row := range r.Compare().Rows {
			if !row.Holds() && row.Quantity != papers.Koskela2023.Table1Header.Quantity {
				t.Errorf("%s: ours %g, paper %g: %s (%s)", row.Quantity, row.Ours, row.Reference, row.Verdict(), row.Source)
			}
		}
	}
}
