package show

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// A figure that is shown again has another name and title, whether it is a chart or panels.
func TestRenamed(t *testing.T) {
	for _, f := range []chart.Figure{testChart(), chart.Panels{Name: "p", Charts: []chart.Chart{testChart()}}} {
		got := renamed(f, "your-own", "Your own")
		if name, title := got.Head(); name != "your-own" || title != "Your own" {
			t.Errorf("%T: name %q, title %q", f, name, title)
		}
	}
}

func TestPlainTableLinesUp(t *testing.T) {
	got := plainTable(figures.Table{Title: "Candidates", Columns: []string{"rate", "ε"}, Rows: [][]string{{"0.1", "µ and η"}, {"12.25", "x\ny"}}, Notes: []string{"Two."}})
	want := "Candidates\nrate   ε\n0.1    µ and η\n12.25  x y\nTwo.\n"
	if got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
}

func TestHTMLTableAlignsNumbers(t *testing.T) {
	got := htmlTable(figures.Table{Columns: []string{"law", "ε"}, Rows: [][]string{{"<b>", "4.66 ± 0.01"}, {"K = 1", "−3e-9"}, {"", "∞"}}})
	if n := strings.Count(got, "text-align:right"); n != 4 {
		t.Errorf("%d cells are right-aligned, want the three numbers and their head:\n%s", n, got)
	}
	if strings.Contains(got, "<b>") {
		t.Errorf("a cell is not escaped:\n%s", got)
	}
}

// A long head over a column of numbers may be broken, or the columns do not fit the page; numbers
// and short heads may not. The style says so only where there is a place to break.
func TestLongHeadsAreBroken(t *testing.T) {
	got := htmlTable(figures.Table{Columns: []string{"least favorable pair, ε = 2, δ = 0.001", "no leak"},
		Rows: [][]string{{"5.0", "3.5 ± 0.1"}, {"1e-6", "3.5"}}})
	for text, want := range map[string]bool{"least favorable pair, ε = 2, δ = 0.001": false, "no leak": true, "5.0": false, "3.5 ± 0.1": true, "1e-6": true, "3.5": false} {
		start, _, found := strings.Cut(got, ">"+text+"<")
		if style := start[strings.LastIndex(start, "<"):]; !found || strings.Contains(style, "nowrap") != want {
			t.Errorf("%q: %s, want nowrap: %v", text, style, want)
		}
	}
}

func TestVerdictsAreOneWord(t *testing.T) {
	got := htmlTable(figures.Table{Columns: []string{"verdict"}, Rows: [][]string{{figures.Agrees}, {figures.Differs}}})
	if !strings.Contains(got, ">agrees</td>") || !strings.Contains(got, ">differs</td>") {
		t.Errorf("verdicts in\n%s", got)
	}
}
