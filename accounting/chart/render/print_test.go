package render

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

// On paper a figure is as wide as the column, whatever it has on a screen.
func TestPrintHasThePapersWidth(t *testing.T) {
	panels := chart.Panels{Name: "p", Title: "Title", Columns: 3, Notes: []string{"A note"}}
	for _, title := range []string{"a", "b", "c"} {
		c := samples.Curves()
		c.Title = title
		panels.Charts = append(panels.Charts, c)
	}
	for _, f := range []chart.Figure{samples.Curves(), panels} {
		for paper, inches := range map[Paper]float64{Column: 3.25, Page: 5.5} {
			l := newLayout(Print{Figure: f, Paper: paper})
			if got := float64(l.page().X / vg.Inch); math.Abs(got-inches) > 1e-9 {
				t.Errorf("%T, %v: %g in wide", f, paper, got)
			}
			if len(l.title) > 0 || len(l.notes) > 0 {
				t.Errorf("%T, %v: title %q and notes %q in the picture, which belong into the caption", f, paper, l.title, l.notes)
			}
		}
	}
	if l := newLayout(Print{Figure: panels, Paper: Column}); l.columns != 1 || l.charts[2].Title != "c" {
		t.Errorf("%d panels in a row of a column, the last with the title %q; want 1 and c", l.columns, l.charts[2].Title)
	}
	if l := newLayout(Print{Figure: panels, Paper: Page}); l.columns != 3 {
		t.Errorf("%d panels in a row of a page, want 3", l.columns)
	}
	panels.Charts = []chart.Chart{{Name: "c", XLabel: "x", YLabel: "y", Curves: []chart.Curve{{X: chart.Series{1, 2}, Y: chart.Series{1, 2}}}}}
	if got, want := (Print{Figure: panels, Paper: Page, Made: "Made by a test"}).Caption(), "Title.\nA note.\nMade by a test.\n"; got != want {
		t.Errorf("caption %q, want %q", got, want)
	}
}

// What the picture no longer says of points beyond its axes is in the caption.
func TestCaptionHasTheRemarks(t *testing.T) {
	c := samples.Curves()
	c.Curves[0].Y[0] = math.Inf(1)
	c.Sources = []string{"2 of 2 shards"}
	if got := (Print{Figure: c, Paper: Column}).Caption(); !strings.Contains(got, "An arrow at the upper edge") || !strings.Contains(got, "\n2 of 2 shards.\n") {
		t.Errorf("caption %q lacks the arrow or the source", got)
	}
	if _, _, notes := c.Parts(); slices.Contains(notes, c.Sources[0]) {
		t.Error("the source of the data is drawn below the axes")
	}
	if c.Title == "" {
		t.Fatal("the chart of the test has no title")
	}
	if newLayout(Print{Figure: c, Paper: Column}).charts[0].Title != "" || c.Title == "" {
		t.Error("the title of a single chart belongs into the caption, and stays the chart's own")
	}
}

// A figure that is saved for a paper has no number of another paper's figure.
func TestPrintHasNoNumber(t *testing.T) {
	for title, want := range map[string]string{
		"Figure 6: what it costs": "What it costs", "Figure 6a: is it?": "Is it?", "Figures 4 and 7: IMDB": "IMDB", "Figures 1 to 3: audits": "Audits", "Table 4: law": "Law",
		"Figures 5 and 6, second column: noise": "Noise", "Figure 7, trained here: MNIST": "MNIST", "Like Figure 8: digits": "Digits", "Section 4.1: a search": "A search", "Appendix F: a ridge": "A ridge",
		"Accuracy: by ε": "Accuracy: by ε", "Figure 4: ε at k = 5": "ε at k = 5", "Figure 4: k = 5": "k = 5", "accuracy": "accuracy", "Figure of merit: 3": "Figure of merit: 3",
	} {
		c := chartOf(chart.Curve{X: chart.Series{1, 2}, Y: chart.Series{1, 2}})
		c.Title = title
		if caption := (Print{Figure: c, Paper: Column}).Caption(); !strings.HasPrefix(caption, want) {
			t.Errorf("%q: caption %q", title, caption)
		}
		if title, _ := properties(Print{Figure: c, Paper: Column}); title != want {
			t.Errorf("properties have the title %q, want %q", title, want)
		}
		charts, _, _ := Print{Figure: chart.Panels{Charts: []chart.Chart{c, c}}, Paper: Column}.Parts()
		if charts[1].Title != want || c.Title != title {
			t.Errorf("a panel has the title %q, want %q; the chart keeps its own", charts[1].Title, want)
		}
	}
}

func TestPrintRefuses(t *testing.T) {
	for want, p := range map[string]Print{
		"must be Column or Page": {Figure: samples.Curves()},
		"must have a figure":     {Paper: Column},
		"must have a curve":      {Figure: chart.Chart{Name: "c"}, Paper: Page},
	} {
		if _, err := PDF(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", p, err, want)
		}
	}
}

// Notes that say left and right say top and bottom where the two charts stand below each other.
func TestCaptionOfStackedCharts(t *testing.T) {
	panels := chart.Panels{Name: "p", Title: "Two", Columns: 2, Notes: []string{"Left: a. Right: b, as on the left."}, Charts: []chart.Chart{samples.Curves(), samples.Curves()}}
	for paper, want := range map[Paper]string{Column: "Top: a. Bottom: b, as at the top.", Page: "Left: a. Right: b, as on the left."} {
		if got := (Print{Figure: panels, Paper: paper}).Caption(); !strings.Contains(got, want) {
			t.Errorf("%v: caption %q, want %q in it", paper, got, want)
		}
	}
}

// Six charts in a column stand two in a row, where a title takes two lines: the axes still have half of the height.
func TestSmallChartsHaveAxes(t *testing.T) {
	panels := chart.Panels{Name: "p", Title: "Six", Columns: 2}
	for range 6 {
		c := samples.Curves()
		c.Title = "ε at the last step / at the first, exact"
		panels.Charts = append(panels.Charts, c)
	}
	l := newLayout(Print{Figure: panels, Paper: Column})
	p := axesOf(l.charts[0], false, l.cell.X)
	axes := p.DataCanvas(l.axes(draw.NewCanvas(new(recorder.Canvas), l.cell.X, l.cell.Y), 0, p))
	if height := axes.Max.Y - axes.Min.Y; l.columns != 2 || height < l.cell.Y/2 {
		t.Errorf("%d charts in a row, the axes %.0f of %.0f points high, want half", l.columns, height, l.cell.Y)
	}
}
