package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/params"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/report"
)

func save(t *testing.T, name string, metadata map[string]json.RawMessage, cells ...*nbformat.Cell) string {
	t.Helper()
	if metadata == nil {
		metadata = map[string]json.RawMessage{}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := (&nbformat.Notebook{Cells: cells, Metadata: metadata}).WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func example(t *testing.T, metadata map[string]json.RawMessage) string {
	return save(t, "a.ipynb", metadata,
		nbformat.NewCode("setup", "%noautoget"),
		nbformat.NewCode("parameters", "var (\n\tprofile = \"full\"\n\tseeds = 5\n)", params.Tag),
		nbformat.NewCode("slow", "%%\nSlow()", check.SkipCI))
}

func committedWith(profile string) map[string]json.RawMessage {
	return map[string]json.RawMessage{madeKey: json.RawMessage(`{"profile":"` + profile + `","build":"b"}`)}
}

func TestProfileAndParameters(t *testing.T) {
	tests := []struct {
		name     string
		options  options
		metadata map[string]json.RawMessage
		profile  string
		injected string
	}{
		{"default is quick", options{}, nil, quick, `var profile = "quick"`},
		{"as declared", options{Profile: full}, nil, full, ""},
		{"set", options{Profile: full, Set: settings{"seeds": "3"}}, nil, full, "var seeds = 3"},
		{"set and profile", options{Set: settings{"seeds": "3"}}, nil, quick, "var profile = \"quick\"\nvar seeds = 3"},
		{"set for another notebook", options{Profile: full, Set: settings{"other": "3"}}, nil, full, ""},
		{"check as committed", options{Check: true}, committedWith(quick), quick, `var profile = "quick"`},
		{"check as declared", options{Check: true}, nil, full, ""},
		{"check as told", options{Check: true, Profile: quick}, committedWith(full), quick, `var profile = "quick"`},
		{"write as declared", options{Write: true}, nil, full, ""},
	}
	for _, test := range tests {
		j, err := newJob(example(t, test.metadata), "out", test.options)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		injected := ""
		if s := j.Steps[2]; s.Number == 0 {
			injected = s.Cell.Source
		}
		if j.Profile != test.profile || injected != test.injected {
			t.Errorf("%s: profile %s, injected %q, want %s, %q", test.name, j.Profile, injected, test.profile, test.injected)
		}
		if last := j.Steps[len(j.Steps)-1]; last.Skip != test.options.Check || last.Number != 3 {
			t.Errorf("%s: last step %+v, want number 3, skipped only under -check", test.name, last)
		}
	}
}

func TestNewJobRefuses(t *testing.T) {
	tests := []struct {
		name    string
		path    string
		options options
		want    string
	}{
		{"bad value", example(t, nil), options{Set: settings{"seeds": "many"}}, `seeds = "many": must be an integer`},
		{"write another profile", example(t, nil), options{Write: true, Profile: quick}, "must be the profile that the notebook declares, full"},
		{"executed copy", save(t, "a.ipynb", nil, nbformat.NewCode("a", "", params.InjectedTag)), options{}, "cell [1] is tagged injected-parameters"},
		{"bad tolerance", save(t, "a.ipynb", nil, nbformat.NewCode("a", "", "tolerance:2")), options{}, "must be in (0, 1)"},
		{"parameters that are not Go", save(t, "a.ipynb", nil, nbformat.NewCode("a", "var (", params.Tag)), options{}, "not Go"},
		{"no file", "none.ipynb", options{}, "none.ipynb"},
	}
	for _, test := range tests {
		if _, err := newJob(test.path, "out", test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

// A notebook of another language is refused by the name of its kernel.
func TestKernels(t *testing.T) {
	for _, test := range []struct{ spec, info, want string }{
		{`{"name":"gonb","language":"go","display_name":"Go (gonb)"}`, "", ""},
		{`{"name":"gonb"}`, "", ""},
		{`{"name":"gophernotes"}`, `{"name":"go"}`, ""},
		{`{"name":"mine","language":"Go"}`, "", ""},
		{"", "", ""},
		{`{"name":"python3","language":"python","display_name":"Python 3"}`, "", "its kernel is python3: must be gonb"},
		{`{"name":"python3"}`, "", "its kernel is python3"},
		{`{"name":"ir"}`, `{"name":"R"}`, "its kernel is ir"},
		{"", `{"name":"julia"}`, "its kernel is julia"},
	} {
		metadata := map[string]json.RawMessage{}
		for key, value := range map[string]string{"kernelspec": test.spec, "language_info": test.info} {
			if value != "" {
				metadata[key] = json.RawMessage(value)
			}
		}
		_, err := newJob(save(t, "a.ipynb", metadata, nbformat.NewCode("a", "print(1)")), "out", options{})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: error %v, want %q", test.spec, test.info, err, test.want)
		}
	}
}

// Files that cannot be read are all named and do not stop the others. The exit code reports them.
func TestUnreadableNotebooks(t *testing.T) {
	dir := t.TempDir()
	good := save(t, "good.ipynb", nil, nbformat.NewCode("a", "%%"))
	python := save(t, "python.ipynb", map[string]json.RawMessage{"kernelspec": json.RawMessage(`{"name":"python3"}`)})
	old, text := filepath.Join(dir, "old.ipynb"), filepath.Join(dir, "text.ipynb")
	write(t, old, `{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}`)
	write(t, text, "not JSON")
	bad := []string{old, python, text}
	r := &runner{cwd: dir, out: dir}
	jobs, err := r.jobs([]string{old, good, python, text})
	if err != nil || len(jobs) != 1 || jobs[0].Path != good || len(r.unreadable) != 3 {
		t.Fatalf("jobs %v, left out %v, error %v, want %s only", jobs, r.unreadable, err, good)
	}
	for i, err := range r.unreadable {
		if !strings.Contains(err.Error(), bad[i]) {
			t.Errorf("error %v, want one that names %s", err, bad[i])
		}
	}
	var said strings.Builder
	if code := r.finish(t.Context(), nil, &said, &said); code != exitFailed || !strings.Contains(said.String(), "3 notebooks could not be read") {
		t.Errorf("exit code %d, %s", code, said.String())
	}
	if _, err := (&runner{cwd: dir, out: dir}).jobs(bad); err == nil || strings.Count(err.Error(), ".ipynb: ") != 3 {
		t.Errorf("no notebook can be read: error %v, want one that names all", err)
	}
	// A fault of the command line stops all.
	r.options = options{Set: settings{"seeds": "many"}}
	if _, err := r.jobs([]string{good, example(t, nil)}); err == nil || !strings.Contains(err.Error(), "seeds") {
		t.Errorf("error %v, want one about -set", err)
	}
}

func TestCheckSettings(t *testing.T) {
	a, err := newJob(example(t, nil), "out", options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSettings([]*job{a}, settings{"seeds": "1"}); err != nil {
		t.Error(err)
	}
	if err := checkSettings([]*job{a}, settings{"seed": "1"}); err == nil || !strings.Contains(err.Error(), "-set seed: must be a parameter of a notebook (a.ipynb: profile, seeds)") {
		t.Errorf("error %v, want one that lists the parameters", err)
	}
}

// The executed copy has the outputs of what was run, the cell that was put in, and nothing old.
func TestExecuted(t *testing.T) {
	j, err := newJob(example(t, nil), "out", options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range j.Committed.Code() {
		c.Outputs, c.ExecutionCount = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "old"}}, 9
	}
	shown := func(text string) ran {
		return ran{[]nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: text}}, 1, 0}
	}
	nb := withOutputs(j, []ran{shown("one"), shown("two"), shown("injected")}, "the build", "2026-01-02")
	code := nb.Code()
	if len(code) != 4 || !code[2].HasTag(params.InjectedTag) || code[2].Outputs[0].Text != "injected" || code[2].ExecutionCount != 0 {
		t.Fatalf("cells %+v, want the injected cell third", code)
	}
	if code[0].Outputs[0].Text != "one" || code[1].Outputs[0].Text != "two" || code[0].ExecutionCount != 1 {
		t.Errorf("cells %+v and %+v, want what they showed", code[0], code[1])
	}
	if len(code[3].Outputs) != 0 || code[3].ExecutionCount != 0 {
		t.Errorf("cell %+v was not run and has outputs", code[3])
	}
	if got := string(nb.Metadata[madeKey]); got != `{"build":"the build","profile":"quick","day":"2026-01-02"}` {
		t.Errorf("metadata %s, want build, profile and day", got)
	}
	if own := ownCells(nb); len(own) != 3 || own[2].ID != "slow" {
		t.Errorf("own cells %+v, want those of the notebook", own)
	}
	if j.Committed.Code()[0].Outputs[0].Text != "old" {
		t.Error("the committed notebook is changed")
	}
}

func TestCompareNotebooks(t *testing.T) {
	j, err := newJob(example(t, nil), "out", options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(text string) ran {
		return ran{[]nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: text}}, 1, 0}
	}
	found := withOutputs(j, []ran{shown("ε 1.5"), {}}, "", "2026-01-02")
	if _, err := compareNotebooks(j, found, false, 0); err == nil || !strings.Contains(err.Error(), "committed without outputs: run it (go run ./notebooks/run -write a)") {
		t.Errorf("error %v, want one that says what to do", err)
	}
	j.Committed.Code()[0].Outputs = shown("ε 1.25").outputs
	j.Committed.Code()[2].Outputs = shown("not run under -check").outputs
	mismatches, err := compareNotebooks(j, found, false, 0)
	if err != nil || len(mismatches) != 1 || mismatches[0].String() != "cell [1], stdout word 2: expected 1.25, found 1.5" {
		t.Errorf("mismatches %v, %v, want the one in cell 1", mismatches, err)
	}
	if mismatches, err := compareNotebooks(j, found, true, 0); err != nil || len(mismatches) != 0 {
		t.Errorf("mismatches %v, %v, want none where only kinds count", mismatches, err)
	}
}

// The notebook's text stands where it does in the notebook, between what its cells have shown.
func TestProse(t *testing.T) {
	cell := func(kind, source string) *nbformat.Cell { return &nbformat.Cell{Type: kind, Source: source} }
	j := &job{Committed: &nbformat.Notebook{Cells: []*nbformat.Cell{
		cell("markdown", "one"), cell("code", "a"), cell("code", "b"), cell("markdown", "two"), cell("code", "c"), cell("markdown", "three")}}}
	j.Steps = []step{{Number: 1}, {Number: 0}, {Number: 2}, {Number: 3}} // with one put in
	got := prose(j, []ran{{saved: 2}, {saved: 2}, {saved: 3}})           // the last cell was not run
	if want := []report.Prose{{Text: "one"}, {Text: "two", Above: 3}, {Text: "three", Above: 3}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The longest notebook goes first: by what its cells took, and by their number where that is not
// known.
func TestOrder(t *testing.T) {
	r := &runner{durations: progress.LoadDurations(filepath.Join(t.TempDir(), "durations.json"))}
	var jobs []*job
	for _, n := range []int{1, 3, 2} {
		j := &job{Name: strconv.Itoa(n), Profile: quick}
		for i := range n {
			j.Steps = append(j.Steps, step{Number: i + 1, Cell: nbformat.NewCode("", fmt.Sprint("cell ", i))})
		}
		jobs = append(jobs, j)
	}
	if got := r.order(jobs); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("nothing known: order %v, want most cells first", got)
	}
	r.durations.Put("1", quick, "cell 0", time.Minute)
	if got := r.order(jobs); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("one cell takes a minute: order %v, want its notebook first", got)
	}
	jobs[2].Name = firstNotebook
	if got := r.order(jobs); !slices.Equal(got, []int{2, 0, 1}) {
		t.Errorf("with the quickstart: order %v, want it first", got)
	}
}
