// Package failure says in words what went wrong in a cell: at which line of which cell, the cause in one line, and what to
// do about it where GoNB's way differs from what its user may expect. It reads what GoNB v0.11.5 says with -raw_error.
package failure

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// cellLine is how GoNB names a place: "Cell[3]: Line 2" from the compiler, "[[ Cell [3] Line 2 ]]" in a stack.
	cellLine = regexp.MustCompile(`Cell ?\[(\d+)\]:? Line (\d+)`)
	// compilerPlace is a place in the program that GoNB makes of the cell.
	compilerPlace = regexp.MustCompile(`^\S*main(_test)?\.go:\d+(:\d+)?: `)
	color         = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// Said returns the error text of a cell, without colors, from its standard error and from the kernel's error.
func Said(stderr, value string, traceback []string) string {
	kernel := value
	if len(traceback) > 0 {
		kernel = strings.Join(traceback, "\n")
	}
	if strings.TrimSpace(stderr) != "" && !cellLine.MatchString(kernel) {
		kernel = stderr // the kernel's error is then only "exit status 2"
	}
	return color.ReplaceAllString(kernel, "")
}

// Place returns the first place that the text names: the one of the failed cell, if there is one. Line 0 is none.
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

// Line returns a line of a cell, counted from 1; for 0 the first line that is more than a command to GoNB.
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

// Cause returns the error in one line: the panic, what show.Check said, or the first thing that the compiler or the
// kernel says.
func Cause(said, value string) string {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "error: ") {
			return strings.TrimPrefix(strings.TrimSpace(line), "error: ") // show.Check says "error: "
		}
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return Short(compilerPlace.ReplaceAllString(line, ""))
		}
	}
	return "failed"
}

// Short takes from the first line of an error what points to lines that are not shown: the go command's advice to fetch a
// package, which no cell can do.
func Short(line string) string { return strings.TrimSuffix(line, "; to add it:") }
