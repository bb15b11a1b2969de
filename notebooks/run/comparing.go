package main

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/report"
)

// check compares the executed notebook with the committed one.
func (r *runner) check(j *job, res *result) {
	kindsOnly := j.Made.Profile != "" && j.Made.Profile != j.Profile
	if kindsOnly {
		r.display.Line("%s: committed with -profile %s: values are not compared, only which figures, tables and texts there are", j.Name, j.Made.Profile)
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
		res.fail(report.StatusDiffers, fmt.Sprintf("the committed outputs were made with another build (%s): trained values may differ, and a tag such as tolerance:0.02 on their cell allows it", j.Made.Build))
	}
}

// leastTolerance is that of the backend: what is committed was trained on go.
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
		return nil, fmt.Errorf("%s: is committed without outputs: run it (go run ./notebooks/run -write %s) and commit it", j.Name, stem(j.Path))
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
