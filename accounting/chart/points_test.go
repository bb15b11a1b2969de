package chart_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/dplab/dplab/accounting/chart/internal/samples"
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

// The axis of each curve is told if there are two.
func TestCSVHasTheAxis(t *testing.T) {
	c := samples.Mixed()
	c.Curves, c.RightLabel = c.Curves[:2], "ε"
	c.Curves[1].Right = true
	var out bytes.Buffer
	if err := c.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || rows[0][6] != "axis" || rows[1][6] != "left" || rows[len(rows)-1][6] != "right" {
		t.Errorf("%v, %v", rows, err)
	}
}
