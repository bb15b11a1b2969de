package failure

import (
	"cmp"
	"regexp"
)

// habit is the advice for an error that comes from writing Python: a pattern of the error, and one
// of a line in the cell, if the error itself does not show the cause.
type habit struct {
	of, in *regexp.Regexp
	do     string
}

// python returns the advice of the first habit that an error and its cell show, or "".
func (c Cells) python(said string) string {
	for _, h := range habits {
		if h.of.MatchString(said) && (h.in == nil || h.in.MatchString(c.Failed)) {
			return h.do
		}
	}
	if m := method.FindStringSubmatch(said); m != nil {
		return cmp.Or(methods[m[1]], builtins[m[1]])
	}
	names := undefined.FindAllStringSubmatch(said, -1)
	for _, m := range names {
		if do := builtins[m[1]]; do != "" {
			return do
		}
	}
	for _, m := range names {
		if regexp.MustCompile(`\bfunc ?\w*\((\w+, )*` + m[1] + `(, \w+)*\)`).MatchString(c.Failed) {
			return "a parameter has a type: func f(" + m[1] + " float64) float64 { ... }"
		}
		if regexp.MustCompile(`(?m)^\s*(\w+, )*` + m[1] + `(, \w+)* [-+*/]?= `).MatchString(c.Failed) {
			return "a variable is made by :=, as in " + m[1] + " := 5; = changes one that is there"
		}
	}
	return ""
}

// method matches a method that lists, maps and texts have in Python, and none has in Go.
var method = regexp.MustCompile(`\(type (?:\[\d*\]|map\[|(?:untyped )?string\b).* has no field or method (\w+)\)`)

// methods have the names of such methods, if builtins do not.
var methods = map[string]string{
	"append": appending, "push": appending, "extend": "write xs = append(xs, ys...)", "copy": "write slices.Clone(xs), or maps.Clone(m)", "sort": "write slices.Sort(xs)",
	"index": "write slices.Index(xs, x)", "pop": "write x := xs[len(xs)-1], then xs = xs[:len(xs)-1]; for a map: delete(m, key)",
	"length": length, "size": length, "shape": length, "T": "write loops: m[i][j] is one number of a table",
	"items": entries, "keys": entries, "values": entries, "get": "write m[key]; x, ok := m[key] also reports whether it is there",
	"split": texts, "join": texts, "strip": texts, "upper": texts, "lower": texts, "replace": texts, "startswith": texts, "endswith": texts,
	"find": texts, "format": `write fmt.Sprintf("%v runs", n)`,
}

const (
	length  = "write len(xs)"
	entries = "write for key, value := range m { ... }: its order changes from run to run"
	texts   = `functions of texts are in strings: strings.Split(s, ","), strings.Join(xs, ","), strings.TrimSpace(s), strings.ToUpper(s)`
)

// builtins have names of Python and NumPy, with what to write instead.
var builtins = map[string]string{
	"True": "write true", "False": "write false", "None": "write nil; a variable that may be nil is a pointer",
	"str": "write fmt.Sprint(x)", "float": "write float64(x)", "pass": "a block may be empty: { }",
	"sum": "write a loop, or floats.Sum(xs) of gonum.org/v1/gonum/floats", "mean": "write stat.Mean(xs, nil) of gonum.org/v1/gonum/stat",
	"std": "write stat.StdDev(xs, nil) of gonum.org/v1/gonum/stat", "abs": "write math.Abs(x)", "round": "write math.Round(x)", "pow": "write math.Pow(x, y)",
	"sorted": "write slices.Sort(xs): it sorts xs itself", "enumerate": "write for i, x := range xs { ... }", "zip": "write for i := range xs { ... xs[i], ys[i] ... }",
	"input": "a cell reads no input: set a constant instead", "type": `write fmt.Printf("%T\n", x)`, "isinstance": "write switch x := x.(type) { ... }",
	"max": "write slices.Max(xs)", "min": "write slices.Min(xs)", "random": "write rand.Float64() of math/rand/v2", "open": "write show.Must(os.ReadFile(path)); data/table reads a CSV file",
	"np": numpy, "numpy": numpy, "pd": "write show.Data(d), or package data/table", "plt": "write show.Plot(c): chart.New makes a chart of numbers",
}

const numpy = "a list of numbers is []float64{1, 2}; functions are in math (math.Sqrt), slices (slices.Max), math/rand/v2 (rand.NormFloat64) and gonum.org/v1/gonum/floats (floats.Sum)"

// written is what the parser and the compiler report of text that is not Go.
const written = `expected |unexpected |illegal |missing ','|invalid character`

const (
	block       = "a block is in braces: if x > 3 { ... }, for i := range 3 { ... }"
	appending   = "write xs = append(xs, x)"
	dict        = `a dict is map[string]float64{"a": 1}`
	sprintf     = `a text with values is fmt.Sprintf("%v runs", n): Go has no f"..."`
	conditional = "Go has no conditional expression: if c { x = a } else { x = b }"
	power       = "a power is math.Pow(2, 10), or 1 << 10 for a power of 2: Go has no **"
)

