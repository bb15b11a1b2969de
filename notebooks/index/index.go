// Package index lists every figure, table and worked example of the five papers: how much of it the
// notebooks show, and how that compares. The tables of README.md, of notebooks/ITEMS.md and of the
// report are made from it.
//
// What an item needs is listed next to the figures of its paper (figures.Item). What is stored of
// it is read from the notebooks' committed outputs, in the tests, or from the artifacts of a run
// (FromArtifacts). A verdict is counted from the stored comparisons, and never typed.
//
// Theorems are not items: they are in accounting and audit, with their tests.
//
// It promises nothing to other modules.
package index

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	cebere2024 "github.com/dplab/dplab/notebooks/figures/cebere2024/items"
	ding2023 "github.com/dplab/dplab/notebooks/figures/ding2023/items"
	koskela2023 "github.com/dplab/dplab/notebooks/figures/koskela2023/items"
	papernot2022 "github.com/dplab/dplab/notebooks/figures/papernot2022/items"
	xiang2024 "github.com/dplab/dplab/notebooks/figures/xiang2024/items"
)

// Papers are those with a notebook, in the order of the table. Each lists its items next to its
// figures.
var Papers = []figures.Paper{papernot2022.Paper, koskela2023.Paper, xiang2024.Paper, cebere2024.Paper, ding2023.Paper}

// Row is an item with what is stored of it.
type Row struct {
	figures.Item
	Paper   string // its name
	Profile string // that the stored outputs were made with; empty if the item is not shown
	Day     string // on which they were made, UTC
	Charts  int    // figures stored
	Tables  int    // tables and comparisons stored
	Points  int    // points drawn in the figures
	Tally   figures.Tally
	Absent  []string // names of Shows that are not stored
}

// Rows returns the items of all papers with what is stored, in the papers' order.
func Rows(stored Stored) []Row {
	var rows []Row
	for _, p := range Papers {
		for _, item := range p.Items {
			rows = append(rows, newRow(p.Name, item, stored[p.Name]))
		}
	}
	return rows
}

func newRow(paper string, item figures.Item, notebook Outputs) Row {
	row := Row{Item: item, Paper: paper}
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
	return row
}

// NotShown is the verdict on an item that has nothing stored.
const NotShown = "not shown yet"

// Verdict returns the outcome in words: the count of agreements, and why the others differ.
func (r Row) Verdict() string {
	switch {
	case r.Charts+r.Tables == 0:
		return NotShown
	case r.Tally.Of() == 0:
		return "nothing to compare"
	case r.Tally.Differ() == 0:
		return r.Tally.String()
	}
	return fmt.Sprintf("%v; differs: %s", r.Tally, r.Because)
}

// Stored returns how much is stored, in words: "1 figure of 120 points, 2 tables".
func (r Row) Stored() string {
	switch {
	case r.Charts > 0 && r.Tables > 0:
		return fmt.Sprintf("%s of %d points, %s", plural(r.Charts, "figure"), r.Points, plural(r.Tables, "table"))
	case r.Charts > 0:
		return fmt.Sprintf("%s of %d points", plural(r.Charts, "figure"), r.Points)
	case r.Tables > 0:
		return plural(r.Tables, "table")
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Source returns the file of a function of Functions, relative to the folder of the notebooks:
// "figures/papernot2022/figures2and3.go". It is empty if no source file there declares the
// function.
func Source(dir, function string) string {
	pkg, name, _ := strings.Cut(function, ".")
	folder := path.Join("figures", pkg)
	name = name[strings.LastIndexByte(name, '.')+1:]
	declared := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + regexp.QuoteMeta(name) + `[(\[]`)
	files, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(folder), "*.go")) // the pattern is right
	slices.Sort(files)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		if data, err := os.ReadFile(f); err == nil && declared.Match(data) {
			return path.Join(folder, filepath.Base(f))
		}
	}
	return ""
}
