package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/index"
)

// indexGroup is a paper with its figures and tables.
type indexGroup struct {
	Paper string
	Link  string // to its notebook; empty if it cannot be linked to
	Made  string // the profile and the day
	Rows  []indexRow
}

// indexRow is a figure or table of a paper, with its place on the page. A text of some length that
// an item before it has too is a reference to that item.
type indexRow struct {
	index.Row
	ID      string // of its first figure or table; empty if it has none
	Sources []link // the functions that make it, with their files if these are present
	Without string // what is missing
	Made    string // in this run
	Full    string // at full size
}

// paperOf returns the name of a notebook in package index.
func paperOf(r Run) string { return strings.TrimSuffix(filepath.Base(r.Notebook), ".ipynb") }

// newIndex returns the items of the papers whose notebooks are on the page, as this run has them.
func newIndex(from, day string, notebooks []notebook) []indexGroup {
	made := index.Stored{}
	ids, of := map[string]string{}, map[string]notebook{}
	for _, n := range notebooks {
		outputs := index.Outputs{Profile: n.Profile, Day: day}
		if n.Artifacts != "" {
			outputs, _ = index.FromArtifacts(n.Artifacts, n.Profile, day) // the notebook's section names what cannot be read
		}
		made[paperOf(n.Run)], of[paperOf(n.Run)] = outputs, n
		for _, it := range n.Items {
			ids[it.Name] = it.ID
		}
	}
	var groups []indexGroup
	var earlier map[string]string
	for _, r := range index.Rows(made) {
		if _, ran := made[r.Paper]; !ran {
			continue
		}
		if last := len(groups) - 1; last < 0 || groups[last].Paper != r.Paper {
			groups = append(groups, indexGroup{Paper: r.Paper, Link: of[r.Paper].Link, Made: strings.Trim(of[r.Paper].Profile+", "+day, ", ")})
			earlier = map[string]string{}
		}
		once := func(text string) string {
			if first, ok := earlier[text]; ok && len(strings.Fields(text)) > 3 {
				return "as for " + first
			}
			earlier[text] = r.Name
			return text
		}
		row := indexRow{Row: r, Without: once(r.Missing), Full: once(full(r)), Made: r.Stored()}
		if setup := r.Setup(); setup != "" && row.Made != "" {
			row.Made += "; " + once(setup)
		}
		folder := filepath.Dir(of[r.Paper].Path)
		for _, f := range r.Functions {
			l := link{Name: f}
			if file := index.Source(folder, f); of[r.Paper].Path != "" && file != "" {
				l.URL = linkTo(from, filepath.Join(folder, filepath.FromSlash(file)))
			}
			row.Sources = append(row.Sources, l)
		}
		for _, name := range r.Shows {
			if row.ID == "" {
				row.ID = ids[name]
			}
		}
		group := &groups[len(groups)-1]
		group.Rows = append(group.Rows, row)
	}
	return groups
}

// full returns what an item takes at full size, empty if it is shown so.
func full(r index.Row) string {
	if len(r.Experiments) == 0 {
		return ""
	}
	return r.FullSize()
}

// inOrder puts the papers' notebooks into the order of the index, after those without a paper.
func inOrder(runs []Run) []Run {
	place := func(r Run) int {
		return slices.IndexFunc(index.Papers, func(p figures.Paper) bool { return p.Name == paperOf(r) })
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b Run) int { return place(a) - place(b) })
	return sorted
}
