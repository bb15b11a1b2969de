package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const modulePath = "github.com/dplab/dplab"

// findRoot returns the root folder of the module that contains dir.
func findRoot(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		data, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && isModule(string(data)) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside the repository of %s: run this from inside it", dir, modulePath)
		}
	}
}

func isModule(gomod string) bool {
	for line := range strings.Lines(gomod) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return fields[1] == modulePath
		}
	}
	return false
}

// listNotebooks returns the paths of the notebooks below dir, in order. It leaves out those in out,
// the copies of -lab, and hidden folders.
func listNotebooks(dir, out string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && (path == out || path == labFolderOf(dir) || skipDir(path, entry.Name())):
			return filepath.SkipDir
		case !entry.IsDir() && filepath.Ext(path) == ".ipynb" && !strings.HasPrefix(entry.Name(), "."):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the notebooks: %w", err)
	}
	slices.Sort(paths)
	return paths, nil
}

func skipDir(path, name string) bool {
	return strings.HasPrefix(name, ".") || name == "testdata" || name == "out" && filepath.Base(filepath.Dir(path)) == "notebooks"
}

// stem returns a notebook's file name without .ipynb.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ipynb") }

// selectNotebooks returns the notebooks that match the names or globs. Each must match at least
// one. A name with a folder, and one of a notebook in the folder cwd, is a path from cwd.
func selectNotebooks(paths, names []string, cwd string) ([]string, error) {
	if len(names) == 0 {
		return paths, nil
	}
	var errs []error
	chosen := map[string]bool{}
	for _, name := range names {
		var found []string
		isPath := namesPath(name, cwd)
		if isPath {
			found = at(paths, name, cwd)
		} else {
			found = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !matches(stem(name), stem(path)) })
		}
		for _, path := range found {
			chosen[path] = true
		}
		switch {
		case len(found) > 0:
		case isPath:
			errs = append(errs, fmt.Errorf("notebook %q: is a path: must be one of the notebooks that are run, %s (-notebooks names another folder; copies of -lab and executed notebooks are not run)", name, stems(paths)))
		default:
			errs = append(errs, fmt.Errorf("notebook %q: must match one of %s", name, stems(paths)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !chosen[p] }), nil
}

// namesPath reports whether a name has a folder, or is that of a notebook in the folder cwd.
func namesPath(name, cwd string) bool {
	if filepath.Base(name) != name {
		return true
	}
	info, err := os.Stat(filepath.Join(cwd, name))
	return err == nil && !info.IsDir() && filepath.Ext(name) == ".ipynb"
}

// at returns the notebooks at the path or glob name, which begins at cwd. If there is none, links
// may lead to one.
func at(paths []string, name, cwd string) (found []string) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	name = strings.TrimSuffix(filepath.Clean(name), ".ipynb")
	for _, path := range paths {
		if short := strings.TrimSuffix(path, ".ipynb"); short == name || matches(name, short) {
			found = append(found, path)
		}
	}
	there, err := os.Stat(name + ".ipynb")
	for _, path := range paths {
		if here, err2 := os.Stat(path); len(found) == 0 && err == nil && err2 == nil && os.SameFile(here, there) {
			found = append(found, path)
		}
	}
	return found
}

func matches(glob, name string) bool {
	ok, err := filepath.Match(glob, name)
	return ok && err == nil
}

func stems(paths []string) string {
	var names []string
	for _, p := range paths {
		names = append(names, stem(p))
	}
	return strings.Join(names, ", ")
}

// labFolderOf returns the folder of -lab's copies of the notebooks in dir, without -out.
func labFolderOf(dir string) string { return filepath.Join(dir, "lab") }

// prepareOut makes the output folder and checks that it can be written to.
func prepareOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("-out %s: cannot be made: %w: must be a folder that can be written to", dir, err)
	}
	if err := tryWriting(dir); err != nil {
		return fmt.Errorf("-out %s: cannot be written to: %w: must be a folder that can be written to", dir, err)
	}
	return nil
}

// prepareWrite checks, before a run, that -write will be able to replace the notebooks.
func prepareWrite(jobs []*job) error {
	var errs []error
	tried := map[string]bool{}
	for _, j := range jobs {
		dir := filepath.Dir(j.Path)
		if tried[dir] {
			continue
		}
		tried[dir] = true
		if err := tryWriting(dir); err != nil {
			errs = append(errs, fmt.Errorf("-write %s: cannot be written to: %w: must be a folder that can be written to, because its notebooks are replaced", dir, err))
		}
	}
	return errors.Join(errs...)
}

// tryWriting makes a file in dir and removes it.
func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".writable-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
