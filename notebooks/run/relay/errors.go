package relay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/dplab/dplab/notebooks/run/failure"
	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// rewrite replaces GoNB's "exit status 2", in an error or in a reply about one, by what the reader
// needs. sources are the sources of the cells that ran, by number.
func (c *cell) rewrite(m *jupyter.Message, sources map[int]string, n Notebook) {
	var content map[string]any
	if json.Unmarshal(m.Content, &content) != nil || content["traceback"] == nil {
		return
	}
	value, _ := content["evalue"].(string)
	var traceback []string
	lines, _ := content["traceback"].([]any)
	for _, line := range lines {
		if l, ok := line.(string); ok {
			traceback = append(traceback, l)
		}
	}
	content["ename"], content["evalue"] = "Error", failure.Cause(failure.Text(c.stderr, value, traceback), value)
	content["traceback"] = c.describe(value, traceback, sources, n)
	if c.stopped {
		content["ename"], content["evalue"], content["traceback"] = "Interrupted", "stopped", []string{"Interrupted."}
		if readsInput.MatchString(c.code) {
			content["traceback"] = []string{"Interrupted.", "", "a cell that reads input waits for ever: it has none. Set a constant instead"}
		}
	}
	if data, err := json.Marshal(content); err == nil {
		m.Content = data
	}
}

// readsInput matches a cell that reads standard input.
var readsInput = regexp.MustCompile(`\bfmt\.Scan|\bos\.Stdin\b`)

// mostErrors is the largest number of compiler errors that are shown.
const mostErrors = 10

// describe returns the text that is shown: cell, line, cause and source of each error, then what to
// do about it.
func (c *cell) describe(value string, traceback []string, sources map[int]string, n Notebook) (text []string) {
	said := failure.Text(c.stderr, value, traceback)
	for _, one := range traceback {
		one = failure.Text("", one, nil)
		if _, line := failure.Place(one, c.number); line > 0 && len(text) < mostErrors {
			text = append(text, c.place(one, failure.Short(one[strings.LastIndexByte(one, '\n')+1:]), sources)...)
		}
	}
	if text == nil {
		text = c.place(said, failure.Cause(said, value), sources)
	}
	around := failure.Cells{Failed: c.code, Saved: n.cells(), Root: n.Root}
	for number, source := range sources {
		if number != c.number {
			around.Earlier = append(around.Earlier, failure.Ran{Number: number, Source: source})
		}
	}
	if do := failure.Hint(said, around); do != "" {
		text = append(text, "", do)
	}
	return text
}

// place returns an error with its place.
func (c *cell) place(said, cause string, sources map[int]string) []string {
	number, line := failure.Place(said, c.number)
	if line == 0 {
		return []string{red(fmt.Sprintf("cell [%d]: %s", c.number, cause))}
	}
	text := []string{red(fmt.Sprintf("cell [%d], line %d: %s", number, line, cause))}
	if source := failure.Line(sources[number], line); source != "" {
		text = append(text, "    "+source)
	}
	return text
}

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }
