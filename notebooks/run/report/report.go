// Package report writes one self-contained HTML page about a run of the notebooks. It has every
// figure and table, ours next to the paper's, with the difference, the reading error and the
// source.
//
// It promises nothing to other modules.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"css":  func() template.CSS { return template.CSS(pageCSS) },
	"took": took,
}).Parse(pageHTML))

// Write writes the report on the runs to path, whole or not at all. If an artifact of a notebook
// cannot be read, its place in the report shows that. Only a report that cannot be written is an
// error.
func Write(path string, runs []Run) error {
	html, err := render(filepath.Dir(path), runs, time.Now())
	if err != nil {
		return err
	}
	if err := figures.WriteFile(path, html); err != nil {
		return fmt.Errorf("report: %s: %w", filepath.Base(path), err)
	}
	return nil
}

func render(from string, runs []Run, now time.Time) ([]byte, error) {
	p := newPage(from, runs, now)
	p.Written = now.UTC().Format("2 January 2006, 15:04 UTC")
	var out bytes.Buffer
	if err := page.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return out.Bytes(), nil
}

// The states of a notebook.
const (
	StatusOK          = "ok"          // every cell ran, and the outputs agree if that was checked
	StatusFailed      = "failed"      // a cell failed; Error has the cell and the reason
	StatusTimeout     = "timeout"     // a cell took longer than allowed
	StatusDiffers     = "differs"     // ran, but its outputs differ from the committed ones (-check)
	StatusInterrupted = "interrupted" // stopped by the user
	StatusSkipped     = "skipped"     // not run; Error may have the reason
)

// Run is one executed notebook.
type Run struct {
	Notebook  string        // file name as the user knows it, such as "papernot2022.ipynb"
	Path      string        // of the notebook, for a link; may be empty
	Title     string        // the notebook's first heading; if empty, Notebook is shown
	Artifacts string        // folder that show wrote into ($DPLAB_ARTIFACTS); empty or missing if it showed nothing
	Executed  string        // path of the executed notebook, printed unchanged; may be empty
	Elapsed   time.Duration // wall clock
	Cells     int           // code cells in the notebook
	Done      int           // code cells that ran to their end
	Status    string        // one of the Status constants
	Error     string        // the cell, line and message of a failure; may have many lines
	Profile   string        // "quick" or "full"
	Build     string        // one line: Go version, build flags, backends
	Prose     []Prose       // the notebook's text
}

// Prose is one Markdown cell.
type Prose struct {
	Text  string
	Above int // how many artifacts were shown above it
}
