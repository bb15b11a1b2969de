package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/params"
)

// job is one notebook to run.
type job struct {
	Path      string // of the committed notebook
	Name      string // file name
	Committed *nbformat.Notebook
	Made      made // how the committed outputs were made
	Steps     []step
	Packages  *packages // that it imports
	Profile   string    // of this run
	Artifacts string    // folder for the figures of its cells
	Executed  string    // path of the executed notebook
}

// step is one code cell to run.
type step struct {
	Number int // among the committed code cells, from 1; 0 for the injected one
	Cell   *nbformat.Cell
	Skip   bool
}

// made is what -write records in a notebook's metadata.
type made struct {
	Build   string `json:"build"`
	Profile string `json:"profile"`
	Day     string `json:"day,omitempty"` // of the run, UTC
}

// madeKey is the name of that field in the metadata.
const madeKey = "dplab"

// unreadableError is the fault of a file that is not a notebook of Go cells. It does not stop the
// others.
type unreadableError struct{ error }

// readNotebook reads a notebook. It refuses one that names the kernel of another language.
func readNotebook(path string) (*nbformat.Notebook, error) {
	nb, err := nbformat.ReadFile(path)
	if err != nil {
		return nil, unreadableError{err}
	}
	name, language := nb.Kernel()
	if known := language != ""; known && !strings.EqualFold(language, "go") || !known && name != "" && name != "gonb" {
		return nil, unreadableError{fmt.Errorf("%s: its kernel is %s: must be gonb, or not be named: cells are run as Go", path, cmp.Or(name, language))}
	}
	return nb, nil
}

// newJob reads a notebook and applies the options to it.
func newJob(path, out string, o options) (*job, error) {
	nb, err := readNotebook(path)
	if err != nil {
		return nil, err
	}
	j := &job{Path: path, Name: filepath.Base(path), Committed: nb}
	if raw, ok := nb.Metadata[madeKey]; ok {
		if err := json.Unmarshal(raw, &j.Made); err != nil {
			return nil, fmt.Errorf("%s: metadata %s: %w", j.Name, madeKey, err)
		}
	}
	j.Artifacts, j.Executed = filepath.Join(out, stem(path)), filepath.Join(out, j.Name)
	for i, c := range nb.Code() {
		if c.HasTag(params.InjectedTag) {
			return nil, fmt.Errorf("%s: cell [%d] is tagged %s: that tag is only for executed copies", j.Name, i+1, params.InjectedTag)
		}
		if _, err := check.CellTolerance(c); err != nil {
			return nil, fmt.Errorf("%s: cell [%d]: %w", j.Name, i+1, err)
		}
		j.Steps = append(j.Steps, step{Number: i + 1, Cell: c, Skip: o.Check && c.HasTag(check.SkipCI)})
	}
	return j, j.setParameters(o)
}

// setParameters chooses the profile. If parameters are overridden, it inserts the cell that does
// so.
func (j *job) setParameters(o options) error {
	at := slices.IndexFunc(j.Steps, func(s step) bool { return s.Cell.HasTag(params.Tag) })
	declared := params.Set{}
	if at >= 0 {
		var err error
		if declared, err = params.Parse(j.Steps[at].Cell.Source); err != nil {
			return fmt.Errorf("%s: cell [%d]: %w", j.Name, at+1, err)
		}
	}
	own, hasProfile := declared.Text("profile")
	j.chooseProfile(o, own)
	values := map[string]string{}
	for name, value := range o.Set {
		if _, ok := declared[name]; ok {
			values[name] = value
		}
	}
	if hasProfile && own != j.Profile {
		values["profile"] = j.Profile
	}
	if len(values) == 0 {
		return nil
	}
	if o.Write {
		return fmt.Errorf("%s: -write -profile %s: must be the profile that the notebook declares, %s, so its outputs fit its source", j.Name, j.Profile, own)
	}
	source, err := declared.Inject(values)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Name, err)
	}
	injected := step{Cell: nbformat.NewCode(params.InjectedTag, source, params.InjectedTag)}
	j.Steps = slices.Insert(j.Steps, at+1, injected)
	return nil
}

func (j *job) chooseProfile(o options, own string) {
	switch {
	case o.Profile != "":
		j.Profile = o.Profile
	case o.Check && j.Made.Profile != "":
		j.Profile = j.Made.Profile
	case (o.Write || o.Check) && own != "":
		j.Profile = own
	default:
		j.Profile = quick
	}
}

// checkSettings returns an error unless each name that is set is a parameter of at least one
// notebook.
func checkSettings(jobs []*job, set map[string]string) error {
	var errs []error
	for name := range set {
		var known []string
		found := false
		for _, j := range jobs {
			declared := j.parameters()
			_, ok := declared[name]
			found = found || ok
			known = append(known, fmt.Sprintf("%s: %s", j.Name, strings.Join(declared.Names(), ", ")))
		}
		if !found {
			errs = append(errs, fmt.Errorf("-set %s: must be a parameter of a notebook (%s)", name, strings.Join(known, "; ")))
		}
	}
	return errors.Join(errs...)
}

func (j *job) parameters() params.Set {
	for _, c := range j.Committed.Code() {
		if c.HasTag(params.Tag) {
			set, err := params.Parse(c.Source)
			if err == nil {
				return set
			}
		}
	}
	return params.Set{}
}
