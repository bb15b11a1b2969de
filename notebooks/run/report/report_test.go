package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

const picture = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`

// saved fills a folder as a notebook would.
func savedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	add := func(a figures.Artifact, files map[string][]byte) {
		for name := range files {
			a.Files = append(a.Files, name)
		}
		if err := figures.AddArtifact(dir, a, files); err != nil {
			t.Fatal(err)
		}
	}
	text := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	add(figures.Artifact{Name: "figure1", Kind: figures.KindChart, Title: "Figure 1 <ε>"}, map[string][]byte{"figure1.svg": []byte(picture)})
	c := figures.Comparison{Name: "compared", Title: "Beside the paper", Rows: []figures.ComparisonRow{
		{Quantity: "ε of <10> runs", Ours: 4.6571, Reference: 4.66, AbsErr: 0.005, Read: papers.Printed, Source: "Section 3 & 4"},
		{Quantity: "ε of 100 runs", Ours: 6.35, Reference: 5.93, AbsErr: 0.005, Read: papers.Printed, Source: "Table 4", Note: "The integral is cut."},
		{Quantity: "accuracy", Ours: 0.91, OursErr: 0.01, Reference: math.NaN()}}}
	add(figures.Artifact{Name: c.Name, Kind: figures.KindComparison, Title: c.Title}, map[string][]byte{"compared.json": text(c)})
	table := figures.Table{Name: "grid", Title: "Candidates", Columns: []string{"rate"}, Rows: [][]string{{"0.125"}}, Notes: []string{"A note."}}
	add(figures.Artifact{Name: "grid", Kind: figures.KindTable, Title: table.Title}, map[string][]byte{"grid.json": text(table)})
	add(figures.Artifact{Kind: figures.KindMarkdown, Text: "# Statement\n**(ε, δ)** of `a<b>`"}, nil)
	add(figures.Artifact{Kind: figures.KindText, Text: "as it\n    is <written>"}, nil)
	add(figures.Artifact{Name: "lost", Kind: figures.KindTable, Title: "Lost"}, nil)
	return dir
}

func renderTest(t *testing.T, runs ...Run) string {
	t.Helper()
	data, err := render("/", runs, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func good(t *testing.T) Run {
	return Run{Notebook: "papernot2022.ipynb", Title: "Rényi & tuning", Artifacts: savedFolder(t), Status: StatusOK,
		Cells: 14, Done: 14, Elapsed: 132 * time.Second, Profile: "quick", Build: "go1.26, backend go"}
}

func bad() Run {
	return Run{Notebook: "quickstart.ipynb", Status: StatusFailed, Cells: 9, Done: 4, Elapsed: 2500 * time.Millisecond,
		Error: "cell 5, line 3:\n\x1b[31merror: σ = 0\x1b[0m <script>alert(1)</script>"}
}

func TestReportShowsEverything(t *testing.T) {
	html := renderTest(t, bad(), good(t))
	for _, want := range []string{
		"1 of 2</b> notebooks", "<b>1</b> figures", "<b>1 of 2</b> printed numbers agree", `<span class="badge bad">1 refuted</span>`,
		"2 January 2026, 03:04 UTC", "go1.26, backend go", "2 min 12 s", "2.5 s", "14 of 14", "4 of 9",
		"Rényi &amp; tuning", "quickstart.ipynb", "Figure 1 &lt;ε&gt;",
		base64.StdEncoding.EncodeToString([]byte(picture))[:40],
		"ε of &lt;10&gt; runs", "4.6571", ">4.66<", "−0.0029", "± 0.005", "Section 3 &amp; 4", ">agrees<",
		"6.3500", "5.93", "0.4200", ">differs<", "The integral is cut.", "0.910 ± 0.01", "no reference",
		"Candidates", "0.125", "A note.", "<h3>Statement</h3>", "as it\n    is &lt;written&gt;", "<strong>(ε, δ)</strong>", "<code>a&lt;b&gt;</code>",
		"cell 5, line 3:\nerror: σ = 0 &lt;script&gt;", "report: lost: ", "could not be read, each marked below: 1.",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the report has no %q", want)
		}
	}
	if strings.Index(html, `id="summary"`) > strings.Index(html, `class="notebook"`) {
		t.Error("the summary is not at the top")
	}
}

func TestReportNeedsNothingElse(t *testing.T) {
	html := renderTest(t, bad(), good(t))
	for _, bad := range []string{"<script", "<link", "@import", "http://", "https://", "\x1b", "ZgotmplZ"} {
		if strings.Contains(html, bad) {
			t.Errorf("the report has %q in it", bad)
		}
	}
	for _, m := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*"?([^"\s)>]{0,12})`).FindAllStringSubmatch(html, -1) {
		if outside := strings.Contains(m[1], ":") || strings.HasPrefix(m[1], "/"); outside && !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the report refers to %q", m[1])
		}
	}
}

