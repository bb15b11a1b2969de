package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// labDir is where -lab opens copies of the notebooks: notebooks/lab, which nothing clears, or lab in the folder of -out.
// Cells run there, so what they write lies beside the copies.
func (r *runner) labDir() string {
	if r.options.Out == "" {
		return labFolderOf(r.dir)
	}
	return filepath.Join(r.out, "lab")
}

// copyForLab copies the notebooks, and the stored results that lie beside them, into labDir, and returns what there is to
// say about copies that were kept. The committed files are not touched by what is done in JupyterLab.
func (r *runner) copyForLab(jobs []*job) (kept []string, err error) {
	if at, err := findRoot(filepath.Dir(r.labDir())); err != nil || at != r.root {
		return nil, fmt.Errorf("-lab -out %s: must lie in the repository, which the cells find from their folder; or use -in-place", r.options.Out)
	}
	if err := prepareOut(r.labDir()); err != nil {
		return nil, fmt.Errorf("-lab: %w: the copies need a folder in the repository that can be written to, which -out names", err)
	}
	seen := map[string]bool{}
	for _, j := range jobs {
		results, _ := filepath.Glob(filepath.Join(filepath.Dir(j.Path), "results", "*.json")) // the pattern is right
		for _, path := range append([]string{j.Path}, results...) {
			if seen[path] {
				continue
			}
			seen[path] = true
			say, err := r.copyOne(path)
			if err != nil {
				return nil, fmt.Errorf("-lab: %w", err)
			}
			if say != "" {
				kept = append(kept, say)
			}
		}
	}
	return kept, nil
}

// labCopy returns where the copy of a file below the folder of the notebooks is.
func (r *runner) labCopy(path string) string { return r.below(r.labDir(), path) }

func (r *runner) below(dir, path string) string {
	name, err := filepath.Rel(r.dir, path)
	if err != nil {
		panic(err) // both are absolute
	}
	return filepath.Join(dir, name)
}

// copyOne makes or renews the copy of one file. A copy that differs from what was copied is the user's work: it is
// kept, and said so.
func (r *runner) copyOne(path string) (say string, err error) {
	target, taken := r.labCopy(path), r.below(filepath.Join(r.labDir(), ".copied"), path) // taken holds what was copied
	committed, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	own, err := readIfThere(target)
	if err != nil {
		return "", err
	}
	before, err := readIfThere(taken)
	if err != nil {
		return "", err
	}
	switch {
	case own != nil && !bytes.Equal(own, before) && !bytes.Equal(own, committed):
		say = r.relative(target) + ": opened as you left it"
		if !bytes.Equal(before, committed) {
			say += ", though " + r.relative(path) + " has changed since"
		}
		return say + "; delete it to start afresh", nil
	case bytes.Equal(own, committed) && bytes.Equal(before, committed):
		return "", nil
	}
	for _, to := range []string{target, taken} { // in this order: a copy without taken is not renewed
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := nbformat.WriteFile(to, committed); err != nil {
			return "", err
		}
	}
	return "", nil
}

// readIfThere returns nil for a file that does not exist.
func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
