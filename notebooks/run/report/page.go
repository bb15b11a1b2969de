package report

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
)

// pageData is the data of the template.
type pageData struct {
	Written    string
	Build      []string // the different build lines
	Notebooks  []notebook
	OK, NotOK  int
	Figures    int
	Tiles      []tile
	Apart      []apart
	Outcomes   []outcome
	Unreadable int
	Differing  []differences
	Index      []indexGroup // the figures and tables of the papers whose notebooks ran
}

// notebook is one section.
type notebook struct {
	Run
	ID      string
	Problem string // the error, cleaned
	Items   []item
	Parts   []part // the items, with the notebook's text between them
	Link    string // to the notebook; empty if it cannot be linked to
	Figures int
	Tally   figures.Tally
}

// differences are the differences of one notebook, in the summary.
type differences struct {
	Notebook string
	Rows     []differing
}

// fewDifferences is the longest list that is open at first. One table can have dozens.
const fewDifferences = 10

// Few reports whether the list is short enough to be open at first.
func (d differences) Few() bool { return len(d.Rows) <= fewDifferences }

// Refuted returns the number of rows that show that their reference is wrong.
func (d differences) Refuted() (count int) {
	for _, r := range d.Rows {
		if r.Row.Class == "refuted" {
			count++
		}
	}
	return count
}

// differing is a row of the list of differences in the summary.
type differing struct {
	ID  string
	Row row
}

// row is a row of a comparison, ready to print.
type row struct {
	Quantity, Ours, Reference, Difference, Reading, Verdict, Source, Note string
	Class                                                                 string // "agrees", "refuted", "open" or "none"
}

// newPage reads the artifacts of all runs. from is the folder that the page will be in.
func newPage(from string, runs []Run, now time.Time) pageData {
	var p pageData
	runs = inOrder(runs)
	var all figures.Tally
	for i, r := range runs {
		n := newNotebook(from, r, i+1)
		p.Notebooks = append(p.Notebooks, n)
		p.Figures, all = p.Figures+n.Figures, all.Add(n.Tally)
		if r.Status == StatusOK {
			p.OK++
		} else {
			p.NotOK++
		}
		if r.Build != "" && (len(p.Build) == 0 || p.Build[len(p.Build)-1] != r.Build) {
			p.Build = append(p.Build, r.Build)
		}
		differ := differences{Notebook: n.Title}
		for _, it := range n.Items {
			if it.Fault != "" {
				p.Unreadable++
			}
			for _, row := range it.Rows {
				if row.Verdict == figures.Differs {
					differ.Rows = append(differ.Rows, differing{it.ID, row})
				}
			}
		}
		if len(differ.Rows) > 0 {
			p.Differing = append(p.Differing, differ)
		}
	}
	p.Apart, p.Outcomes = newApart(p.Notebooks), newOutcomes(p.Notebooks)
	p.Tiles = newTiles(all, p.Apart)
	p.Index = newIndex(from, now.UTC().Format(time.DateOnly), p.Notebooks)
	return p
}

func newNotebook(from string, r Run, number int) notebook {
	n := notebook{Run: r, ID: fmt.Sprintf("notebook-%d", number), Problem: plain(r.Error), Link: linkTo(from, r.Path)}
	if n.Title == "" {
		n.Title = r.Notebook
	}
	n.addItems(from)
	n.Parts = inParts(n.Items, r.Prose, path.Dir(n.Link))
	return n
}

// linkTo returns the relative URL of a file, empty if there is none.
func linkTo(from, file string) string {
	if file == "" {
		return ""
	}
	relative, err := filepath.Rel(from, file)
	if err != nil {
		return ""
	}
	u := url.URL{Path: filepath.ToSlash(relative)}
	return u.String()
}

// inParts puts the notebook's text between the items, at its place. base is the notebook's folder,
// as a URL.
func inParts(items []item, text []Prose, base string) (parts []part) {
	add := func(to int) {
		for ; len(items) > to; items = items[1:] {
			parts = append(parts, part{Item: &items[0]})
		}
	}
	all := len(items)
	for i, p := range text {
		add(max(all-p.Above, 0))
		if i == 0 {
			p.Text = untitled(p.Text)
		}
		if strings.TrimSpace(p.Text) != "" {
			parts = append(parts, part{Prose: markdown(p.Text, base)})
		}
	}
	add(0)
	return parts
}

// addItems reads what the notebook has saved.
func (n *notebook) addItems(from string) {
	r := n.Run
	if r.Artifacts == "" {
		return
	}
	list, err := figures.ReadManifest(r.Artifacts)
	if err != nil {
		n.Items = []item{{Title: "Artifacts", Fault: err.Error()}}
	}
	for i, a := range list {
		it := newItem(from, r.Artifacts, a)
		it.ID = fmt.Sprintf("%s-%d", n.ID, i+1)
		n.Items = append(n.Items, it)
		if a.Kind == figures.KindChart {
			n.Figures++
		}
		n.Tally = n.Tally.Add(it.Tally)
	}
}

// newRow writes the numbers of a comparison's row with as many digits as their error allows.
func newRow(r figures.ComparisonRow) row {
	cells := figures.Comparison{Rows: []figures.ComparisonRow{r}}.Table().Rows[0]
	out := row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], "none"}
	switch {
	case r.Holds():
		out.Class = "agrees"
	case r.Refutes():
		out.Class = "refuted"
	case r.Verdict() == figures.Differs, r.Verdict() == figures.Inconclusive:
		out.Class = "open"
	}
	return out
}

// took writes a duration in seconds or minutes.
func took(d time.Duration) string {
	if s := d.Seconds(); s < 90 {
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.0f min %.0f s", math.Floor(d.Minutes()), math.Mod(math.Floor(d.Seconds()), 60))
}

// plain removes the terminal's color codes and surrounding space from an error message.
func plain(s string) string { return strings.TrimSpace(escapes.ReplaceAllString(s, "")) }
