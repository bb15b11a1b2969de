// Package failure explains what went wrong in a cell: its place, the cause in one line, and what
// to do about it. It gives advice where GoNB differs from what its users may expect.
// It reads the texts of GoNB v0.11.5 with -raw_error.
//
// It promises nothing to other modules.
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
