package joint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exportsOf returns the export data of packages and of what they import.
func exportsOf(t *testing.T, packages ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return exports
}

// build compiles a program of package main. It returns its path, and what the compiler printed if
// it failed.
func build(t *testing.T, files map[string]string) (program, failed string) {
	t.Helper()
	dir := t.TempDir()
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "program", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GO111MODULE=off", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Sprintf("%v: %s", err, out)
	}
	return filepath.Join(dir, "program"), ""
}

func run(t *testing.T, program string, cell int) string {
	t.Helper()
	cmd := exec.Command(program, "-flag", "x")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", CellVariable, cell))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// The programs that GoNB would compose of three cells. Their variables print when they are set.
var notebook = []string{`package main

import (
	"fmt"
	"os"
)

type Shape struct {
	Side float64
}

const (
	first = iota
	second
)

var (
	b = say("b", 1)
	c = say("c", d) + 1
	d = say("d", second)
	path, err = os.Executable()
)

// say prints a variable's name and returns its value.
func say(name string, value int) int { fmt.Println(name, value); return value }

func (s Shape) String() string { return fmt.Sprint("a shape of side ", s.Side) }

func main() {
	fmt.Printf("%T %v %v %v\n", Shape{}, Shape{2}, b+c, os.Args[1:])
	fmt.Println(os.Getenv("` + CellVariable + `"), path != "", err)
}
`, `package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
)

type Shape struct {
	Side float64
}

const (
	first = iota
	second
)

var (
	a = rand.New(rand.NewPCG(1, uint64(say("a", b))))
	b = say("b", 1)
	c = say("c", d) + 1
	d = say("d", second)
	path, err = os.Executable()
	text = flag.String("flag", "", "")
)

// say prints a variable's name and returns its value.
func say(name string, value int) int { fmt.Println(name, value); return value }

func (s Shape) String() string { return fmt.Sprint("a shape of side ", s.Side) }

func twice[T any](x T) []T { return []T{x, x} }

func main() {
	flag.Parse()
	os.Unsetenv("` + CellVariable + `")
	b++
	fmt.Println(*text, a.IntN(1000), twice(Shape{1}), b, recover())
}
`, `package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
)

type Shape struct {
	Side float64
}

const (
	first = iota
	second
)

var (
	a = rand.New(rand.NewPCG(1, uint64(say("a", b))))
	aa = say("aa", 7)
	b = say("b", 1)
	c = say("c", d) + 1
	d = say("d", second)
	path, err = os.Executable()
	text = flag.String("flag", "", "")
	unset []Shape
)

// say prints a variable's name and returns its value.
func say(name string, value int) int { fmt.Println(name, value); return value }

func (s Shape) String() string { return fmt.Sprint("a shape of side ", s.Side) }

func twice[T any](x T) []T { return []T{x, x} }

func main() { flag.Parse(); fmt.Println(*text, aa, b, unset == nil) }
`}

// Each cell of the joint program prints what the cell's program prints. The variable of a later
// cell is not set, and no value outlives its cell.
func TestCellsDoWhatTheirProgramsDo(t *testing.T) {
	var cells []Cell
	for i, source := range notebook {
		cells = append(cells, Cell{10 + i, source})
	}
	p, err := Join(cells, exportsOf(t, "fmt", "os", "flag", "math/rand/v2"))
	if err != nil || len(p.Cells) != len(cells) {
		t.Fatalf("joined %d of %d cells: %v", len(p.Cells), len(cells), err)
	}
	joined, failed := build(t, p.Files)
	if failed != "" {
		t.Fatalf("%s\n%s", failed, p.Files)
	}
	for _, cell := range cells {
		without := strings.Replace(cell.Source, "func main() {", "func main() {\nos.Unsetenv(\""+CellVariable+"\");", 1)
		own, failed := build(t, map[string]string{"main.go": without})
		if failed != "" {
			t.Fatal(failed)
		}
		if got, want := run(t, joined, cell.Number), run(t, own, cell.Number); got != want {
			t.Errorf("cell %d of the joint program printed\n%s\nthe cell's program\n%s", cell.Number, got, want)
		}
	}
	cmd := exec.Command(joined)
	cmd.Env = append(os.Environ(), CellVariable+"=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "names no cell") {
		t.Errorf("without a cell: %v, %s", err, out)
	}
}

// program returns a program with some declarations and a body of main.
func program(declarations, body string) string {
	return "package main\n\nimport \"fmt\"\n\n" + declarations + "\n\nfunc main() { " + body + "; fmt.Println() }\n"
}

// Cells that would do something else in the joint program are left out.
func TestLeftOut(t *testing.T) {
	exports := exportsOf(t, "fmt")
	tests := []struct {
		name  string
		cells []string
		want  []int // numbers of the joined cells; none is an error
		says  string
	}{
		{"all fit", []string{program("", ""), program("var x = 1", ""), program("var x = 1", "x++")}, []int{0, 1, 2}, ""},
		{"a later value", []string{program("var x = 1", ""), program("var x = 2", ""), program("var x = 2", "x++")}, []int{1, 2}, ""},
		{"a later function", []string{program("func f() {}", ""), program("func f() { f() }", ""), program("func f() { f() }", "")}, []int{1, 2}, ""},
		{"a later constant", []string{program("const x = 1", ""), program("const x = 2", "")}, nil, `cell [0]: a later cell changes its declaration "const x = 1"`},
		{"a later type", []string{program("type x int", ""), program("type x uint", "")}, nil, "a later cell changes"},
		{"a later method", []string{program("type x int", "fmt.Println(x(1))"), program("type x int\nfunc (x) String() string { return \"\" }", "")}, nil, "cell [0]: a later cell adds a method to type x"},
		{"a predeclared name", []string{program("", "fmt.Print(max(1, 2))"), program("func max(x, y int) int { return x }", "")}, nil, "cell [0]: a later cell declares max"},
		{"a name of a later cell", []string{program("", ""), program("", ""), program("", "x++"), program("var x = 1", "")}, []int{0, 1}, ""},
		{"an import of a later cell", []string{program("", ""), program("", ""), program("", "os.Exit(0)")}, []int{0, 1}, ""},
		{"an unused variable", []string{program("", "x := 1"), program("", "")}, nil, "cell [0]: main.go:7:15: declared and not used: x"},
		{"main", []string{program("", ""), program("", "if false { main() }"), program("", "")}, []int{0, 2}, ""},
		{"init", []string{program("", ""), program("func init() {}", "")}, nil, "cell [1]: func init: must not be declared"},
		{"a variable without a name", []string{program("", ""), program("var _ = 1", "")}, nil, "cell [1]: var _: must not be declared"},
		{"an import for its effects", []string{program("", ""), strings.Replace(program("", ""), "import ", "import _ \"fmt\"\nimport ", 1)}, nil, `import _ "fmt"`},
		{"an unknown package", []string{strings.Replace(program("", "_ = x.Y"), "import ", "import \"x\"\nimport ", 1), program("", "")}, nil, "no export data"},
		{"no Go", []string{"package main\n}", program("", "")}, nil, "cell [0]: "},
		{"one cell", []string{program("", "")}, nil, "1 cells: must be at least two"},
	}
	for _, test := range tests {
		var cells []Cell
		for i, source := range test.cells {
			cells = append(cells, Cell{i, source})
		}
		p, err := Join(cells, exports)
		var got []int
		for _, cell := range p.Cells {
			got = append(got, cell.Number)
		}
		if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: joined %v (%v), want %v %s", test.name, got, err, test.want, test.says)
		}
	}
}

// Two packages of one name cannot be told apart in one program, so it must not compile.
func TestPackagesOfOneName(t *testing.T) {
	use := func(path string) string {
		return strings.Replace(program("", "_ = rand.Int"), "import ", "import \""+path+"\"\nimport ", 1)
	}
	p, err := Join([]Cell{{0, use("math/rand")}, {1, use("math/rand/v2")}}, exportsOf(t, "fmt", "math/rand", "math/rand/v2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := build(t, p.Files); !strings.Contains(failed, "rand redeclared") {
		t.Errorf("the compiler printed %q", failed)
	}
}
