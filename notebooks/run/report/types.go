// Package report writes one self-contained HTML page about a run of the notebooks: every figure and table,
// ours beside the paper's, with the difference, the reading error and the source.
package report

import "time"

// The states of a notebook.
const (
	StatusOK          = "ok"          // every cell ran, and the outputs agree where that was checked
	StatusFailed      = "failed"      // a cell failed; Error says which and how
	StatusTimeout     = "timeout"     // a cell took longer than allowed
	StatusDiffers     = "differs"     // ran, but its outputs differ from the committed ones (-check)
	StatusInterrupted = "interrupted" // stopped by the user
	StatusSkipped     = "skipped"     // not run; Error may say why
)

// Run is one executed notebook.
type Run struct {
	Notebook  string        // file name as the user knows it, such as "papernot2022.ipynb"
	Path      string        // of the notebook, to which the page links; may be empty
	Title     string        // the notebook's first heading; Notebook if empty
	Artifacts string        // folder that show wrote into ($DPLAB_ARTIFACTS); empty, or absent on disk, if it showed nothing
	Executed  string        // path of the executed notebook, printed as it is; may be empty
	Elapsed   time.Duration // wall clock
	Cells     int           // code cells in the notebook
	Done      int           // code cells that ran to their end
	Status    string        // one of the Status constants
	Error     string        // the cell, line and message of a failure, many lines allowed
	Profile   string        // "quick" or "full"
	Build     string        // one line: Go version, build flags, backends
	Prose     []Prose       // the notebook's text
}

// Prose is one Markdown cell.
type Prose struct {
	Text  string
	Above int // how many artifacts were shown above it
}
