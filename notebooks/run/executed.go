package main

import (
	"encoding/json"
	"slices"

	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/params"
	"github.com/dplab/dplab/notebooks/run/report"
)

// executed returns the notebook with the outputs of the steps that were run. Code cells that were not run have none.
func executed(j *job, all []ran, build, day string) *nbformat.Notebook {
	nb := j.Committed.Clone()
	for _, c := range nb.Code() {
		c.Outputs, c.ExecutionCount = nil, 0
	}
	code := nb.Code()
	for i, s := range j.Steps {
		cell := s.Cell
		if s.Number > 0 {
			cell = code[s.Number-1]
		} else {
			at := slices.IndexFunc(nb.Cells, func(c *nbformat.Cell) bool { return c.Type == "code" && c.HasTag(params.Tag) })
			nb.Cells = slices.Insert(nb.Cells, at+1, cell)
		}
		if i < len(all) && !s.Skip {
			cell.Outputs = all[i].outputs
			if s.Number > 0 {
				cell.ExecutionCount = max(all[i].count, 0)
			}
		}
	}
	nb.Metadata["kernelspec"] = json.RawMessage(`{"display_name":"Go (gonb)","language":"go","name":"gonb"}`)
	nb.Metadata["language_info"] = json.RawMessage(`{"codemirror_mode":"","file_extension":".go","mimetype":"text/x-go","name":"go","nbconvert_exporter":"","pygments_lexer":"","version":""}`)
	if err := nb.SetMetadata(madeKey, made{Profile: j.Profile, Build: build, Day: day}); err != nil {
		panic(err) // strings
	}
	return nb
}

// prose returns the notebook's text, each cell of it with how many artifacts stand above it in what was run.
func prose(j *job, all []ran) (text []report.Prose) {
	above, number := 0, 0
	for _, c := range j.Committed.Cells {
		switch c.Type {
		case "markdown":
			text = append(text, report.Prose{Text: c.Source, Above: above})
		case "code":
			number++
			if i := slices.IndexFunc(j.Steps, func(s step) bool { return s.Number == number }); i >= 0 && i < len(all) {
				above = all[i].saved
			}
		}
	}
	return text
}

// ownCells returns the code cells of an executed notebook without the injected one.
func ownCells(nb *nbformat.Notebook) []*nbformat.Cell {
	return slices.DeleteFunc(nb.Code(), func(c *nbformat.Cell) bool { return c.HasTag(params.InjectedTag) })
}
