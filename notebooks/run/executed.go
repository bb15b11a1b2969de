package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/params"
	"github.com/dplab/dplab/notebooks/run/report"
)

// withOutputs returns the notebook with the outputs of the steps that were run. The other code
// cells have none.
func withOutputs(j *job, all []ran, build, day string) *nbformat.Notebook {
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

// prose returns the notebook's Markdown cells. Each has the number of artifacts that the run showed
// above it.
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

// check compares the executed notebook with the committed one.
func (r *runner) check(j *job, res *result) {
	kindsOnly := j.Made.Profile != "" && j.Made.Profile != j.Profile
	if kindsOnly {
		r.display.Line("%s: was committed with -profile %s: only which figures, tables and texts there are is compared, not their values", j.Name, j.Made.Profile)
	}
	mismatches, err := compareNotebooks(j, res.Notebook, kindsOnly, r.leastTolerance())
	if err != nil {
		res.fail(report.StatusDiffers, err.Error())
		return
	}
	for _, m := range mismatches {
		res.fail(report.StatusDiffers, j.Name+", "+m.String())
	}
	if len(mismatches) > 0 && j.Made.Build != "" && j.Made.Build != r.build.String() {
		res.fail(report.StatusDiffers, fmt.Sprintf("the committed outputs were made with another build (%s): trained values may differ; a tag such as tolerance:0.02 on their cell allows that", j.Made.Build))
	}
}

// leastTolerance returns the smallest tolerance for the backend. The committed outputs are those of
// go.
func (r *runner) leastTolerance() float64 {
	if r.build.Backend == "" || r.build.Backend == goBackend {
		return 0
	}
	return check.OtherBackend
}

// compareNotebooks returns the first mismatch of each cell.
func compareNotebooks(j *job, found *nbformat.Notebook, kindsOnly bool, least float64) ([]check.Mismatch, error) {
	committed, ours := j.Committed.Code(), ownCells(found)
	some := false
	for _, c := range committed {
		some = some || len(c.Outputs) > 0
	}
	if !some {
		return nil, fmt.Errorf("%s: was committed without outputs: run it (go run ./notebooks/run -write %s) and commit it", j.Name, stem(j.Path))
	}
	var out []check.Mismatch
	for i, c := range committed {
		if c.HasTag(check.SkipCI) {
			continue
		}
		if m := check.Outputs(i+1, c, c.Outputs, ours[i].Outputs, kindsOnly, least); m != nil {
			out = append(out, *m)
		}
	}
	return out, nil
}
