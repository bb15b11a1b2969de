package render

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/chart"
)

// Paper is the width of a figure on a printed page. There its labels are 8 points high, its ticks
// and its legend 7.2.
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

// printScale is the size of a printed figure over that of its layout.
const printScale = 0.8

// String returns the paper's name and width.
func (p Paper) String() string { return fmt.Sprintf("%s, %g in", p.name, float64(p.width/vg.Inch)) }

// cell returns the size of one chart in the layout, for the given number of charts in a row.
func (p Paper) cell(columns int) vg.Point {
	width := p.width / printScale / vg.Length(columns)
	height := width * 0.75
	switch {
	case p == Page && columns == 1:
		height = width * 0.5
	case columns == 1:
		height = width * 0.62
	case p == Column: // titles take two lines here, and leave half of the rest to the axes
		height = width
	}
	return vg.Point{X: width, Y: height}
}

// Print is a figure for a paper: at the paper's width, and without title and notes. These are in
// its Caption.
type Print struct {
	chart.Figure
	Paper Paper
	Made  string // the figure's origin, for the caption and the properties of its files; may be empty
}

// Validate returns every fault that keeps the figure from being drawn.
func (p Print) Validate() error {
	if p.Paper != Column && p.Paper != Page {
		return fmt.Errorf("render: print: paper %v: must be Column or Page", p.Paper)
	}
	if p.Figure == nil {
		return fmt.Errorf("render: print: must have a figure")
	}
	return p.Figure.Validate()
}

// numbered is another paper's number before a title.
var numbered = regexp.MustCompile(`^(Like )?(Figures?|Tables?|Sections?|Appendix) [0-9A-Z][0-9a-z., ]*: `)

// Unnumbered returns a title without another paper's number. A word that is first then begins with
// a capital letter, and a symbol does not.
func Unnumbered(title string) string {
	plain := numbered.ReplaceAllString(title, "")
	if word, _, _ := strings.Cut(plain, " "); plain != title && (word == "a" || len(word) > 1 && word == strings.ToLower(word) && word[0] < utf8.RuneSelf) {
		return strings.ToUpper(plain[:1]) + plain[1:]
	}
	return plain
}

// Head returns the name and the title, without another paper's number.
func (p Print) Head() (name, title string) {
	name, title = p.Figure.Head()
	return name, Unnumbered(title)
}

// Parts returns the charts in as many columns as the paper has. Several charts keep their titles,
// which distinguish them, without another paper's numbers.
func (p Print) Parts() (charts []chart.Chart, columns int, notes []string) {
	charts, columns, _ = p.Figure.Parts()
	charts = slices.Clone(charts)
	for i, c := range charts {
		charts[i].Title = Unnumbered(c.Title)
	}
	if len(charts) == 1 {
		charts[0].Title = ""
	}
	most := p.Paper.columns
	if len(charts) > 4 {
		most = max(most, 2)
	}
	return charts, min(columns, most), nil
}

// Caption returns the text for the paper's caption: the title, the notes, the number of points that
// are not drawn, the sources of the data, and Made.
func (p Print) Caption() string {
	_, title := p.Head()
	l := newLayout(p)
	charts, columns, notes := p.Figure.Parts()
	if len(charts) == 2 && columns == 2 && l.columns == 1 {
		notes = stacked(notes)
	}
	var lines []string
	for _, line := range slices.Concat([]string{title}, notes, l.remarks(), chart.Sources(p.Figure)) {
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

// stacked rewrites notes about two charts side by side for charts below each other.
func stacked(notes []string) []string {
	turned := strings.NewReplacer("Left:", "Top:", "Right:", "Bottom:", "on the left", "at the top", "on the right", "at the bottom")
	notes = slices.Clone(notes)
	for i, note := range notes {
		notes[i] = turned.Replace(note)
	}
	return notes
}

// properties returns the title and the origin of a figure, for the properties of its file.
func properties(f chart.Figure) (title, made string) {
	name, title := f.Head()
	if p, ok := f.(Print); ok {
		made = p.Made
	}
	return cmp.Or(title, name), made
}
