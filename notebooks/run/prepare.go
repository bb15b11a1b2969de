package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// prepare checks everything that can be checked before work starts, and returns the notebooks to
// run.
func prepare(o options) (*runner, []*job, error) {
	r := &runner{options: o, begin: commanded()}
	var err error
	if r.cwd, err = os.Getwd(); err != nil {
		return nil, nil, err
	}
	if r.root, err = findRoot(r.cwd); err != nil {
		return nil, nil, err
	}
	if err := r.setFolders(); err != nil {
		return nil, nil, err
	}
	all, err := listNotebooks(r.dir, r.out)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: must have at least one notebook (.ipynb); -notebooks names another folder", r.relative(r.dir))
	}
	chosen, err := selectNotebooks(all, o.Names, r.cwd)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := r.jobs(chosen)
	return r, jobs, err
}

func (r *runner) setFolders() error {
	r.dir, r.out = filepath.Join(r.root, "notebooks"), filepath.Join(r.root, "notebooks", "out")
	if r.options.Notebooks != "" {
		r.dir = r.absolute(r.options.Notebooks)
		if info, err := os.Stat(r.dir); err != nil || !info.IsDir() {
			return fmt.Errorf("-notebooks %s: must be a folder that exists", r.options.Notebooks)
		}
		if at, err := findRoot(r.dir); err != nil || at != r.root {
			return fmt.Errorf("-notebooks %s: must be a folder inside the repository: the cells import its packages", r.options.Notebooks)
		}
	}
	if r.options.Out != "" {
		r.out = r.absolute(r.options.Out)
	}
	if r.options.Data != "" {
		r.data = r.absolute(r.options.Data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no folder for the notebook kernel: %w", err)
	}
	r.cache = filepath.Join(cache, "dplab")
	return nil
}

func (r *runner) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.cwd, path)
}

// relative shortens a path for a message.
func (r *runner) relative(path string) string {
	if short, err := filepath.Rel(r.cwd, path); err == nil && !strings.HasPrefix(short, "..") {
		return short
	}
	return path
}

// jobs reads the notebooks. It leaves out those that cannot be read, unless none can be. Two of one
// name would overwrite each other's output.
func (r *runner) jobs(paths []string) ([]*job, error) {
	var jobs []*job
	var errs []error
	seen := map[string]string{}
	for _, path := range paths {
		j, err := newJob(path, r.out, r.options)
		switch {
		case errors.As(err, new(unreadableError)):
			r.unreadable = append(r.unreadable, err)
			continue
		case err != nil:
			errs = append(errs, err)
			continue
		}
		if first, twice := seen[j.Name]; twice {
			errs = append(errs, fmt.Errorf("%s and %s: must have different names, because their outputs go to one folder", r.relative(first), r.relative(path)))
		}
		seen[j.Name] = path
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		errs = append(errs, r.unreadable...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return jobs, checkSettings(jobs, r.options.Set)
}
