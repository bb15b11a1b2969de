package figures

import (
	"math"
	"testing"
)

func TestWithoutEmptyColumns(t *testing.T) {
	full := Comparison{Name: "c", Rows: []ComparisonRow{{Quantity: "ε", Ours: 1, Reference: 1, Source: "s"}}}.Table()
	if got := full.WithoutEmptyColumns(); len(got.Columns) != 7 || len(got.Rows[0]) != 7 || got.Columns[6] != "source" || got.Rows[0][6] != "s" {
		t.Errorf("without the empty note: %q %q", got.Columns, got.Rows)
	}
	if got := (Table{Columns: []string{"a"}}).WithoutEmptyColumns(); len(got.Columns) != 1 {
		t.Errorf("a table without rows loses its head: %q", got.Columns)
	}
}

// The wanted cells follow from the comments of Format and withoutZeros.
func TestComparisonTableDigits(t *testing.T) {
	rows := Comparison{Rows: []ComparisonRow{
		{Ours: 2.162194340001, Reference: 2.16219434, AbsErr: 1e-10},
		{Ours: 4.6571, Reference: 4.66, AbsErr: 0.005},
		{Ours: 12.3, OursErr: 0.123456, Reference: 12, AbsErr: 0.5},
		{Ours: 9, Reference: math.NaN()},
		{Ours: math.NaN(), Reference: 0.95, AbsErr: 5e-6},
	}}.Table().Rows
	for i, want := range [][]string{
		{"2.16219434", "2.16219434", "+1.0e-12", "± 1e-10"}, {"4.6571", "4.66", "−0.0029", "± 0.005"},
		{"12.30 ± 0.12", "12", "+0.30", "± 0.5"}, {"9", "", "", ""},
		{"", "0.95", "", "± 5e-6"},
	} {
		for j := range want {
			if got := rows[i][j+1]; got != want[j] {
				t.Errorf("row %d: %q, want %q", i+1, rows[i][1:5], want)
				break
			}
		}
	}
}
