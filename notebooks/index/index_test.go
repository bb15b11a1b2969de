package index

import (
	"cmp"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dplab/dplab/notebooks/figures"
)

var update = flag.Bool("update", false, "write the tables into README.md, notebooks/README.md and notebooks/ITEMS.md")

func stored(t *testing.T) Stored {
	t.Helper()
	s, err := fromNotebooks("..")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the pages list of the papers is what the table and the stored outputs say.
func TestReadmesHaveTheTable(t *testing.T) {
	rows := Rows(stored(t))
	for _, part := range []struct{ path, name, content string }{
		{"../../README.md", "index", Overview(rows)},
		{"../README.md", "times", Measured.Markdown()},
		{"../ITEMS.md", "index", Listing(rows, "..") + BeyondListing() + TrainingsListing(Trainings)},
	} {
		path := part.path
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Between(string(data), part.name, part.content)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if string(data) == want {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the notebooks hold: run go test ./notebooks/index -update", path)
			continue
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestItems(t *testing.T) {
	rows := Rows(stored(t))
	if len(rows) != 50 {
		t.Errorf("%d items, want the 50 figures, tables and worked examples of the papers", len(rows))
	}
	seen := map[string]bool{}
	for _, row := range rows {
		for _, name := range row.Experiments {
			if !slices.ContainsFunc(FullSizes, func(f FullSize) bool { return f.Experiment == name }) {
				t.Errorf("%s %s: no experiment %s with a full profile", row.Paper, row.Name, name)
			}
		}
		if row.Shown() && row.Day == "" {
			t.Errorf("%s %s: the notebook does not say when it was run: go run ./notebooks/run -write %s", row.Paper, row.Name, row.Paper)
		}
		name := row.Paper + " " + row.Name
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if len(row.Absent) > 0 {
			t.Errorf("%s: the notebook does not show %q", name, row.Absent)
		}
		if row.Shown() != (len(row.Functions) > 0) {
			t.Errorf("%s: shown %v, with functions %q", name, row.Shown(), row.Functions)
		}
		if differs := row.Tally.Differ() > 0; differs != (row.Because != "") {
			t.Errorf("%s: %d rows differ, because %q", name, row.Tally.Differ(), row.Because)
		}
		for _, reason := range []string{row.Because, row.Missing} {
			if n := len(strings.Fields(reason)); n > 15 {
				t.Errorf("%s: %d words, want at most 15: %q", name, n, reason)
			}
		}
		if sized := row.Shown() && (row.Kind == figures.Simulated || row.Kind == figures.Trained); sized && row.Size == "" {
			t.Errorf("%s: a %s that is shown must have a size", name, row.Kind)
		}
	}
}

// A notebook that runs again on another day, or draws more points, changes no row of a page, and no
// row is longer than a reader takes in.
func TestListingIsShortAndStable(t *testing.T) {
	rows := Rows(stored(t))
	want := Overview(rows) + Listing(rows, "..")
	target := regexp.MustCompile(`\]\([^)]*\)`) // of a link, which no reader sees
	for line := range strings.Lines(want) {
		if n := utf8.RuneCountInString(target.ReplaceAllString(line, "")); n > 440 {
			t.Errorf("%d characters, want at most 440: %s", n, line)
		}
	}
	for i := range rows {
		rows[i].Day, rows[i].Points, rows[i].Tables = "2000-01-01", rows[i].Points+1, rows[i].Tables+1
	}
	if Overview(rows)+Listing(rows, "..") != want {
		t.Error("another day, more points and more tables change a row")
	}
}

// Each function is exported by its package below figures.
func TestFunctionsExist(t *testing.T) {
	for _, p := range Papers {
		for _, item := range slices.Concat(p.Items, p.Beyond) {
			for _, f := range item.Functions {
				if Source("..", f) == "" {
					t.Errorf("%s %s: no function %s", p.Name, cmp.Or(item.Name, item.About), f)
				}
			}
		}
	}
}

// Whatever a paper's notebook shows is of an item, or is listed as going beyond the paper.
func TestNothingIsLeftOut(t *testing.T) {
	outputs := stored(t)
	for _, p := range Papers {
		known := map[string]bool{}
		for _, item := range slices.Concat(p.Items, p.Beyond) {
			for _, name := range item.Shows {
				known[name] = true
			}
		}
		for name := range outputs[p.Name].Artifacts {
			if !known[name] {
				t.Errorf("%s shows %s, which figures/%s/items does not list", p.Name, name, p.Name)
			}
		}
		for _, b := range p.Beyond {
			for _, name := range b.Shows {
				if _, ok := outputs[p.Name].Artifacts[name]; !ok {
					t.Errorf("%s does not show %s", p.Name, name)
				}
			}
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{}, "not shown yet"},
		{Row{Charts: 1}, "nothing to compare"},
		{Row{Tables: 1, Tally: figures.Tally{Printed: figures.Count{Agree: 2}}}, "2 of 2 printed numbers agree"},
		{Row{Tables: 1, Item: figures.Item{Because: "the integral is cut."}, Tally: figures.Tally{Printed: figures.Count{Agree: 2, Differ: 1}}},
			"2 of 3 printed numbers agree; differs: the integral is cut."},
		{Row{Tables: 1, Tally: figures.Tally{Stated: figures.Count{Inconclusive: 1}, Recomputed: figures.Count{Agree: 7}}},
			"0 of 1 as the text says (1 inconclusive); 7 of 7 recomputed by us"},
	} {
		if got := c.row.Verdict(); got != c.want {
			t.Errorf("verdict %q, want %q", got, c.want)
		}
	}
}

func TestBetween(t *testing.T) {
	got, err := Between("a\n<!-- index -->\nold\n<!-- end of index -->\nb\n", "index", "new\n")
	if err != nil || got != "a\n<!-- index -->\nnew\n<!-- end of index -->\nb\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Between("nothing", "index", ""); err == nil {
		t.Error("a text without the lines is accepted")
	}
}

func TestFullSize(t *testing.T) {
	for _, c := range []struct {
		size FullSize
		want string
	}{
		{FullSize{Shards: 3, ModelSteps: 1.1e6}, "1.1 million model-steps, not timed"},
		{FullSize{Shards: 6, Done: 1, ModelSteps: 5.2e6, Seconds: 4500, On: "a GPU"}, "5.2 million model-steps: about 1.2 h on a GPU, by 1 of 6 shards"},
		{FullSize{Shards: 2, Done: 2, ModelSteps: 3.75e7, Seconds: 76, On: "a GPU"}, "38 million model-steps: 1 min on a GPU"},
	} {
		if got := c.size.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestTrainingsListing(t *testing.T) {
	got := TrainingsListing([]Training{
		{Experiment: "a/b", Profile: "mid", Shards: 3, Done: 2, ModelSteps: 3.75e8, Seconds: 90, On: "go on a machine", Last: "2026-01-02"},
		{Experiment: "a/c", Profile: "full", Shards: 1, Done: 1, ModelSteps: 2200, Seconds: 7200},
	})
	for _, want := range []string{"| a/b | mid | 2 of 3 | 380 | 2 min | go on a machine | 2026-01-02 |\n", "| a/c | full | 1 of 1 | 0.0022 | 2.0 h |", "All together: 2.0 h.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	for _, training := range Trainings {
		if training.Done < 1 || training.Done > training.Shards || !(training.Seconds > 0) || training.On == "" {
			t.Errorf("incomplete: %+v", training)
		}
	}
}

func TestTimes(t *testing.T) {
	got := Times{Day: "2026-01-02", Commit: "0123abcd", Machine: "2 cores", Notebooks: 518, Tests: 60, AllTests: 500, FirstFigure: 126, Again: 90}.Markdown()
	for _, want := range []string{"2 cores", "2026-01-02", "0123abcd", "8m38s", "after 2m6s", "compiling included: 1m0s", "`go test ./...`: 8m20s", "more: 1m30s"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	if got := (Times{}).Markdown(); got != "" {
		t.Errorf("nothing was measured, and it says %q", got)
	}
	if Measured.Commit != "" && Measured.Notebooks <= Measured.FirstFigure {
		t.Errorf("%+v: want the time of the notebooks: run .ci/times", Measured)
	}
}
