package kernel

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// A value at the end of a cell is printed. All else is left as it is, also what Go refuses.
func TestShown(t *testing.T) {
	for source, want := range map[string]string{
		"1 + 1":         "%%\nfmt.Println(1 + 1)",
		" epsilon ":     "%%\nfmt.Println(epsilon)",
		"%%\nx := 3\nx": "%%\nx := 3\nfmt.Println(x)",
		"%%\nx := f()\nx.Price[0] // the first\n": "%%\nx := f()\nfmt.Println(x.Price[0]) // the first\n",
		"type T struct{}\n\n%%\nT{\n\tA: 1,\n}":   "type T struct{}\n\n%%\nfmt.Println(T{\n\tA: 1,\n})",
		"%%\n(x)":                                 "%%\nfmt.Println((x))",
		"%%\n-x":                                  "%%\nfmt.Println(-x)",
		"%%\n\"ε <= 3\"":                          "%%\nfmt.Println(\"ε <= 3\")",
	} {
		if want = strings.Replace(want, "fmt.Println(", printed, 1); Shown(source) != want {
			t.Errorf("%q becomes %q, want %q", source, Shown(source), want)
		}
	}
	for _, source := range []string{
		"", "%%", "%%\n", "%%\nf(x)", "f(x)", "%%\n<-c", "(f())", "%%\nx\ny := 2", "%%\nx = 3", "%%\nx++", "x := 3\nx", "%%\n!ls", "%%\nx\n!ls", "!ls", "%reset", "%%\nx and y",
		"var x = 3", "import \"fmt\"\n%%\nfmt.Println(1)", "%%\nfor {\n}", "%test\nx", "func() {}", "%% -flag\nx", "%%\n}\nfunc g() {\nx",
	} {
		if got := Shown(source); got != source {
			t.Errorf("%q becomes %q, want no change", source, got)
		}
	}
}

// Whatever the source, what Shown changes is a value of Go, printed.
func FuzzShown(f *testing.F) {
	for _, source := range []string{"1", "%%\nx", "%%\nx := `\n%%\ny`\nx", "a\n%%\n\n(x)\n"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := Shown(source)
		if got == source {
			return
		}
		_, below, _ := strings.Cut("\n"+got, "\n%%\n")
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p;func main() {"+below+"\n}", 0); err != nil || strings.Count(got, printed) != strings.Count(source, printed)+1 {
			t.Errorf("%q becomes %q: %v", source, got, err)
		}
	})
}

func TestHasCommand(t *testing.T) {
	for source, want := range map[string]bool{
		"":                               false,
		"import \"fmt\"\n\n%%\nf()":      false,
		"%% -n 3\nf()":                   false,
		"%%\n x := 7 %\n3":               false,
		"!ls":                            true,
		"%%\nf()\n!*go mod tidy":         true,
		"%%bash\nls":                     true,
		"%env A=b":                       true,
		"//gonb:!ls":                     true,
		"//gonb:%%\nf()":                 false,
		"var text = `\n%args in text\n`": true, // GoNB takes it as a command too
	} {
		if got := HasCommand(source); got != want {
			t.Errorf("%q: %v, want %v", source, got, want)
		}
	}
}
