package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/index"
)

// indexRow is an item of the mission's table, with where it stands on the page.
type indexRow struct {
	index.Row
	ID string // of its first figure or table; empty if it has none
}

// paperOf is the name that index has for a notebook.
func paperOf(r Run) string { return strings.TrimSuffix(filepath.Base(r.Notebook), ".ipynb") }

// newIndex returns the rows of the papers whose notebooks are on the page, by what this run made of them.
func newIndex(notebooks []notebook) []indexRow {
	made := index.Stored{}
	ids := map[string]string{}
	for _, n := range notebooks {
		outputs := index.Outputs{Profile: n.Profile}
		if n.Artifacts != "" {
			outputs, _ = index.FromArtifacts(n.Artifacts, n.Profile) // what cannot be read is said in the notebook's section
		}
		made[paperOf(n.Run)] = outputs
		for _, it := range n.Items {
			ids[it.Name] = it.ID
		}
	}
	var rows []indexRow
	for _, r := range index.Rows(made) {
		if _, ran := made[r.Paper]; !ran {
			continue
		}
		row := indexRow{Row: r}
		for _, name := range r.Shows {
			if row.ID == "" {
				row.ID = ids[name]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// inOrder puts the papers' notebooks into the order of the index, behind those of no paper.
func inOrder(runs []Run) []Run {
	place := func(r Run) int {
		return slices.IndexFunc(index.Papers, func(p index.Paper) bool { return p.Name == paperOf(r) })
	}
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b Run) int { return place(a) - place(b) })
	return sorted
}
