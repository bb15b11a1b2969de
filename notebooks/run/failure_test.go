package main

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// Outputs as GoNB v0.11.5 with -raw_error gave them for these cells.
func TestDescribeFailure(t *testing.T) {
	j, err := newJob(save(t, "a.ipynb", nil,
		nbformat.NewCode("one", "func F(i int) int {\n\tvar s []int\n\treturn s[i]\n}"),
		nbformat.NewCode("two", "%%\nfmt.Println(\"hello\")\nfmt.Println(F(3))"),
		nbformat.NewCode("three", "%%\nfmt.Println(missing)")), "out", options{})
	if err != nil {
		t.Fatal(err)
	}
	stderr := func(text string) nbformat.Output {
		return nbformat.Output{Type: nbformat.Stream, Name: "stderr", Text: text}
	}
	failed := nbformat.Output{Type: nbformat.ErrorOutput, ErrorName: "ERROR", ErrorValue: "exit status 2", Traceback: []string{"exit status 2"}}
	const inF = "\t \x1b[7m[[ Cell [1] Line 3 ]]\x1b[0m $TMPDIR/gonb_cell/main.go:10\n"
	const inMain = "\t \x1b[7m[[ Cell [2] Line 3 ]]\x1b[0m $TMPDIR/gonb_cell/main.go:17\n"
	const compiler = "# gonb_cell\n./main.go:15:13: undefined: missing\n"
	tests := []struct {
		name    string
		step    int
		outputs []nbformat.Output
		value   string
		want    []string
	}{
		{"panic", 1, []nbformat.Output{stderr("panic: index out of range\n\n" + inF + inMain), failed}, "exit status 2",
			[]string{"a.ipynb, cell [2], line 3: panic: index out of range", "> fmt.Println(F(3))", "Cell [1] Line 3"}},
		{"panic in what another cell declares", 1, []nbformat.Output{stderr("panic: index out of range\n\n" + inF), failed}, "exit status 2",
			[]string{"cell [2], in a declaration of cell [1], line 3: panic", "> return s[i]"}},
		{"does not compile", 2, []nbformat.Output{{Type: nbformat.ErrorOutput, ErrorValue: compiler,
			Traceback: []string{"\x1b[31m# gonb_cell\x1b[0m", "Cell[3]: Line 2\nfmt.Println(missing)\n\x1b[31mundefined: missing\x1b[0m"}}}, compiler,
			[]string{"cell [3], line 2: undefined: missing", "> fmt.Println(missing)"}},
		{"show.Check", 1, []nbformat.Output{stderr("error: quickstart: Config.Epsilon -3: must be > 0\nexit status 1\n"), failed}, "exit status 1",
			[]string{"cell [2]: quickstart: Config.Epsilon -3: must be > 0"}},
		{"show.Check, which says where", 1, []nbformat.Output{stderr("error: Config.Epsilon -3: must be > 0\n" + inF + inMain + "exit status 1\n"), failed}, "exit status 1",
			[]string{"cell [2], line 3: Config.Epsilon -3: must be > 0", "> fmt.Println(F(3))"}},
		{"a package that is nowhere", 2, []nbformat.Output{{Type: nbformat.ErrorOutput, ErrorValue: "exit status 1", Traceback: []string{"main.go:4:8: no required module provides package example.com/x"}}}, "exit status 1",
			[]string{"cell [3]", "no required module", "a cell fetches no packages"}},
		{"nothing said", 1, nil, "", []string{"cell [2]: failed", "> fmt.Println(\"hello\")"}},
		{"place that is not there", 1, []nbformat.Output{stderr("[[ Cell [2] Line 99 ]] [[ Cell [99] Line 9 ]]")}, "exit status 1", []string{"cell [2], line 99: exit status 1"}},
	}
	for _, test := range tests {
		got := describeFailure(j, j.Steps[test.step], test.outputs, causeOf(test.outputs, test.value))
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want it to have %q", test.name, got, want)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q has color codes", test.name, got)
		}
	}
}
