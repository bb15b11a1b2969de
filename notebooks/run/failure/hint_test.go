package failure

import (
	"slices"
	"strings"
	"testing"
)

// The texts are those of GoNB v0.11.5 and go1.26.
func TestHint(t *testing.T) {
	cells := Cells{
		Failed: "%%\nfmt.Println(law.Posson{})\nshw.Plot(1)",
		Earlier: []Ran{{1, "%%\nres, err := f()\nfor i := range 3 {\n}"}, {2, "x := 1"}, {3, "import \"fmt\"\n%%\n  a, res2 := g()"},
			{4, "func training() int { return 1 }\n\nvar epsilon, delta = 1.0, 1e-5\n%%\ninside := 2"}},
		Saved: []string{"!ls\nfunc half(x float64) float64 {\n\treturn x / 2\n}", "type Choice struct{}\n%%\nfunc() {}()"},
		Root:  "../../..",
	}
	tests := []struct{ said, want string }{
		{"Cell[2]: Line 1\nfmt.Println(1)\nexpected declaration, found fmt", "below a line with %%"},
		{"Cell[2]: Line 1\ndeclared and not used: y", "unused variable"},
		{"main.go:4:8: no required module provides package example.com/x; to add it:\n\tgo get example.com/x", "a cell fetches no packages"},
		{"go: example.com/x@v1: module lookup disabled by GOPROXY=off", "a cell fetches no packages"},
		{"undefined: res", "res was made below %% of an earlier cell"},
		{"undefined: err", "err was made below"},
		{"undefined: res2", "res2 was made below"},
		{"undefined: x", ""}, // declared nowhere: that cell did not compile
		{"undefined: re", ""},
		{"undefined: other", ""},
		{"1 + 1 (untyped int constant 2) is not used", "print or show it"},
		{"x (variable of type int) is not used\n", "print or show it"},
		{"expected '}', found 'EOF'", "no matching }"},
		{"\"os\" imported and not used", "unused variables and imports"},
		{"undefined: half", "half is declared in a cell that has not run since the kernel started: first run the cell with “func half(x float64) float64 {”"},
		{"undefined: Choice", "“type Choice struct{}”"},
		{"undefined: traning", "did you mean training?"},
		{"undefined: epsilno", "did you mean epsilon?"},
		{"undefined: insied", ""}, // below %%: no later cell has it
		{"undefined: show.Figure", "show has no name Figure: Tab"},
		{"undefined: show.Tabel", "show has no name Tabel: did you mean show.Table? If you did not write this, the notebook is older"},
		{"undefined: law", "law has no name Posson: did you mean law.Poisson?"}, // no import has been added for it
		{"undefined: shw", "did you mean show?"},
		{"no required module provides package github.com/dplab/dplab/accounting/selction; to add it:", "did you mean github.com/dplab/dplab/accounting/selection?"},
		{"no required module provides package github.com/dplab/dplab/notebooks/nothing/here; to add it:", "no such package. If you did not"},
		{"unknown field Sigma in struct literal of type accounting.Gaussian", "accounting.Gaussian has no field Sigma: Tab shows what it has. If you did not write this"},
		{"unknown field Mean in struct literal of type law.Poisson", "law.Poisson has no field Mean: did you mean MeanRepeats?"},
		{"unknown field NoiseMultipler in struct literal of type dpsgd.Config", "did you mean NoiseMultiplier?"},
		{"unknown field Laws in struct literal of type dptune.Search[Choice, dpsgd.Parameters]", "did you mean Law?"},
		{"s.Prise undefined (type dptune.Search[Choice, dpsgd.Parameters] has no field or method Prise)", "did you mean Price?"},
		{"accounting.Gaussian{…}.Price undefined (type accounting.Gaussian has no field or method Price)", "delete the copy"},
		{"p.meanRepeats undefined (type law.Poisson has no field or method meanRepeats, but does have field MeanRepeats)", "capital letters"},
		{"not enough arguments in call to show.Text\n\thave ()\n\twant (string, ...any)", "Shift-Tab shows the arguments"},
		{"unknown field x in struct literal of type own", ""},
		{"not enough arguments in call to own", ""},
		{"undefined: fmt.Printn", "fmt has no name Printn: did you mean fmt.Print"},
		{"undefined: strings.Lenght", "strings has no name Lenght: Tab shows what it has."},
		{"unknown field Adress in struct literal of type http.Server", "http.Server has no field Adress: Tab"},
		{"undefined: rand.NewPGC", "did you mean rand.NewPCG?"}, // of math/rand/v2
		{"b.WriteStirng undefined (type strings.Builder has no field or method WriteStirng)", "did you mean WriteString?"},
		{"assignment mismatch: 1 variable but koskela2023.Defaults returns 2 values", "show.Must"},
		{"declared and not used: cfg\nCell[3]: Line 2\nassignment mismatch: 1 variable but koskela2023.Defaults returns 2 values", "show.Must"}, // one slip, two errors
		{"multiple-value koskela2023.Figure1(cfg) (value of type (koskela2023.Figure1Result, error)) in argument to show.Plot", "show.Must"},
		{"assignment mismatch: 2 variables but digits.Load returns 3 values", "a, b, err := f()"},
		{"multiple-value f() (value of type (int, int)) in argument to g", ""},
		{"signal: killed", "more memory"},
		{"panic: index out of range", ""},
	}
	for _, test := range tests {
		got := Hint(test.said, cells)
		if got == "" && test.want != "" || got != "" && test.want == "" || !strings.Contains(got, test.want) {
			t.Errorf("%q: hint %q, want %q in it", test.said, got, test.want)
		}
	}
}

