package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dplab/dplab/notebooks/run/failure"
	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// describeFailure describes where a cell failed, with the line of source and the kernel's text. If
// the kernel has written nothing, it uses cause.
func describeFailure(j *job, failed step, outputs []nbformat.Output, cause string) string {
	said := errorText(outputs)
	number, line := failure.Place(said, failed.Number)
	where := fmt.Sprintf("%s, cell [%d]", j.Name, failed.Number)
	source := failed.Cell.Source
	switch {
	case failed.Number == 0:
		where = fmt.Sprintf("%s, the cell that sets the parameters", j.Name)
	case line > 0 && number != failed.Number && number <= len(j.Committed.Code()):
		where += fmt.Sprintf(", in a declaration of cell [%d]", number)
		source = j.Committed.Code()[number-1].Source
	}
	if line > 0 {
		where += fmt.Sprintf(", line %d", line)
	}
	text := where + ": " + cause
	if at := failure.Line(source, line); at != "" {
		text += "\n    > " + at
	}
	for _, l := range lastLines(said, 12) {
		text += "\n    " + l
	}
	if do := failure.Hint(said, around(j, failed)); do != "" {
		text += "\n    " + do
	}
	return text
}

// around returns the cells around the failed one.
func around(j *job, failed step) failure.Cells {
	cells := failure.Cells{Failed: failed.Cell.Source, Saved: sources(j.Committed)}
	for i, source := range cells.Saved[:max(0, failed.Number-1)] {
		cells.Earlier = append(cells.Earlier, failure.Ran{Number: i + 1, Source: source})
	}
	cells.Root, _ = findRoot(filepath.Dir(j.Path)) // empty outside of the repository
	return cells
}

// sources returns the sources of a notebook's code cells.
func sources(n *nbformat.Notebook) (all []string) {
	for _, c := range n.Code() {
		all = append(all, c.Source)
	}
	return all
}

// errorText returns the error text of a cell: standard error, or the kernel's error.
func errorText(outputs []nbformat.Output) string {
	var stderr, value string
	var traceback []string
	for _, o := range outputs {
		switch {
		case o.Type == nbformat.Stream && o.Name == "stderr":
			stderr += o.Text
		case o.Type == nbformat.ErrorOutput:
			value, traceback = o.ErrorValue, o.Traceback
		}
	}
	return failure.Text(stderr, value, traceback)
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

// causeOf returns the error in one line.
func causeOf(outputs []nbformat.Output, value string) string {
	return failure.Cause(errorText(outputs), value)
}
