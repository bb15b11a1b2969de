package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// labDir returns the folder in which -lab opens copies of the notebooks: notebooks/lab, which
// nothing clears, or lab in the folder of -out. Cells run there and write there.
func (r *runner) labDir() string {
	if r.options.Out == "" {
		return labFolderOf(r.dir)
	}
	return filepath.Join(r.out, "lab")
}

// copyForLab copies the notebooks, with the stored results next to them, into labDir. It returns
// messages about copies that were kept. Work in JupyterLab does not change the committed files.
func (r *runner) copyForLab(jobs []*job) (kept []string, err error) {
	if at, err := findRoot(filepath.Dir(r.labDir())); err != nil || at != r.root {
		return nil, fmt.Errorf("-lab -out %s: must be inside the repository, which cells find from their folder; or use -in-place", r.options.Out)
	}
	if err := prepareOut(r.labDir()); err != nil {
		return nil, fmt.Errorf("-lab: %w; -out names another folder inside the repository", err)
	}
	seen := map[string]bool{}
	for _, j := range jobs {
		results, _ := filepath.Glob(filepath.Join(filepath.Dir(j.Path), "results", "*.json")) // the pattern is valid
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

// labCopy returns the path of the copy of a file that is below the folder of the notebooks.
func (r *runner) labCopy(path string) string { return r.below(r.labDir(), path) }

func (r *runner) below(dir, path string) string {
	name, err := filepath.Rel(r.dir, path)
	if err != nil {
		panic(err) // both are absolute
	}
	return filepath.Join(dir, name)
}

// copyOne makes or renews the copy of one file. A copy that differs from its original at the time
// is the user's work: it is kept, and the message reports that.
func (r *runner) copyOne(path string) (message string, err error) {
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
		message = r.relative(target) + ": opened as you left it"
		if !bytes.Equal(before, committed) {
			message += ", though " + r.relative(path) + " has changed since"
		}
		return message + "; delete it to start again", nil
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

// trust signs the copies that are equal to their committed notebook. JupyterLab draws the stored
// SVG figures of a notebook only if it trusts it, as it does once its user has run all cells.
func (r *runner) trust(ctx context.Context, jupyterLab string, jobs []*job) error {
	if target, err := filepath.EvalSymlinks(jupyterLab); err == nil {
		jupyterLab = target // pip puts jupyter-trust next to it
	}
	var copies []string
	for _, j := range jobs {
		committed, err := os.ReadFile(j.Path)
		if err != nil {
			return err
		}
		own, err := os.ReadFile(r.labCopy(j.Path))
		if err != nil {
			return err
		}
		if bytes.Equal(own, committed) {
			copies = append(copies, r.labCopy(j.Path))
		}
	}
	if len(copies) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, trustPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(jupyterLab), "jupyter-trust"), copies...)
	cmd.Env = r.labEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("jupyter-trust: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// trustPatience is the time that signing gets. It mostly takes a second.
const trustPatience = time.Minute

// readIfThere returns nil for a file that does not exist.
func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