// The page is written so that it is also well-formed XML: every element is closed where it should
// be.
func TestReportIsWellFormed(t *testing.T) {
	for name, html := range map[string]string{"empty": renderTest(t), "failed": renderTest(t, bad()), "both": renderTest(t, bad(), good(t))} {
		decoder := xml.NewDecoder(strings.NewReader(html))
		ids := map[string]bool{}
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s report: %v", name, err)
			}
			start, ok := token.(xml.StartElement)
			for i := 0; ok && i < len(start.Attr); i++ {
				if a := start.Attr[i]; a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("%s report: two elements have the id %q", name, a.Value)
					}
					ids[a.Value] = true
				} else if target, isLink := strings.CutPrefix(a.Value, "#"); isLink && a.Name.Local == "href" && !strings.Contains(html, `id="`+target+`"`) {
					t.Errorf("%s report: a link leads to %q, which is not there", name, a.Value)
				}
			}
		}
	}
}

func TestReportOnBrokenArtifacts(t *testing.T) {
	r := good(t)
	if err := os.WriteFile(filepath.Join(r.Artifacts, "manifest.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if html := renderTest(t, r); !strings.Contains(html, `class="fault"`) || !strings.Contains(html, "manifest.json") {
		t.Error("a manifest that cannot be read is not reported")
	}
	r.Artifacts = filepath.Join(r.Artifacts, "absent")
	if html := renderTest(t, r); !strings.Contains(html, "The cells saved no figures or tables.") {
		t.Error("a folder that is not there is not reported")
	}
}

func TestWriteIsWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	if err := Write(path, []Run{good(t)}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.HasSuffix(bytes.TrimSpace(data), []byte("</html>")) {
		t.Errorf("the file does not end with </html> (%v)", err)
	}
	if err := Write(filepath.Join(path, "report.html"), nil); err == nil || !strings.Contains(err.Error(), "report: report.html") {
		t.Errorf("a folder that is not one: error %v", err)
	}
}

// The table of the papers' items counts what this run made, and leads to it; papers that did not
// run are left out.
func TestReportHasTheIndex(t *testing.T) {
	r := good(t)
	if html := renderTest(t, bad()); strings.Contains(html, `id="index"`) {
		t.Error("a run of no paper has a table of papers")
	}
	for old, name := range map[string]string{"figure1": "papernot2022-figure1", "compared": "papernot2022-figure1-comparison"} {
		rename(t, r.Artifacts, old, name)
	}
	html := renderTest(t, bad(), r)
	for _, want := range []string{`<a href="#notebook-2-1">Figure 1</a>`, "quick, 2026-01-02", "1 figure of 0 points, 1 table", "1 of 2 printed numbers agree; differs: ", "not shown yet", "papernot2022-figure1.svg</a>"} {
		if !strings.Contains(html, want) {
			t.Errorf("the report has no %q", want)
		}
	}
	if strings.Contains(html, "koskela2023") {
		t.Error("a paper whose notebook did not run is in the table")
	}
}

// rename gives an artifact, and the files that it has, another name.
func rename(t *testing.T, dir, old, name string) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`"`+old+`"`, `"`+name+`"`, `"`+old+`.`, `"`+name+`.`).Replace(string(data))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{".svg", ".json"} {
		data, err := os.ReadFile(filepath.Join(dir, old+suffix))
		if err != nil {
			data = []byte(`{"name":"` + name + `","curves":[{"label":"ε"}]}`)
		}
		data = bytes.Replace(data, []byte(`"`+old+`"`), []byte(`"`+name+`"`), 1)
		if err := os.WriteFile(filepath.Join(dir, name+suffix), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Dozens of differences in one table do not bury the others: from eleven on a notebook's list is
// folded up.
func TestManyDifferencesAreFolded(t *testing.T) {
	few, many := differences{Rows: make([]differing, fewDifferences)}, differences{Rows: make([]differing, fewDifferences+1)}
	if !few.Few() || many.Few() {
		t.Errorf("%d differences are few: %v, %d: %v", len(few.Rows), few.Few(), len(many.Rows), many.Few())
	}
	html := renderTest(t, good(t))
	if n := strings.Count(html, "<details open=\"open\"><summary>Rényi &amp; tuning: 1 <span class=\"badge bad\">1 refuted</span></summary>"); n != 1 {
		t.Errorf("the one difference is in %d open lists, want 1", n)
	}
}

// The notebook's text stands between its figures; its title is the section's, and no HTML of its
// own gets into the page.
func TestProse(t *testing.T) {
	r := good(t)
	r.Path, r.Prose = "/notebooks/papernot2022.ipynb", []Prose{
		{Text: "# Rényi & tuning\n\nFirst [see](quickstart.ipynb#two), <script>alert(1)</script> [not](javascript:alert(1))."},
		{Text: "## Second\n\n- a\n- b", Above: 1}, {Text: "Third.", Above: 99}}
	html := renderTest(t, r)
	last := 0
	for _, want := range []string{`<h2>Rényi &amp; tuning</h2>`, `href="notebooks/papernot2022.ipynb"`, `First <a href="notebooks/quickstart.ipynb#two">see</a>`,
		"Figure 1 &lt;ε&gt;", "<h3>Second</h3>", "<li>a</li>", "Beside the paper", "Lost", "Third."} {
		at := strings.Index(html[last:], want)
		if at < 0 {
			t.Fatalf("the report has no %q where it should stand", want)
		}
		last += at
	}
	for _, bad := range []string{"<script", "javascript", "<h1>Rényi"} {
		if strings.Contains(html, bad) {
			t.Errorf("the report has %q in it", bad)
		}
	}
}

// The table of the mission leads to notebooks and sources, and says what full size takes and when
// the figures were made.
func TestIndex(t *testing.T) {
	r := good(t)
	r.Path = filepath.Join("..", "..", "papernot2022.ipynb")
	from := filepath.Join("..", "..", "out")
	data, err := render(from, []Run{r}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?s)<section id="index">.*?</section>`).FindString(string(data))
	if got := strings.Count(rows, "<tr><td>"); got != 8 {
		t.Errorf("%d rows, want the 8 items of the paper", got)
	}
	for _, want := range []string{`<a href="../papernot2022.ipynb">papernot2022</a>`, "model-steps"} {
		if !strings.Contains(rows, want) {
			t.Errorf("the table has no %q", want)
		}
	}
	links := regexp.MustCompile(`href="(\.\./[^"]*)"`).FindAllStringSubmatch(rows, -1)
	if len(links) < 9 {
		t.Errorf("%d links, want one to the notebook and one to a source in each row", len(links))
	}
	for _, l := range links {
		if _, err := os.Stat(filepath.Join(from, filepath.FromSlash(l[1]))); err != nil {
			t.Error(err)
		}
	}
}
