package koskela2023

import (
	"strings"
	"testing"
)

// What the paper prints twice, or follows from its models, agrees.
func TestTables(t *testing.T) {
	if said := Table1().Findings()[0]; !strings.Contains(said, "4 of 4 fit if γ is B/(qN)") || !strings.Contains(said, "0 of 4 fit if it is B/N") {
		t.Error(said)
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
			if !row.Holds() {
				t.Errorf("%s: ours %g, paper %g: %s (%s)", row.Quantity, row.Ours, row.Reference, row.Verdict(), row.Source)
			}
		}
	}
}
