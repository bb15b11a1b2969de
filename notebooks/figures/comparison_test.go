package figures_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

func TestVerdict(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		row        figures.ComparisonRow
		difference float64
		want       string
	}{
		{figures.ComparisonRow{Ours: 4.6571, Reference: 4.66, AbsErr: 0.005}, -0.0029, figures.Agrees},
		{figures.ComparisonRow{Ours: 4.6651, Reference: 4.66, AbsErr: 0.005}, 0.0051, figures.Differs},
		{figures.ComparisonRow{Ours: 4.6549, Reference: 4.66, AbsErr: 0.005}, -0.0051, figures.Differs},
		{figures.ComparisonRow{Ours: 1.25, Reference: 1.2, AbsErr: 0.05}, 0.05, figures.Agrees}, // the edge: 1.25-1.2 is 0.05 + 4e-17
		{figures.ComparisonRow{Ours: 1, Reference: 1}, 0, figures.Agrees},
		{figures.ComparisonRow{Ours: 1 + 1e-9, Reference: 1}, 1e-9, figures.Differs},
		{figures.ComparisonRow{Ours: 0.91, OursErr: 0.004, Reference: 0.915, AbsErr: 0.001}, -0.005, figures.Inconclusive},
		{figures.ComparisonRow{Ours: 0.91, OursErr: 0.003, Reference: 0.915, AbsErr: 0.001}, -0.005, figures.Differs},
		{figures.ComparisonRow{Ours: 0.91, OursErr: 0.003, Reference: 0.915, AbsErr: 0.003}, -0.005, figures.Agrees},
		{figures.ComparisonRow{Ours: 4, OursErr: 18.6, Reference: 8, AbsErr: 2}, -4, figures.Inconclusive}, // an interval that holds everything
		{figures.ComparisonRow{Ours: 1, Reference: 1, Read: papers.Stated}, 0, figures.AsTextSays},
		{figures.ComparisonRow{Ours: -1, Reference: 1, Read: papers.Stated}, -2, figures.Differs},
		{figures.ComparisonRow{Ours: 1, Reference: 1, Read: papers.Recomputed}, 0, figures.Confirmed},
		{figures.ComparisonRow{Ours: 1, OursErr: 1, Reference: 1, Read: papers.Recomputed}, 0, figures.Inconclusive},
		{figures.ComparisonRow{Ours: inf, Reference: inf}, 0, figures.Agrees},
		{figures.ComparisonRow{Ours: inf, Reference: 3, AbsErr: 1}, inf, figures.Differs},
		{figures.ComparisonRow{Ours: 3, Reference: inf, AbsErr: 1}, -inf, figures.Differs},
		{figures.ComparisonRow{Ours: -inf, Reference: inf, AbsErr: 1}, -inf, figures.Differs},
		{figures.ComparisonRow{Ours: 3, Reference: nan}, nan, figures.NoReference},
		{figures.ComparisonRow{Ours: nan, Reference: 3}, nan, figures.NoOurs},
	} {
		if got := c.row.Verdict(); got != c.want {
			t.Errorf("ours %g ± %g, paper %g ± %g: verdict %q, want %q", c.row.Ours, c.row.OursErr, c.row.Reference, c.row.AbsErr, got, c.want)
		}
		if got := c.row.Difference(); !same(got, c.difference) && math.Abs(got-c.difference) > 1e-15 {
			t.Errorf("ours %g, paper %g: difference %g, want %g", c.row.Ours, c.row.Reference, got, c.difference)
		}
	}
}

// A difference that hangs on a setting of ours refutes nothing, and counts as open.
func TestOurChoice(t *testing.T) {
	differs := figures.Against(papers.Value{Number: 3, Source: papers.Source{Read: papers.Stated}}, 4)
	agrees := figures.Against(papers.Value{Number: 3, Source: papers.Source{Read: papers.Stated}}, 3)
	for _, c := range []struct {
		row  figures.ComparisonRow
		want bool
	}{{differs, true}, {differs.ByOurChoice(), false}, {agrees, false}, {agrees.ByOurChoice(), false}} {
		if got := c.row.Refutes(); got != c.want {
			t.Errorf("%+v refutes: %v, want %v", c.row, got, c.want)
		}
	}
	rows := []figures.ComparisonRow{differs, differs.ByOurChoice(), differs.ByOurChoice(), agrees.ByOurChoice(), agrees.WithErr(1)}
	tally := figures.Comparison{Rows: rows}.Tally()
	tally = tally.Add(tally)
	if got := tally.Stated; got.Differ != 6 || got.Refuted() != 2 || got.Open() != 6 || got.Of() != 10 {
		t.Errorf("%+v: %d refuted, %d open, want 2 and 6", got, got.Refuted(), got.Open())
	}
}

func TestComparisonSurvivesJSON(t *testing.T) {
	want := figures.Comparison{Name: "c", Rows: []figures.ComparisonRow{
		{"ε", 1.0 / 3, 0.25, math.NaN(), 0, 0, "", "no number", false}, {"δ", math.Inf(1), 0, 1e-6, 5e-8, papers.Stated, "Table 1", "", true}}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got figures.Comparison
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read back %v, want %v", got, want)
	}
	if !strings.Contains(string(data), `"verdict":"differs"`) || !strings.Contains(string(data), `"difference":"Infinity"`) {
		t.Errorf("no verdict and difference for readers in %s", data)
	}
}

func TestComparisonValidate(t *testing.T) {
	good := figures.ComparisonRow{Quantity: "ε", Ours: 1, Reference: 1, Read: papers.Printed, Source: "Table 1"}
	if err := (figures.Comparison{Name: "c", Rows: []figures.ComparisonRow{good}}).Validate(); err != nil {
		t.Errorf("good comparison: %v", err)
	}
	for want, change := range map[string]func(*figures.Comparison){
		"quantity must not be empty": func(c *figures.Comparison) { c.Rows[0].Quantity = "" },
		"must have a source":         func(c *figures.Comparison) { c.Rows[0].Source = "" },
		"read Read(0)":               func(c *figures.Comparison) { c.Rows[0].Read = 0 },
		"error -1":                   func(c *figures.Comparison) { c.Rows[0].AbsErr = -1 },
		"error NaN":                  func(c *figures.Comparison) { c.Rows[0].OursErr = math.NaN() },
		"error +Inf":                 func(c *figures.Comparison) { c.Rows[0].AbsErr = math.Inf(1) },
		`comparison name "Fig 4"`:    func(c *figures.Comparison) { c.Name = "Fig 4" },
	} {
		c := figures.Comparison{Name: "c", Rows: []figures.ComparisonRow{good}}
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A row that agrees to more digits than are kept does not differ for that.
func TestRoundedKeepsTheVerdict(t *testing.T) {
	c := figures.Comparison{Rows: []figures.ComparisonRow{
		{Ours: 4.7083271730031, Reference: 4.708327173003, AbsErr: 1e-12},
		{Ours: 4.7083271730031, Reference: 4.7, AbsErr: 0.1},
		{Ours: 4.7083271730031, Reference: 4.708327173002, AbsErr: 1e-13},
	}}
	r := c.Rounded(9)
	for i, row := range r.Rows {
		if got, want := row.Verdict(), c.Rows[i].Verdict(); got != want {
			t.Errorf("row %d rounded to %v: %s, want %s", i, row.Ours, got, want)
		}
	}
	if r.Rows[1].Ours != 4.70832717 {
		t.Errorf("rounded to %v, want 9 digits", r.Rows[1].Ours)
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

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
