package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/index"
)

// indexRow is a figure or table of a paper, with its place on the page.
type indexRow struct {
	index.Row
	ID      string // of its first figure or table; empty if it has none
	Link    string // to its notebook; empty if it cannot be linked to
	Sources []link // the functions that make it, with their files if these are present
}

// paperOf returns the name of a notebook in package index.
func paperOf(r Run) string { return strings.TrimSuffix(filepath.Base(r.Notebook), ".ipynb") }

// newIndex returns the rows of the papers whose notebooks are on the page, as this run has them.
func newIndex(from, day string, notebooks []notebook) []indexRow {
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
	var rows []indexRow
	for _, r := range index.Rows(made) {
		if _, ran := made[r.Paper]; !ran {
			continue
		}
		row := indexRow{Row: r, Link: of[r.Paper].Link}
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
		rows = append(rows, row)
	}
	return rows
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
