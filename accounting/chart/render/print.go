package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/chart"
)

// Paper is the width that a figure has on a page. There its labels are 8 points high, its ticks and its legend 7.2.
type Paper struct {
	name    string
	width   vg.Length
	columns int // charts in a row, at most
}

// The widths of figures in papers.
var (
	Column = Paper{"column", 3.25 * vg.Inch, 1} // one column of two: 3.25 in; panels below each other
	Page   = Paper{"page", 5.5 * vg.Inch, 3}    // the text of one column: 5.5 in; up to three panels in a row
)

// printScale is how much smaller a figure is printed than it is laid out.
const printScale = 0.8

// String returns the paper's name and width.
func (p Paper) String() string { return fmt.Sprintf("%s, %g in", p.name, float64(p.width/vg.Inch)) }

// cell returns the size of one chart, as it is laid out, where there are so many in a row.
func (p Paper) cell(columns int) vg.Point {
	width := p.width / printScale / vg.Length(columns)
	height := width * 0.75
	switch {
	case p == Page && columns == 1:
		height = width * 0.5
	case columns == 1:
		height = width * 0.62
	case p == Column: // so small that titles take two lines, and leave the axes half of the rest
		height = width
	}
	return vg.Point{X: width, Y: height}
}

// Print is a figure as a paper takes it: of the paper's width, without its title and notes, which are its Caption.
type Print struct {
	chart.Figure
	Paper Paper
	Made  string // what made it, for the caption and the properties of its files; may be empty
}

// Validate reports everything that keeps the figure from being drawn.
func (p Print) Validate() error {
	if p.Paper != Column && p.Paper != Page {
		return fmt.Errorf("render: print: paper %v: must be Column or Page", p.Paper)
	}
	if p.Figure == nil {
		return fmt.Errorf("render: print: must have a figure")
	}
	return p.Figure.Validate()
}

func (p Print) Parts() (charts []chart.Chart, columns int, notes []string) {
	charts, columns, _ = p.Figure.Parts()
	if len(charts) == 1 { // of several, each keeps the title that tells it from the others
		charts = slices.Clone(charts)
		charts[0].Title = ""
	}
	most := p.Paper.columns
	if len(charts) > 4 {
		most = max(most, 2)
	}
	return charts, min(columns, most), nil
}

// Caption returns what the paper's caption takes over from the figure, as plain text: the title, the notes, what the
// edges of the axes hide, and what made it.
func (p Print) Caption() string {
	_, title := p.Figure.Head()
	l := newLayout(p)
	charts, columns, notes := p.Figure.Parts()
	if len(charts) == 2 && columns == 2 && l.columns == 1 {
		notes = stacked(notes)
	}
	var lines []string
	for _, line := range append(append([]string{title}, notes...), l.remarks()...) {
		if line = strings.TrimSpace(line); line != "" && !strings.ContainsAny(line[len(line)-1:], ".?!") {
			line += "."
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	if p.Made != "" {
		lines = append(lines, p.Made+".")
	}
	return strings.Join(lines, "\n") + "\n"
}

// stacked returns notes about two charts side by side as they are for charts below each other.
func stacked(notes []string) []string {
	turned := strings.NewReplacer("Left:", "Top:", "Right:", "Bottom:", "on the left", "at the top", "on the right", "at the bottom")
	notes = slices.Clone(notes)
	for i, note := range notes {
		notes[i] = turned.Replace(note)
	}
	return notes
}

// properties are what a file says of the figure in it.
func properties(f chart.Figure) (title, made string) {
	name, title := f.Head()
	if p, ok := f.(Print); ok {
		made = p.Made
	}
	return cmp.Or(title, name), made
}
