package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

var (
	// cellLine is how GoNB names a place: "Cell[3]: Line 2" from the compiler, "[[ Cell [3] Line 2 ]]" in a stack.
	cellLine = regexp.MustCompile(`Cell ?\[(\d+)\]:? Line (\d+)`)
	// compilerPlace is a place in the program that GoNB makes of the cell.
	compilerPlace = regexp.MustCompile(`^\S*main(_test)?\.go:\d+(:\d+)?: `)
	// withoutSetup is what the go command says where it would have to fetch this repository's packages.
	withoutSetup = regexp.MustCompile(`(cannot find module providing package|no required module provides package) ` + regexp.QuoteMeta(modulePath) + `/|GOVCS disallows .* ` + regexp.QuoteMeta(modulePath))
	color        = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// describeFailure says where a cell failed, shows the line of source, and what the kernel said. cause is used
// where the kernel said nothing.
func describeFailure(j *job, failed step, outputs []nbformat.Output, cause string) string {
	said := saidOf(outputs)
	number, line := placeOf(said, failed.Number)
	where := fmt.Sprintf("%s, cell [%d]", j.Name, failed.Number)
	source := failed.Cell.Source
	switch {
	case failed.Number == 0:
		where = fmt.Sprintf("%s, the cell that sets the parameters", j.Name)
	case line > 0 && number != failed.Number && number <= len(j.Committed.Code()):
		where += fmt.Sprintf(", in what cell [%d] declares", number)
		source = j.Committed.Code()[number-1].Source
	}
	if line > 0 {
		where += fmt.Sprintf(", line %d", line)
	}
	text := where + ": " + cause
	if at := sourceLine(source, line); at != "" {
		text += "\n    > " + at
	}
	for _, l := range lastLines(said, 12) {
		text += "\n    " + l
	}
	if withoutSetup.MatchString(said) {
		text += "\n    the cell runs without the workspace that finds " + modulePath + ": the setup cell, first in each notebook here, must run before it"
	}
	return text
}

// saidOf returns the error text of a cell: standard error, then the kernel's error.
func saidOf(outputs []nbformat.Output) string {
	var stderr, kernel string
	for _, o := range outputs {
		switch {
		case o.Type == nbformat.Stream && o.Name == "stderr":
			stderr += o.Text
		case o.Type == nbformat.ErrorOutput:
			kernel = o.ErrorValue
			if len(o.Traceback) > 0 {
				kernel = strings.Join(o.Traceback, "\n")
			}
		}
	}
	if strings.TrimSpace(stderr) != "" && !cellLine.MatchString(kernel) {
		kernel = stderr // the kernel's error is then only "exit status 2"
	}
	return color.ReplaceAllString(kernel, "")
}

// placeOf returns the first place that the text names: the one of the failed cell, if there is one.
func placeOf(said string, failed int) (number, line int) {
	for _, m := range cellLine.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(m[1]) // digits only
		l, _ := strconv.Atoi(m[2])
		if n == failed {
			return n, l
		}
		if line == 0 {
			number, line = n, l
		}
	}
	return number, line
}

// sourceLine returns a line of a cell, counted from 1; for 0 the first line that is more than a command to GoNB.
func sourceLine(source string, line int) string {
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

func lastLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > n {
		lines = append([]string{"..."}, lines[len(lines)-n:]...)
	}
	return lines
}

// causeOf returns the error in one line: the panic, what show.Check said, or the first thing that the compiler or the kernel says.
func causeOf(outputs []nbformat.Output, value string) string {
	for line := range strings.Lines(saidOf(outputs)) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "error: ") {
			return strings.TrimPrefix(strings.TrimSpace(line), "error: ") // show.Check says "error: "
		}
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return compilerPlace.ReplaceAllString(line, "")
		}
	}
	return "failed"
}
