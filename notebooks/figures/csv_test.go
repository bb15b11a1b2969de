package figures_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/samples"
	"github.com/dplab/dplab/notebooks/papers"
)

func TestCSVKeepsEveryDigit(t *testing.T) {
	var out bytes.Buffer
	p := samples.Panels()
	if err := p.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range p.Charts {
		for _, k := range c.Curves {
			for i := range k.X {
				row := rows[0]
				rows = rows[1:]
				if row[0] != c.Title || row[1] != k.Label || !same(number(row[2]), k.X[i]) || !same(number(row[3]), k.Y[i]) {
					t.Fatalf("%s, %s, point %d (%g, %g): line %q", c.Title, k.Label, i, k.X[i], k.Y[i], row)
				}
				if len(k.Low) > 0 && (number(row[4]) != k.Low[i] || number(row[5]) != k.High[i]) || len(k.Low) == 0 && row[4]+row[5] != "" {
					t.Fatalf("%s, %s, point %d: band %q", c.Title, k.Label, i, row[4:])
				}
			}
		}
	}
	if len(rows) != 0 {
		t.Errorf("%d lines too many", len(rows))
	}
}

func TestComparisonCSV(t *testing.T) {
	var out bytes.Buffer
	c := figures.Comparison{Name: "c", Rows: []figures.ComparisonRow{{Quantity: "ε, \"tuned\"", Ours: 1.5, Reference: 1.25, AbsErr: 0.125, Read: papers.Stated, Source: "Table 1, p. 5", Note: "a\nb"}}}
	if err := c.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ε, \"tuned\"", "1.5", "0", "1.25", "0.125", "stated", "0.25", "differs", "Table 1, p. 5", "a\nb"}
	if len(rows) != 2 || len(rows[1]) != len(want) {
		t.Fatalf("lines %q, want a header and %q", rows, want)
	}
	for i := range want {
		if rows[1][i] != want[i] {
			t.Errorf("%s is %q, want %q", rows[0][i], rows[1][i], want[i])
		}
	}
}
