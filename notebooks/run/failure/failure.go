// Package failure explains what went wrong in a cell: its place, the cause in one line, and what
// to do about it. It gives advice where GoNB differs from what its users may expect.
// It reads the texts of GoNB v0.11.5 with -raw_error.
package failure

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// cellLine matches GoNB's names of places: "Cell[3]: Line 2" from the compiler, "[[ Cell [3] Line
	// 2 ]]" in a stack.
	cellLine = regexp.MustCompile(`Cell ?\[(\d+)\]:? Line (\d+)`)
	// compilerPlace matches a place in the program that GoNB makes of the cell.
	compilerPlace = regexp.MustCompile(`^\S*main(_test)?\.go:\d+(:\d+)?: `)
	color         = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// Text returns the error text of a cell, without colors. It comes from the cell's standard error or
// from the kernel's error.
func Text(stderr, value string, traceback []string) string {
	kernel := value
	if len(traceback) > 0 {
		kernel = strings.Join(traceback, "\n")
	}
	if strings.TrimSpace(stderr) != "" && !cellLine.MatchString(kernel) {
		kernel = stderr // the kernel's error is then only "exit status 2"
	}
	return color.ReplaceAllString(kernel, "")
}

// Place returns the first place of the failed cell that the text names, or else the first place of
// any cell. Line 0 means that there is none.
func Place(said string, failed int) (cell, line int) {
	for _, m := range cellLine.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(m[1]) // digits only
		l, _ := strconv.Atoi(m[2])
		if n == failed {
			return n, l
		}
		if line == 0 {
			cell, line = n, l
		}
	}
	return cell, line
}

// Line returns a line of a cell, counted from 1. For 0 it returns the first line that is not only a
// command to GoNB.
func Line(source string, line int) string {
	lines := strings.Split(source, "\n")
	if line >= 1 && line <= len(lines) {
		return strings.TrimSpace(lines[line-1])
	}
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "%") && !strings.HasPrefix(l, "//") {
			return l
		}
	}
	return ""
}

// Cause returns the error in one line: the panic, the text of show.Check, or the first line of the
// compiler or the kernel.
func Cause(said, value string) string {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "error: ") {
			return strings.TrimPrefix(strings.TrimSpace(line), "error: ") // the prefix of show.Check
		}
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return Short(compilerPlace.ReplaceAllString(line, ""))
		}
	}
	return "failed"
}

// Short removes the end of an error's first line that announces lines which are not shown. They are
// the go command's advice to fetch a package, which no cell can do.
func Short(line string) string { return strings.TrimSuffix(line, "; to add it:") }

// hint is the advice for an error, with the pattern that recognizes it.
type hint struct {
	of *regexp.Regexp
	do string
}

var hints = []hint{
	{regexp.MustCompile(`expected declaration, found`),
		"put statements below a line with %%; above it, and in a cell without it, only declarations are allowed"},
	{regexp.MustCompile(`assignment mismatch: 1 variable but .* returns 2 values|multiple-value .* error\)\) in `),
		"if the second value is an error, write show.Must(f()): it returns the first value, and ends the cell if there is an error; else take both values: a, b := f()"},
	{regexp.MustCompile(`declared and not used: |" imported and not used`),
		"Go refuses unused variables and imports: use it, remove it, or write _ = NAME"},
	{regexp.MustCompile(`no required module provides package github\.com/dplab/dplab/|undefined: \w+\.\w+|unknown field \w+ in struct literal of type \w+\.|` +
		`type \*?\w+\.\w+ has no field or method|(not enough|too many) arguments in call to \w+\.`),
		"there is no such package or name here, or it takes other arguments: Tab shows what there is. Where you have not written it yourself, the " +
			"notebook, or the copy that you work on, is of another version than the checkout: delete the copy, and -lab makes one that fits"},
	{regexp.MustCompile(`module lookup disabled by GOPROXY=off|no required module provides package|cannot find module providing package|cannot query module due to -mod`),
		"a cell fetches no packages: it can import Go's own, those of this repository, and those that the repository requires (go mod download in a terminal fetches all of these)"},
	{regexp.MustCompile(`no space left on device`), "the disk is full: cells are built in the folder for temporary files (TMPDIR)"},
	{regexp.MustCompile(`signal: killed`), "the cell's program was killed: if nobody killed it, it needed more memory than there is"},
}

var undefined = regexp.MustCompile(`undefined: (\w+)`)

// Hint returns what to do about an error, or the empty string. earlier are the sources of the cells
// that ran before.
func Hint(said string, earlier []string) string {
	for _, h := range hints {
		if h.of.MatchString(said) {
			return h.do
		}
	}
	for _, m := range undefined.FindAllStringSubmatch(said, -1) {
		made := regexp.MustCompile(`(?m)^\s*(\w+\s*,\s*)*` + m[1] + `(\s*,\s*\w+)*\s*:=`)
		for _, source := range earlier {
			if _, below, ok := strings.Cut("\n"+source, "\n%%"); ok && made.MatchString(below) {
				return m[1] + " was made below %% of an earlier cell, and values do not outlive their cell: make it here again, or cache it with show.Memo"
			}
		}
	}
	return ""
}
