package figures

import (
	"math"
	"testing"
)

// The wanted texts follow from the rule in Format's comment.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v, err float64
		want   string
	}{
		{4.6571, 0.005, "4.6571"}, {-0.0029, 0.005, "−0.0029"}, {6.35, 0.005, "6.3500"},
		{4.66, 0, "4.66"}, {0.005, 0, "0.005"}, {1.0 / 3, 0, "0.333333"}, {-12, 0, "−12"},
		{3.1234e-9, 5e-11, "3.123e-9"}, {3.1e-9, 0, "3.1e-9"}, {1e12, 0, "1e12"}, {123456.7, 1000, "123457"},
		{math.Inf(1), 0.1, "∞"}, {math.Inf(-1), 0, "−∞"}, {math.NaN(), 0, "not a number"}, {0, 0.1, "0"},
		{1e-12, 0.1, "1.0e-12"}, {2, math.Inf(1), "2"}, {2.5, 1e-30, "2.50000000"},
	} {
		if got := Format(c.v, c.err); got != c.want {
			t.Errorf("Format(%g, %g) = %q, want %q", c.v, c.err, got, c.want)
		}
	}
}

func TestWithoutEmptyColumns(t *testing.T) {
	full := Comparison{Name: "c", Rows: []ComparisonRow{{Quantity: "ε", Ours: 1, Paper: 1, Source: "s"}}}.Table()
	if got := full.WithoutEmptyColumns(); len(got.Columns) != 7 || len(got.Rows[0]) != 7 || got.Columns[6] != "source" || got.Rows[0][6] != "s" {
		t.Errorf("without the empty note: %q %q", got.Columns, got.Rows)
	}
	if got := (Table{Columns: []string{"a"}}).WithoutEmptyColumns(); len(got.Columns) != 1 {
		t.Errorf("a table without rows loses its head: %q", got.Columns)
	}
}