// A name of Go's own packages does not depend on the age of the notebook.
func TestHintOfGoPackages(t *testing.T) {
	if got := Hint("undefined: fmt.Pritnln", Cells{Root: "../../.."}); got != "fmt has no name Pritnln: did you mean fmt.Println?" {
		t.Errorf("hint %q", got)
	}
}

// Two cells declare half. The error may be in either, or in a third cell that uses it.
func TestHintOfRedeclaredNames(t *testing.T) {
	two := []Ran{{7, "func half(x string) string { return x }"}, {3, "func half(x float64) float64 {\n\treturn x / 2\n}"}, {5, "func quarter() float64 { return half(half(1)) }"}}
	for _, test := range []struct {
		said, failed string
		earlier      []Ran
		want         string
	}{
		{"Cell[9]: Line 2\ncannot use half(3) (value of type string) as float64 value in variable declaration", "%%\nvar x float64 = half(3)", two,
			"half is declared twice, and the later one holds: in cell [3] as “func half(x float64) float64 {”, in cell [7] as “func half(x string) string { return x }”."},
		{"Cell[5]: Line 1\ncannot use half(half(1)) (value of type string) as float64 value in return statement", two[0].Source, two[1:],
			"in cell [3] as “func half(x float64) float64 {”, in this cell as “func half(x string) string { return x }”. Rename one, or change"},
		{"not enough arguments in call to half\n\thave ()\n\twant (string)", "%%\nhalf()", two, "half is declared twice"},
		{"assignment mismatch: 2 variables but half returns 1 value", "%%\na, b := half()", two, "half is declared twice"},
		{"undefined: halfs", "%%\nhalfs()", two, "did you mean half?"},
		{"cannot use half(3) (value of type float64) as string value", "%%", two[1:2], ""},                          // once
		{"cannot use half(3) (value of type float64) as string value", "%%", []Ran{two[1], {8, two[1].Source}}, ""}, // the same again
	} {
		got := Hint(test.said, Cells{Failed: test.failed, Earlier: test.earlier})
		if got == "" && test.want != "" || got != "" && test.want == "" || !strings.Contains(got, test.want) {
			t.Errorf("%q: hint %q, want %q in it", test.said, got, test.want)
		}
	}
}

// Without the notebook's file and the repository the hints are less precise.
func TestHintOfUnknownCells(t *testing.T) {
	for said, want := range map[string]string{
		"undefined: half":       "",
		"undefined: show.Tabel": "show has no name Tabel: Tab shows what it has. If you did not write this, the notebook is older",
		"no required module provides package github.com/dplab/dplab/accounting/selction; to add it:": "no such package",
	} {
		if got := Hint(said, Cells{}); got == "" && want != "" || got != "" && want == "" || !strings.Contains(got, want) {
			t.Errorf("%q: hint %q, want %q", said, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"Steps", "NoiseMultiplier", "NoiseStdDev", "MeanRepeats", "Mean", "Table", "Tables"}
	for wrong, want := range map[string][]string{
		"NoiseMultipler": {"NoiseMultiplier"},
		"Multiplier":     {"NoiseMultiplier"}, // a part of it
		"Step":           {"Steps"},
		"Stesp":          {"Steps"}, // two letters swapped
		"mean":           {"Mean"},
		"Tabless":        {"Tables"},
		"Tabel":          {"Table"},
		"Sigma":          nil,
		"St":             nil,
	} {
		if got := nearest(wrong, names); !slices.Equal(got, want) {
			t.Errorf("nearest to %s: %q, want %q", wrong, got, want)
		}
	}
}

// Expected values by hand: optimal string alignment.
func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"abcd", "acbd", 1},
	}
	for _, test := range tests {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
