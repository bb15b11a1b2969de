package failure

import (
	"strings"
	"testing"
)

// What hands write that know Python, with the texts of go1.26's parser, which GoNB v0.11.5 runs
// first, and of its compiler.
func TestHintForPython(t *testing.T) {
	for _, test := range []struct{ cell, said, want string }{
		{"fmt.Println(epsilon * n)", "invalid operation: epsilon * n (mismatched types float64 and int)", "float64(n)"},
		{"math.Sqrt(4) * len(xs)", "invalid operation: math.Sqrt(4) * len(xs) (mismatched types float64 and int)", "float64(n)"},
		{"for i in range(3):\n\tfmt.Println(i)", "expected '{', found in (and 1 more errors)", "for i := range 3"},
		{"for i := range(3):\n\tfmt.Println(i)", "expected '{', found ':'", "for i := range 3"},
		{"for i, x := range 3 {\n}", "range over 3 (untyped int constant) permits only one iteration variable", "for i := range 3"},
		{`fmt.Println(f"value {x}")`, "missing ',' in argument list", "fmt.Sprintf"},
		{"print(f'{1}')", "illegal rune literal", "fmt.Sprintf"},
		{"x := 'hello'", "more than one character in rune literal", "double quotes"},
		{"fmt.Println(2**10)", "invalid operation: cannot indirect 10 (untyped int constant)", "math.Pow"},
		{"var m map[string]int\nm[\"a\"] = 1", "panic: assignment to entry in nil map", "m := map["},
		{"func f() {\n%%\nf()", "expected '(', found main", "above %% has no matching }"},
		{"for i := range 3 {", "expected '}', found 'EOF'", "no matching }"},
		{"x = 5\nfmt.Println(x)", "undefined: x\n", "x := 5"},
		{"x, y = 1, 2", "undefined: y\n", "y := 5"},
		{"x := [1, 2, 3]", "unexpected comma; expecting ]", "[]float64{1, 2, 3}"},
		{`x := {"a": 1}`, "expected operand, found '{'", "map[string]float64"},
		{"x := (1, 2)", "expected ')', found ','", "no tuples"},
		{"if x == 3:\n\tf()", "illegal label declaration", "in braces"},
		{"else:\n\tf()", "label else defined and not used", "in braces"},
		{"if x == 3 and x < 4 {\n}", "expected ';', found and", "&&"},
		{"if not x == 3 {\n}", "expected ';', found x", "!"},
		{"x := True", "undefined: True", "write true"},
		{"x := None", "undefined: None", "nil"},
		{"def f(x):\n\treturn x", "expected ';', found f", "func f("},
		{"x := lambda y: y+1", "expected ';', found y", "func f("},
		{"import numpy as np", "expected statement, found 'import'", `import "math"`},
		{"np.mean(xs)", "undefined: np", "[]float64{1, 2}"},
		{"xs[-1]", "invalid argument: index -1 (constant of type int) must not be negative", "xs[len(xs)-1]"},
		{"xs.append(3)", "xs.append undefined (type []float64 has no field or method append)", "append(xs, x)"},
		{"append(xs, 3)", "append(xs, 3) (value of type []float64) is not used", "append(xs, x)"},
		{"x := 3 if true else 4", "expected ';', found 'if'", "if c { x = a }"},
		{"x += 0.5", "0.5 (untyped float constant) truncated to int", "float64(n)"},
		{"var x int = 2.5", "cannot use 2.5 (untyped float constant) as int value in variable declaration (truncated)", "n := 3.0"},
		{`a := "x" + 3`, `invalid operation: "x" + 3 (mismatched types untyped string and untyped int)`, "fmt.Sprint("},
		{`a := "x" + n`, `invalid operation: "x" + n (mismatched types untyped string and int)`, "fmt.Sprint("},
		{"var q float64 = n / 2", "cannot use n / 2 (value of type int) as float64 value in variable declaration", "float64(n) / 2"},
		{"math.Sqrt(n)", "cannot use n (variable of type int) as float64 value in argument to math.Sqrt", "float64(n)"},
		{"for x := range xs {\n\tmath.Sqrt(x)\n}", "cannot use x (variable of type int) as float64 value in argument to math.Sqrt", "for _, x := range xs"},
		{"fmt.Println(mean(xs))", "undefined: mean", "stat.Mean"},
		{"fmt.Println(sum(xs))", "undefined: sum", "floats.Sum"},
		{"try:\n\tf()\nexcept:\n\tpass", "label try defined and not used\nundefined: pass", "show.Must"},
		{"while true {\n}", "expected ';', found true", "for x < 3"},
		{"xs := [x*x for x in range(3)]", "expected ']', found 'for'", "comprehensions"},
		{"if 1 in xs {\n}", "expected ';', found in", "slices.Contains"},
		{"x := x is nil", "missing ',' in argument list", "x == nil"},
		{"# a comment", "illegal character U+0023 '#'", "//"},
		{"s == t", "invalid operation: s == t (slice can only be compared to nil)", "slices.Equal"},
		{"x = x * 2", "invalid operation: x * 2 (mismatched types []float64 and untyped int)", "floats.Scale"},
		{"x + y", "invalid operation: operator + not defined on x (variable of type []float64)", "floats.Add"},
		{"return 3", "too many return values\n\thave (number)\n\twant ()", "fmt.Println(x)"},
		{"} elif x > 2 {", "expected ';', found x", "else if"},
		{"if true {\n}\nelse {\n}", "expected statement, found 'else'", "} else {"},
		{"x := []float64{\n\t1,\n\t2\n}", "missing ',' before newline in composite literal", "the last too"},
		{`f("a", sep="")`, "expected '==', found '='", "arguments by name"},
		{"x = \"a\"", `cannot use "a" (untyped string constant) as float64 value in assignment`, "another name"},
		{"max(xs)", "invalid argument: xs (variable of type []float64) cannot be ordered", "slices.Max"},
		{"1e3 % 2", "invalid operation: operator % not defined on 1e3 (untyped float constant 1000)", "math.Mod"},
		{"dpsgd.Poisson{Rate: 256/60000}", "dpsgd: Calibrate: accounting: calibration at 1: auto: PoissonSampled.SamplingRate 0: must be in (0, 1]", "256.0/60000"},
		{"const n = 60000\n%%\nrun.Sampling = dpsgd.Poisson{Rate: 256 / n}", "Sampling.Rate 0: must be in (0, 1]", "256.0/60000"},
		{"table.Number{Empty: 45}", "cannot use 45 (untyped int constant) as *float64 value in struct literal", "new(45.0)"},
		{"show.Table(d)", "cannot use d (variable of struct type data.Dataset) as figures.WithTable value in argument to show.Table: data.Dataset does not implement figures.WithTable (missing method Table)", "show.Data(d)"},
	} {
		if got := Hint(test.said, Cells{Failed: test.cell}); !strings.Contains(got, test.want) {
			t.Errorf("%q, %q: hint %q, want %q in it", test.cell, test.said, got, test.want)
		}
	}
	// Errors of Go's own kind have no advice from Python.
	for _, test := range []struct{ cell, said string }{
		{"dpsgd.Poisson{Rate: 0}", "PoissonSampled.SamplingRate 0: must be in (0, 1]"},
		{"run.Steps = batch / n", "NoiseMultiplier 0: must be > 0"},
		{"x := f(1", "missing ',' before ')'"},
		{"if x == 3 {\n\ty := `for x in xs:`\n}", "undefined: y"},
		{"x := 3", "panic: runtime error: index out of range"},
	} {
		if got := (Cells{Failed: test.cell}).python(test.said); got != "" {
			t.Errorf("%q, %q: hint %q, want none", test.cell, test.said, got)
		}
	}
}
