package relay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// A page shows at most this much of what one cell prints. JupyterLab needs minutes for 100,000
// lines, and answers to nothing meanwhile. The file takes more, but not all that an endless loop
// prints.
const (
	mostLines  = 2000
	mostShown  = 1 << 20 // bytes
	mostFilled = 64 << 20
)

// printed is what a cell prints on both streams. If it is more than a page can show, all of it goes
// to a file.
type printed struct {
	path string // of the file

	lines, bytes, line int  // shown: lines, and bytes in all and in the last line
	returned           bool // the last byte is a carriage return
	shown              strings.Builder

	cut    bool
	more   int // lines that are not shown
	file   *os.File
	filled int
	err    error // of the file
}

// add takes the next text and returns the part to show.
func (p *printed) add(text string) string {
	if p.cut {
		p.keep(text)
		return ""
	}
	n := p.fits(text)
	p.shown.WriteString(text[:n])
	if n == len(text) {
		return text
	}
	p.cut = true
	if p.file, p.err = os.Create(p.path); p.err == nil {
		p.fill(p.shown.String())
	}
	p.shown = strings.Builder{}
	p.keep(text[n:])
	note := fmt.Sprintf("… the page shows no more; all of it goes to %s, next to this notebook\n", filepath.Base(p.path))
	if p.err != nil {
		note = fmt.Sprintf("… the page shows no more, and the rest is lost: %v\n", p.err)
	}
	if n > 0 && text[n-1] != '\n' {
		note = "\n" + note
	}
	return text[:n] + note
}

// fits counts what is shown, and returns how much of the text the page takes. A carriage return
// takes back the line before it, as a progress bar does.
func (p *printed) fits(text string) int {
	for i := range len(text) {
		if p.lines >= mostLines || p.bytes >= mostShown {
			return i
		}
		if p.returned && text[i] != '\n' {
			p.bytes, p.line = p.bytes-p.line, 0
		}
		p.bytes, p.line = p.bytes+1, p.line+1
		if text[i] == '\n' {
			p.lines, p.line = p.lines+1, 0
		}
		p.returned = text[i] == '\r'
	}
	return len(text)
}

// keep takes a text that is not shown.
func (p *printed) keep(text string) {
	p.more += strings.Count(text, "\n")
	p.fill(text)
}

// fill writes to the file, as much as it may hold.
func (p *printed) fill(text string) {
	if p.file == nil || p.err != nil {
		return
	}
	text = text[:min(len(text), mostFilled-p.filled)]
	p.filled += len(text)
	_, p.err = p.file.WriteString(text)
}

// cleared forgets what was shown, if the cell clears its output.
func (p *printed) cleared() {
	if !p.cut {
		p.lines, p.bytes, p.line, p.shown = 0, 0, 0, strings.Builder{}
	}
}

// end closes the file and returns a note about what is not shown, or the empty string.
func (p *printed) end() string {
	if !p.cut {
		return ""
	}
	if p.file != nil {
		if err := p.file.Close(); p.err == nil {
			p.err = err
		}
		p.file = nil
	}
	more := p.more
	p.more = 0
	switch {
	case more == 0:
		return ""
	case p.err != nil:
		return fmt.Sprintf("… %d more lines are lost: %v\n", more, p.err)
	case p.filled == mostFilled:
		return fmt.Sprintf("… %d more lines; %s has the first %d MB\n", more, filepath.Base(p.path), mostFilled>>20)
	}
	return fmt.Sprintf("… %d more lines; %s has all\n", more, filepath.Base(p.path))
}

// limit replaces the text of a message by the part to show. It reports whether there is one.
func (c *cell) limit(m *jupyter.Message) bool {
	var content map[string]any
	text, is := "", false
	if json.Unmarshal(m.Content, &content) == nil {
		text, is = content["text"].(string)
	}
	if !is {
		return true
	}
	shown := c.printed.add(text)
	if shown == text {
		return true
	}
	content["text"] = shown
	if data, err := json.Marshal(content); err == nil {
		m.Content = data
	}
	return shown != ""
}

// noteMore reports, before an error and at the end of a cell, how much is not shown. The caller
// holds mu.
func (r *relay) noteMore(c *cell) {
	note := c.printed.end()
	if note == "" {
		return
	}
	if m, err := jupyter.Answer(c.request, "stream", map[string]any{"name": "stdout", "text": note}); err == nil {
		m.Identities = nil
		r.front.send(r.front.iopub, m)
	}
}
