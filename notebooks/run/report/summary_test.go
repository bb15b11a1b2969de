package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// compared is a run of a paper's notebook that shows one comparison.
func compared(t *testing.T, paper, name string, rows ...figures.ComparisonRow) Run {
	t.Helper()
	c := figures.Comparison{Name: name, Title: "Compared", Rows: rows}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := c.FileName() + ".json"
	a := figures.Artifact{Name: c.FileName(), Kind: figures.KindComparison, Title: c.Title, Files: []string{file}}
	if err := figures.AddArtifact(dir, a, map[string][]byte{file: data}); err != nil {
		t.Fatal(err)
	}
	return Run{Notebook: paper + ".ipynb", Status: StatusOK, Artifacts: dir}
}

func printed(ours float64) figures.ComparisonRow {
	return figures.ComparisonRow{Quantity: fmt.Sprintf("ε %g", ours), Ours: ours, Reference: 1, Read: papers.Printed, Source: "Table 4"}
}

// A paper's line names what its comparisons confirm, refute and leave open. A table with many
// settings of our choice is counted by itself.
func TestSummary(t *testing.T) {
	rows := []figures.ComparisonRow{printed(1)}
	for range manyChoices + 1 {
		rows = append(rows, printed(2).ByOurChoice())
	}
	p := newPage("/", []Run{
		compared(t, "papernot2022", "papernot2022-figure5", printed(1), printed(2), printed(1).WithErr(1), printed(3).ByOurChoice()),
		compared(t, "xiang2024", "xiang2024-table4", rows...),
		{Notebook: "quickstart.ipynb", Status: StatusOK},
	}, time.Time{})
	if len(p.Outcomes) != 2 {
		t.Fatalf("%d lines, want one for each paper", len(p.Outcomes))
	}
	o := p.Outcomes[0]
	if o.Confirmed() != "1 number" || len(o.Confirms) != 1 || o.Confirms[0].Name != "Figure 5" || len(o.Refutes) != 1 || o.Refutes[0].Rows != 1 || len(o.Open) != 1 || o.Open[0].Rows != 2 {
		t.Errorf("papernot2022: %+v", o)
	}
	if x := p.Outcomes[1]; len(x.Refutes) != 0 || len(x.Open) != 1 || x.Open[0].Rows != manyChoices+1 || x.Open[0].Why == "" {
		t.Errorf("xiang2024: %+v", x)
	}
	if len(p.Apart) != 1 || p.Apart[0].Name != "xiang2024 Table 4" || p.Apart[0].Count.Agree != 1 {
		t.Errorf("apart: %+v", p.Apart)
	}
	if len(p.Tiles) != 1 || p.Tiles[0].Agree != 1 || p.Tiles[0].Of() != 4 || !strings.Contains(p.Tiles[0].What, "outside of xiang2024 Table 4") {
		t.Errorf("tiles: %+v", p.Tiles)
	}
	html := renderTest(t, compared(t, "papernot2022", "papernot2022-figure5", printed(2), printed(3).ByOurChoice()))
	for _, want := range []string{`<span class="badge open">1 open</span>`, `<span class="badge bad">1 refuted</span>`, `<tr class="open">`, `<tr class="refuted">`, "Source of all rows: Table 4."} {
		if !strings.Contains(html, want) {
			t.Errorf("the report has no %q", want)
		}
	}
}

func TestConfirmed(t *testing.T) {
	o := outcome{Counts: figures.Tally{Printed: figures.Count{Agree: 12}, Stated: figures.Count{Agree: 5}, Recomputed: figures.Count{Agree: 7}}}
	if got := o.Confirmed(); got != "12 numbers, 5 sentences" {
		t.Errorf("%q", got)
	}
}

func TestNamed(t *testing.T) {
	var links []link
	for _, n := range []string{"Example 1", "Figure 1", "Figure 2", "Figure 5", "Table 3"} {
		links = append(links, link{Name: n})
	}
	var got []string
	for _, l := range named(links) {
		got = append(got, l.Name)
	}
	if want := []string{"Example 1", "Figures 1", "2", "5", "Table 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What all rows share is written once, and a long table is folded up. The source of a figure's data
// is in a fold.
func TestFolds(t *testing.T) {
	rows := make([]figures.ComparisonRow, longTable+1)
	for i := range rows {
		rows[i] = printed(1).WithNote("for each")
	}
	html := renderTest(t, compared(t, "papernot2022", "papernot2022-figure5", rows...))
	if strings.Count(html, "for each") != 1 || !strings.Contains(html, "21 rows, in papernot2022-figure5-comparison.json</summary>") {
		t.Error("a shared note is repeated, or the long table is not folded up")
	}
	r := good(t)
	data := []byte(`{"name":"figure1","charts":[],"sources":["On a machine."]}`)
	if err := os.WriteFile(filepath.Join(r.Artifacts, "figure1.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if html := renderTest(t, r); !strings.Contains(html, "<summary>files and source</summary><p>On a machine.</p>") {
		t.Error("the source of a figure is not in its fold")
	}
}

// A long text that items of one paper share refers to the first of them.
func TestIndexRepeatsNothing(t *testing.T) {
	r := Run{Notebook: "koskela2023.ipynb", Artifacts: t.TempDir(), Status: StatusOK}
	html := renderTest(t, r)
	if n := strings.Count(html, "fashion-sgd: "); n != 1 {
		t.Errorf("what Figures 2 and 5 take at full size is written %d times, want once", n)
	}
	if !strings.Contains(html, "as for Figure 2") {
		t.Error("no item refers to Figure 2")
	}
}