// of returns a habit that an error shows by itself, and in one that also needs a line of the cell.
func of(said, do string) habit { return habit{regexp.MustCompile(said), nil, do} }
func in(said, line, do string) habit {
	return habit{regexp.MustCompile(said), regexp.MustCompile(`(?m)` + line), do}
}

// habits are tried in this order.
var habits = []habit{
	of(`expected '\(', found main\b`, "a { above %% has no matching }"),
	of(`unexpected EOF, expected }`, "a { in this cell has no matching }"),
	in(`found '\+\+'|found '--'`, ``, "x++ is a statement and has no value: write x++, then y := x"),
	in(`expected '\(', found \w`, `^\s*func \w+\(`, "a function with a name stands above %%; below it: square := func(x float64) float64 { return x * x }"),
	in(written, `(^|[^\w"'])[fr]["']|["'] % `, sprintf),
	of(`illegal rune literal|more than one character in rune literal`, `a text is in double quotes: "hello"`),
	in(written, `^\s*def \w|\blambda\b`, "a function is func f(x float64) float64 { return x * x }, above %%; below it f := func(x float64) float64 { return x * x }"),
	in(written, `[\[(][^\])]*\bfor \w+ in\b`, "Go has no comprehensions: for _, x := range xs { ys = append(ys, x*x) }"),
	in(written, `\bfor\b.*\bin\b|\brange ?\(.*\):`, "write for i := range 3 { ... }, or for _, x := range xs { ... } for the elements of a list"),
	in(written, `^\s*while\b`, "while is for: for x < 3 { ... }"),
	in(written, `\belif\b`, "elif is else if: } else if x > 3 { ... }"),
	of(`found 'else'|unexpected keyword else`, "else stands on the line of the brace before it: } else {"),
	in(written+`|label (try|except) defined`, `^\s*(try|except|finally|\} *catch)\b`, "Go has no exceptions: functions return errors. show.Must(f()) ends the cell with the error"),
	in(written, `^\s*with\b`, "a file is opened by f := show.Must(os.Open(path)), and closed by defer f.Close()"),
	in(written+`|label \w+ defined`, `^\s*(if|else|for)\b.*:\s*$`, block),
	in(written, `^\s*class\b`, "a class is type Model struct { ... } with functions, above %%"),
	in(written, `\[\w+\] ?\*`, "a list of ten zeros is make([]float64, 10)"),
	in(written, `\bdict\(`, dict),
	of(`expected '\{', found newline`, block),
	in(written, `^\s*assert\b`, `write if x != 1 { panic("x is not 1") }`),
	in(written, `^\s*raise\b`, `write panic("no"), or in a function return fmt.Errorf("no")`),
	in(written, `^\s*del\b`, "write xs = slices.Delete(xs, 0, 1), or for a map delete(m, key)"),
	in(written, `^\s*(global|nonlocal)\b`, "what all functions share is declared above %%: var x = 3"),
	in(written, `^\s*print\s+["\w]`, "write fmt.Println(x): arguments are in parentheses"),
	in(written, `^\s*(let|auto|int|float|double|float64|string|bool|str)\s+\w+\s*=`, "a variable is made by :=, as in x := 5"),
	in(written, `\btype\(`, builtins["type"]),
	in(written, `^\s*(if|for)\b.*\b(and|or|not)\b|[(=,] *not \w|= [^"']*\b(and|or)\b`, "and, or, not are &&, ||, !"),
	in(written, `\bis (not )?(nil|None)\b`, "write x == nil, or x != nil"),
	in(written, `\S if .+ else | \? .+ : `, conditional),
	in(written, `[!=]= *\[\]`, "write len(xs) == 0, or len(xs) != 0"),
	in(written, `[=(] *range ?\(`, "a list of whole numbers: for i := range 10 { xs = append(xs, i) }"),
	in(written, `\w\[[^\]]*[:\w], ?[\w:]`, "a table is a list of lists: m[i][j]. A column takes a loop"),
	in(written, `= *\[\]\s*$`, "an empty list is []float64{}: give the type of its elements"),
	in(written, `= *\{\}`, "an empty dict is map[string]float64{}: give both types"),
	in(written, `= *\{[^:{}]+\}`, "a list is []float64{1, 2, 3}, and a set map[string]bool{\"a\": true}"),
	in(written, `\bthen\b`, block),
	in(written, `"""`, "a text of several lines is between two backquotes"),
	in(written, `\[\[`, "a table is [][]float64{{1, 2}, {3, 4}}"),
	in(written, `^\s*if\b.*\bin\b`, "write slices.Contains(xs, x), or for a map: _, ok := m[key]"),
	in(written, `^\s*#`, "a comment begins with //"),
	in(written, `^\s*(import \w+|from \w+ import\b)`, `an import is import "math", above %%; Go's own packages need none`),
	in(written, `[=(,]\s*\[[^\]]*,`, "a list is []float64{1, 2, 3}"),
	in(written, `[=(,]\s*\{\s*["\w]+\s*:`, dict),
	in(written, `= *\([^()]*,[^()]*\)`, "Go has no tuples: a, b := 1, 2 makes two variables; a struct holds several values"),
	of(`missing ',' before newline|unexpected newline in .*missing comma`, "where a list goes over several lines, each ends with a comma, the last too"),
	in(written, `\w[({][^(){}]*\b\w+ ?=[^=]`, "Go has no arguments by name: give all in order, or the fields of a struct: Config{Steps: 100}"),

	of(`\* .*\(mismatched types .*string\b`, `write strings.Repeat("a", 3)`),
	of(`(==|!=|<|>) .*\(mismatched types .*string\b`, `a number and a text do not compare: write x == 3, or fmt.Sprint(x) == "3"`),
	of(`mismatched types .*string\b`, `values join a text by fmt.Sprint("ε = ", x), or fmt.Sprintf("%v runs", n)`),
	of(`mismatched types (untyped )?bool`, "compare two at a time: 3 < x && x < 5"),
	of(`mismatched types .*\[\]|operator . not defined on .* of type \[\]`, "lists have no arithmetic: write a loop, or floats.Scale and floats.Add of gonum.org/v1/gonum/floats"),
	of(`mismatched types (untyped )?(int|uint|float)\d* and (untyped )?(int|uint|float)`, "Go does not mix types of numbers: convert one of them, as in epsilon * float64(n)"),
	in(`cannot use \w+ .*of type int\) as float64`, `for \w+ := range [^\d]`, "for i := range xs gives indices: for _, x := range xs gives the elements. Else convert: float64(n)"),
	of(`cannot use .* of type u?int\d*\) as float(64|32) value`, "convert the whole number: float64(n). n / 2 drops the fraction, and float64(n) / 2 keeps it"),
	of(`float constant.*\btruncated`, "the other number is whole (int): convert it, as in float64(n) * 0.5, or make it by n := 3.0"),
	of(`cannot indirect|operator \^ not defined`, power),
	of(`operator % not defined on`, "the remainder of floats is math.Mod(x, y)"),
	of(`index -\d+ .*must not be negative`, "the last element is xs[len(xs)-1], and all but it xs[:len(xs)-1]"),
	of(`index out of range \[\d+\] with length`, "xs[0] is the first and xs[len(xs)-1] the last. A list grows by xs = append(xs, x), or has a length from the start: xs := make([]float64, n)"),
	of(`invalid append: argument must be a slice`, "[3]float64 keeps its length: []float64{1, 2, 3} grows"),
	of(`append\(.*is not used`, appending),
	of(`no new variables on left side`, "= changes what is there, as in a, b = b, a; := makes something new"),
	of(`non-boolean condition`, "a condition is true or false: write x != 0, or len(xs) > 0"),
	of(`cannot convert .*string.* to type (int|float)`, `write show.Must(strconv.ParseFloat("3.5", 64)), or strconv.Atoi("3") for a whole number`),
	of(`cannot use ".*" \(untyped string constant\) as (int|float)\w* value in (struct|arg|var)`, "a number has no quotes"),
	of(`neither addressable nor a map index`, "a text keeps its letters: make another, as by strings.ReplaceAll(s, old, new)"),
	of(`cannot range over .*float`, "range takes a whole number: for i := range int(x)"),
	of(`can only be compared to nil`, "write slices.Equal(a, b), or maps.Equal(a, b)"),
	of(`permits only one iteration variable`, "write for i := range 3 { ... }"),
	of(`cannot be ordered`, "max and min take numbers: slices.Max(xs) is the largest of a list"),
	in(`too many return values`, `^func \w+\([^)]*\) *\{`, "a function that returns a value has its type behind the parameters: func f(x float64) float64 { ... }"),
	of(`too many return values\n.*\n\s*want \(\)`, "a cell returns nothing: end it with the value, or print it by fmt.Println(x)"),
	of(`use of untyped nil`, "nil has no type: var x *float64 declares a pointer that is nil"),
	of(`as \*float64 value`, "a pointer to a number is new(45.0)"),
	of(`index required in 3-index slice`, "Go has no steps: for i := 0; i < len(xs); i += 2 { ... }"),
	of(`as figures\.WithFigure value`, "show.Plot takes a figure, such as show.Must(chart.New(...))"),
	of(`as dpsgd\.Sampling value`, "a way to draw batches is a value, such as dpsgd.Poisson{Rate: 0.1}"),
	of(`data\.Dataset\) as figures\.WithTable`, "show.Data(d) shows a data set"),
	of(`cannot use .* as \w+ value in assignment`, "a variable keeps its type: take another name for the new value"),
	of(`assignment to entry in nil map`, "a map must be made: m := map[string]float64{}, not var m map[string]float64"),
	in(`\b0: must be (in \(0|>|at least)`, `\b\d+ ?/ ?\w+|/ ?len\(`, "256/60000 of two whole numbers is 0: write 256.0/60000, or float64(a) / float64(b)"),
}
