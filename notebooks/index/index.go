// Package index is the table of the mission: every figure, table and worked example of the five papers, what of it the
// notebooks show, and how that compares. The rows of README.md, of notebooks/README.md and of the report are made from it,
// so that none of them can say more than there is.
//
// What an item needs is written in Items. What is stored of it, and its verdict, is read from the notebooks' committed
// outputs (FromNotebooks) or from the artifacts of a run (FromArtifacts): the verdict is counted, never typed.
//
//	stored, err := index.FromNotebooks("notebooks")
//	if err != nil { ... }
//	for _, row := range index.Rows(stored) {
//		fmt.Println(row.Paper, row.Item, row.Verdict) // papernot2022 Figure 2 7 of 7 recomputed by us
//	}
//
// Theorems are no items: they live in accounting and audit, with their tests.
package index

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/figures"
)

// Kind is what an item takes to make.
type Kind string

// The kinds of items.
const (
	Closed    Kind = "closed form"
	Simulated Kind = "simulation"
	Trained   Kind = "training"
	Setting   Kind = "setting" // of the experiments, or a survey
)

// Item is one figure, table or worked example of a paper.
type Item struct {
	Paper     string // one of Papers, which is also the notebook's name
	Name      string // "Figure 3"
	About     string // in a few words
	Kind      Kind
	Functions []string // that make it, as package.Function below notebooks/figures; empty if it is not shown
	Shows     []string // the names of the figures, tables and comparisons that the notebook shows of it
	Missing   string   // what of a shown item is not shown
	Size      string   // of a simulation or a training, as it is stored, beside the paper's
	Because   string   // why a comparison differs, if one does

	Experiments []string // that train for it at full size, as notebooks/train knows them
}

// Shown reports whether the notebook shows anything of the item.
func (i Item) Shown() bool { return len(i.Shows) > 0 }

// Paper is one of the five.
type Paper struct {
	Name  string // of the package and of the notebook
	Title string
}

// Row is an item with what is stored of it.
type Row struct {
	Item
	Profile string // that the stored outputs were made with; empty if the item is not shown
	Day     string // on which they were made, UTC
	Charts  int    // figures stored
	Tables  int    // tables and comparisons stored
	Points  int    // points drawn in the figures
	Tally   figures.Tally
	Absent  []string // names of Shows that are not stored
}

// Rows returns all items with what is stored, in the order of Items.
func Rows(stored Stored) []Row {
	var rows []Row
	for _, item := range Items {
		row := Row{Item: item}
		notebook := stored[item.Paper]
		for _, name := range item.Shows {
			a, ok := notebook.Artifacts[name]
			if !ok {
				row.Absent = append(row.Absent, name)
				continue
			}
			row.Profile, row.Day = notebook.Profile, notebook.Day
			if a.Kind == figures.KindChart {
				row.Charts++
				row.Points += a.Points
			} else {
				row.Tables++
			}
			row.Tally = row.Tally.Add(a.Tally)
		}
		rows = append(rows, row)
	}
	return rows
}

// NotShown is the verdict on an item of which nothing is stored.
const NotShown = "not shown yet"

// Verdict is the outcome in words: the count of agreements, the reason of a difference.
func (r Row) Verdict() string {
	switch {
	case r.Charts+r.Tables == 0:
		return NotShown
	case r.Tally.Of() == 0:
		return "nothing printed to compare with"
	case r.Tally.Differ() == 0:
		return r.Tally.String()
	}
	return fmt.Sprintf("%v; differs, because %s", r.Tally, r.Because)
}

// StoredSize is the size of what is stored, in words.
func (r Row) StoredSize() string {
	if r.Charts+r.Tables == 0 {
		return ""
	}
	var size string
	switch {
	case r.Charts > 0 && r.Tables > 0:
		size = fmt.Sprintf("%s of %d points, %s", plural(r.Charts, "figure"), r.Points, plural(r.Tables, "table"))
	case r.Charts > 0:
		size = fmt.Sprintf("%s of %d points", plural(r.Charts, "figure"), r.Points)
	default:
		size = plural(r.Tables, "table")
	}
	if r.Size != "" {
		size += "; " + r.Size
	}
	return size
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
