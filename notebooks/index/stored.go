package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Stored is what is stored of each paper's notebook, by the paper's name.
type Stored map[string]Outputs

// Outputs are those of one notebook.
type Outputs struct {
	Profile   string
	Day       string              // of the run, UTC; empty if it is not noted
	Artifacts map[string]Artifact // by name
}

// Artifact is one stored figure, table or comparison.
type Artifact struct {
	Kind   string // figures.KindChart, KindTable or KindComparison
	Points int    // drawn in a figure
	Tally  figures.Tally
}

// FromArtifacts reads the folder that one notebook's figures and tables were saved into, on a
// day. A folder without any gives none. With an error it returns all that could be read.
func FromArtifacts(dir, profile, day string) (Outputs, error) {
	out := Outputs{profile, day, map[string]Artifact{}}
	list, err := figures.ReadManifest(dir)
	if err != nil {
		return out, err
	}
	var errs []error
	for _, a := range list {
		if a.Kind == figures.KindText || a.Kind == figures.KindMarkdown {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, a.Name+".json"))
		if err != nil {
			errs = append(errs, fmt.Errorf("index: %w", err))
			continue
		}
		name, artifact, err := decode(data)
		if err != nil {
			errs = append(errs, fmt.Errorf("index: %s: %w", a.Name, err))
			continue
		}
		out.Artifacts[name] = artifact
	}
	return out, errors.Join(errs...)
}

// decode reads the numbers behind a figure, a table or a comparison. Their fields show which of
// them it is.
func decode(data []byte) (name string, a Artifact, err error) {
	var probe struct {
		Name    string
		Columns json.RawMessage // a table's names, or the number of panels side by side
		Charts  []chart.Chart
		Curves  []chart.Curve
		Rows    json.RawMessage
	}
	if err := json.Unmarshal(data, &probe); err != nil {
		return "", a, err
	}
	switch {
	case len(probe.Charts) > 0, len(probe.Curves) > 0:
		a.Kind = figures.KindChart
		for _, c := range append(probe.Charts, chart.Chart{Curves: probe.Curves}) {
			for _, k := range c.Curves {
				a.Points += len(k.X)
			}
		}
		return probe.Name, a, nil
	case len(probe.Columns) > 0:
		a.Kind = figures.KindTable
		return probe.Name, a, nil
	}
	a.Kind = figures.KindComparison
	var rows []struct { // as stored
		Read, Verdict string
		OurChoice     bool
	}
	if err := json.Unmarshal(probe.Rows, &rows); err != nil {
		return "", a, err
	}
	for _, r := range rows {
		if r.Verdict == figures.NoReference {
			continue
		}
		read, err := papers.ParseRead(r.Read)
		if err != nil {
			return "", a, err
		}
		a.Tally.Count(read, r.Verdict, r.OurChoice)
	}
	return figures.Comparison{Name: probe.Name}.FileName(), a, nil
}
