package failure

import (
	"strings"
	"testing"
)

// The texts are those of GoNB v0.11.5 and go1.26.
func TestHint(t *testing.T) {
	earlier := []string{"%%\nres, err := f()\nfor i := range 3 {\n}", "x := 1", "import \"fmt\"\n%%\n  a, res2 := g()"}
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
		{"undefined: show.Figure", "of another version"},
		{"no required module provides package github.com/dplab/dplab/notebooks/figures/none; to add it:", "of another version"},
		{"unknown field Sigma in struct literal of type accounting.Gaussian", "delete the copy"},
		{"accounting.Gaussian{…}.Price undefined (type accounting.Gaussian has no field or method Price)", "of another version"},
		{"not enough arguments in call to show.Text\n\thave ()\n\twant (string, ...any)", "of another version"},
		{"unknown field x in struct literal of type own", ""},
		{"not enough arguments in call to own", ""},
		{"assignment mismatch: 1 variable but koskela2023.Defaults returns 2 values", "show.Must"},
		{"declared and not used: cfg\nCell[3]: Line 2\nassignment mismatch: 1 variable but koskela2023.Defaults returns 2 values", "show.Must"}, // one slip, two errors
		{"multiple-value koskela2023.Figure1(cfg) (value of type (koskela2023.Figure1Result, error)) in argument to show.Plot", "show.Must"},
		{"assignment mismatch: 2 variables but digits.Load returns 3 values", ""},
		{"multiple-value f() (value of type (int, int)) in argument to g", ""},
		{"signal: killed", "more memory"},
		{"panic: index out of range", ""},
	}
	for _, test := range tests {
		got := Hint(test.said, earlier)
		if got == "" && test.want != "" || got != "" && test.want == "" || !strings.Contains(got, test.want) {
			t.Errorf("%q: hint %q, want %q in it", test.said, got, test.want)
		}
	}
}
