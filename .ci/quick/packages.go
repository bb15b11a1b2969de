package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pkg is what go list -json prints of a package.
type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles          []string
}

// module is all packages of the module in root.
type module struct {
	root     string
	packages []*pkg
	byFolder map[string]*pkg // by the folder below root, as in "./accounting"
}

// folder returns the folder of a package below root.
func (m *module) folder(p *pkg) string {
	below, err := filepath.Rel(m.root, p.Dir)
	if err != nil {
		return p.Dir
	}
	return relative(below)
}

// everything is what go takes for all packages below root: "./..." leaves out .ci.
func everything(root string) []string {
	all := []string{"./..."}
	for _, pattern := range []string{".ci/*.go", ".ci/*/*.go"} {
		files, _ := filepath.Glob(filepath.Join(root, pattern)) // the pattern is right
		for _, file := range files {
			if below, err := filepath.Rel(root, filepath.Dir(file)); err == nil {
				all = append(all, relative(below))
			}
		}
	}
	return slices.Compact(all)
}

func list(root string) (*module, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	fields := "-json=ImportPath,Dir,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles"
	cmd := exec.Command("go", append([]string{"list", fields}, everything(root)...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	m := &module{root: root, byFolder: map[string]*pkg{}}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		m.packages = append(m.packages, p)
		m.byFolder[m.folder(p)] = p
	}
}

// edits are the packages that differ. The value is true if packages that import it can see that:
// not only files of tests and of testdata folders differ.
type edits map[*pkg]bool

// readers have tests that read files of the whole repository.
var readers = []string{"./docker", "./notebooks/index", "./notebooks/prose", "./notebooks/site"}

// edited returns the packages whose files differ from a commit. A file belongs to the package of
// the nearest folder above it. One in a testdata folder also belongs to the packages whose tests
// read that folder. With go.mod and go.sum all packages differ.
func (m *module) edited(since string) (edits, error) {
	files, err := differs(m.root, since)
	if err != nil {
		return nil, err
	}
	found := edits{}
	for _, file := range files {
		if file == "go.mod" || file == "go.sum" {
			for _, p := range m.packages {
				found[p] = true
			}
		}
		above, _, data := strings.Cut("/"+file, "/testdata/")
		if data {
			if err := m.addReaders(found, strings.TrimPrefix(above+"/testdata", "/")); err != nil {
				return nil, err
			}
		}
		own := strings.HasSuffix(file, "_test.go") || data
		for folder := path.Dir(file); ; folder = path.Dir(folder) {
			if p := m.byFolder[relative(folder)]; p != nil {
				found[p] = found[p] || !own
				break
			}
			if folder == "." {
				break
			}
		}
	}
	if len(files) > 0 {
		for _, folder := range readers {
			if p := m.byFolder[folder]; p != nil && !found[p] {
				found[p] = false
			}
		}
	}
	return found, nil
}

// elsewhere is a path to another package's testdata folder, in a test.
var elsewhere = regexp.MustCompile(`"((?:\.\./)+(?:[^"]*/)?testdata)[/"]`)

// addReaders adds the packages whose tests read a testdata folder of another package.
func (m *module) addReaders(e edits, folder string) error {
	for _, p := range m.packages {
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			for _, match := range elsewhere.FindAllSubmatch(text, -1) {
				if _, known := e[p]; !known && path.Join(m.folder(p), string(match[1])) == folder {
					e[p] = false
				}
			}
		}
	}
	return nil
}

// named returns the packages of a command line, as if their code differed.
func (m *module) named(folders []string) (edits, error) {
	found := edits{}
	for _, name := range folders {
		p := m.byFolder[relative(path.Clean(filepath.ToSlash(name)))]
		if p == nil {
			return nil, fmt.Errorf("no package %s: want a folder of this module, as ./accounting/contour", name)
		}
		found[p] = true
	}
	return found, nil
}

// affected returns the folders with tests that an edit can break: those of the edited packages, and
// those that depend on them. Tests that read the whole repository are among the second.
func (m *module) affected(e edits) (first, then []string) {
	reached := map[string]bool{} // by import path: packages that import it see an edit
	for p, seen := range e {
		reached[p.ImportPath] = seen
	}
	for again := true; again; {
		again = false
		for _, p := range m.packages {
			if !reached[p.ImportPath] && anyOf(reached, p.Imports) {
				reached[p.ImportPath], again = true, true
			}
		}
	}
	for _, p := range m.packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		folder := m.folder(p)
		_, edited := e[p]
		switch {
		case edited && (e[p] || !slices.Contains(readers, folder)):
			first = append(first, folder)
		case edited || reached[p.ImportPath] || anyOf(reached, p.TestImports) || anyOf(reached, p.XTestImports):
			then = append(then, folder)
		}
	}
	return first, then
}

func anyOf(reached map[string]bool, imports []string) bool {
	return slices.ContainsFunc(imports, func(i string) bool { return reached[i] })
}
