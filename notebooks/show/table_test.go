package show

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

type withCharts struct{}

func (withCharts) Charts() []chart.Chart { return []chart.Chart{testChart(), testChart()} }

type withPanels struct{}

func (withPanels) Panels() chart.Panels { return chart.Panels{Name: "p"} }
func (withPanels) Chart() chart.Chart   { return testChart() }

func TestWhatCanBePlotted(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int
	}{{testChart(), 1}, {chart.Panels{}, 1}, {[]chart.Chart{testChart()}, 1}, {withCharts{}, 2}, {withPanels{}, 1}} {
		if got, err := figuresOf(c.value); err != nil || len(got) != c.want {
			t.Errorf("%T: %d figures (%v), want %d", c.value, len(got), err, c.want)
		}
	}
	if got, _ := figuresOf(withPanels{}); len(got) == 1 {
		if _, isPanels := got[0].(chart.Panels); !isPanels {
			t.Errorf("a result with Panels and Chart is drawn as %T", got[0])
		}
	}
	for _, bad := range []any{nil, 3, "chart", &struct{}{}} {
		if _, err := figuresOf(bad); err == nil || !strings.Contains(err.Error(), "must be a chart.Chart") {
			t.Errorf("%T: error %v", bad, err)
		}
	}
	if err := table(3); err == nil || !strings.Contains(err.Error(), "show: table of int") {
		t.Errorf("a table of 3: error %v", err)
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

// A long head over a column of numbers may be broken, or the columns do not fit the page; numbers and short heads
// may not. The style says so only where there is a place to break.
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
