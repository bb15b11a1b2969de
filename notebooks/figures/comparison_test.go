package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		row        ComparisonRow
		difference float64
		want       string
	}{
		{ComparisonRow{Ours: 4.6571, Paper: 4.66, AbsErr: 0.005}, -0.0029, Agrees},
		{ComparisonRow{Ours: 4.6651, Paper: 4.66, AbsErr: 0.005}, 0.0051, Differs},
		{ComparisonRow{Ours: 4.6549, Paper: 4.66, AbsErr: 0.005}, -0.0051, Differs},
		{ComparisonRow{Ours: 1.25, Paper: 1.2, AbsErr: 0.05}, 0.05, Agrees}, // the edge: 1.25-1.2 is 0.05 + 4e-17
		{ComparisonRow{Ours: 1, Paper: 1}, 0, Agrees},
		{ComparisonRow{Ours: 1 + 1e-9, Paper: 1}, 1e-9, Differs},
		{ComparisonRow{Ours: 0.91, OursErr: 0.004, Paper: 0.915, AbsErr: 0.001}, -0.005, Agrees},
		{ComparisonRow{Ours: 0.91, OursErr: 0.003, Paper: 0.915, AbsErr: 0.001}, -0.005, Differs},
		{ComparisonRow{Ours: inf, Paper: inf}, 0, Agrees},
		{ComparisonRow{Ours: inf, Paper: 3, AbsErr: 1}, inf, Differs},
		{ComparisonRow{Ours: 3, Paper: inf, AbsErr: 1}, -inf, Differs},
		{ComparisonRow{Ours: -inf, Paper: inf, AbsErr: 1}, -inf, Differs},
		{ComparisonRow{Ours: 3, Paper: nan}, nan, NoPublished},
		{ComparisonRow{Ours: nan, Paper: 3}, nan, NoOurs},
	} {
		if got := c.row.Verdict(); got != c.want {
			t.Errorf("ours %g ± %g, paper %g ± %g: verdict %q, want %q", c.row.Ours, c.row.OursErr, c.row.Paper, c.row.AbsErr, got, c.want)
		}
		if got := c.row.Difference(); !same(got, c.difference) && math.Abs(got-c.difference) > 1e-15 {
			t.Errorf("ours %g, paper %g: difference %g, want %g", c.row.Ours, c.row.Paper, got, c.difference)
		}
	}
}

func TestComparisonSurvivesJSON(t *testing.T) {
	want := Comparison{Name: "c", Rows: []ComparisonRow{
		{"ε", 1.0 / 3, 0.25, math.NaN(), 0, "", "no number"}, {"δ", math.Inf(1), 0, 1e-6, 5e-8, "Table 1", ""}}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Comparison
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read back %v, want %v", got, want)
	}
	if !strings.Contains(string(data), `"verdict":"differs"`) || !strings.Contains(string(data), `"difference":"+Inf"`) {
		t.Errorf("no verdict and difference for readers in %s", data)
	}
}

func TestComparisonValidate(t *testing.T) {
	good := ComparisonRow{Quantity: "ε", Ours: 1, Paper: 1, Source: "Table 1"}
	if err := (Comparison{Name: "c", Rows: []ComparisonRow{good}}).Validate(); err != nil {
		t.Errorf("good comparison: %v", err)
	}
	for want, change := range map[string]func(*Comparison){
		"quantity must not be empty": func(c *Comparison) { c.Rows[0].Quantity = "" },
		"must have a source":         func(c *Comparison) { c.Rows[0].Source = "" },
		"error -1":                   func(c *Comparison) { c.Rows[0].AbsErr = -1 },
		"error NaN":                  func(c *Comparison) { c.Rows[0].OursErr = math.NaN() },
		"error +Inf":                 func(c *Comparison) { c.Rows[0].AbsErr = math.Inf(1) },
		`comparison name "Fig 4"`:    func(c *Comparison) { c.Name = "Fig 4" },
	} {
		c := Comparison{Name: "c", Rows: []ComparisonRow{good}}
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
