package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "notebooks", "tools")
	write(t, filepath.Join(root, "go.mod"), "// comment\nmodule github.com/dplab/dplab\n")
	write(t, filepath.Join(inner, "go.mod"), "module github.com/dplab/dplab/notebooks/tools\n")
	for _, dir := range []string{root, inner, filepath.Join(root, "notebooks")} {
		if got, err := findRoot(dir); err != nil || got != root {
			t.Errorf("from %s: %s, %v, want %s", dir, got, err, root)
		}
	}
	if _, err := findRoot(string(filepath.Separator)); err == nil || !strings.Contains(err.Error(), "not inside the repository") {
		t.Errorf("error %v, want one about the repository", err)
	}
}

func TestSelectNotebooks(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "notebooks")
	for _, name := range []string{"b.ipynb", "a1.ipynb", "a2.ipynb", "deep/c.ipynb", "out/a1.ipynb", ".ipynb_checkpoints/a1.ipynb", "run/testdata/t.ipynb", "elsewhere/b.ipynb", "lab/b.ipynb", "lab/deep/c.ipynb", "notes.md", ".a1.ipynb"} {
		write(t, filepath.Join(dir, name), "")
	}
	if err := os.Symlink(dir, filepath.Join(root, "link")); err != nil {
		t.Skip(err) // on Windows a user may make none
	}
	paths, err := listNotebooks(dir, filepath.Join(dir, "elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	const isPath = ": is a path: must be one of the notebooks that are run, a1, a2, b, c"
	tests := []struct {
		cwd   string
		names []string
		want  string
		err   string
	}{
		{"", nil, "a1 a2 b c", ""},
		{"", []string{"b"}, "b", ""},
		{"", []string{"b.ipynb", "a*"}, "a1 a2 b", ""},
		{"", []string{"notebooks/b.ipynb"}, "b", ""},
		{"", []string{"a1", "a?"}, "a1 a2", ""},
		{"", []string{"x*", "b", "y"}, "", `notebook "x*": must match one of a1, a2, b, c`},
		// A path is that file. Other folders have notebooks of the same names.
		{"", []string{"notebooks/deep/../b", "./notebooks/deep/c.ipynb"}, "b c", ""},
		{"", []string{"notebooks/a*", filepath.Join(dir, "deep", "c")}, "a1 a2 c", ""},
		{"notebooks", []string{"b.ipynb", "./a1", "deep/c"}, "a1 b c", ""},
		{"notebooks/deep", []string{"../b.ipynb", "c.ipynb", "a2.ipynb"}, "a2 b c", ""},
		{"", []string{"notebooks/elsewhere/b.ipynb"}, "", `"notebooks/elsewhere/b.ipynb"` + isPath},
		{"", []string{"deep/b.ipynb", "b"}, "", `"deep/b.ipynb"` + isPath},
		{"", []string{"./b"}, "", `"./b"` + isPath},
		{"", []string{filepath.Join(root, "b.ipynb")}, "", isPath},
		{"", []string{"notebooks/lab/b.ipynb"}, "", "copies of -lab"},
		{"notebooks/elsewhere", []string{"b.ipynb"}, "", `"b.ipynb"` + isPath},
		{"notebooks/elsewhere", []string{"b"}, "b", ""},
		{"notebooks/deep", []string{"../../notebooks/b.ipynb", "../../link/a1"}, "a1 b", ""},
		{"link", []string{filepath.Join(root, "link", "b.ipynb"), "deep/c"}, "b c", ""},
	}
	for _, test := range tests {
		got, err := selectNotebooks(paths, test.names, filepath.Join(root, test.cwd))
		var names []string
		for _, p := range got {
			names = append(names, stem(p))
		}
		if strings.Join(names, " ") != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %q, %v, want %q, %q", test.names, names, err, test.want, test.err)
		}
	}
	if !slices.IsSorted(paths) {
		t.Errorf("paths %q are not in order", paths)
	}
}

func TestPrepareOut(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "new", "out")
	if err := prepareOut(out); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 0 {
		t.Errorf("the folder holds %v (%v), want nothing", left, err)
	}
	write(t, filepath.Join(dir, "file"), "")
	if err := prepareOut(filepath.Join(dir, "file", "out")); err == nil || !strings.Contains(err.Error(), "-out") {
		t.Errorf("error %v, want one that names -out", err)
	}
	if os.Getuid() == 0 {
		return // root may write anywhere
	}
	if err := os.Chmod(out, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := prepareOut(out); err == nil || !strings.Contains(err.Error(), "cannot be written to") {
		t.Errorf("error %v, want one about writing", err)
	}
}

// What -write cannot replace is said before a cell runs, once for each folder.
func TestPrepareWrite(t *testing.T) {
	dir := t.TempDir()
	there, gone := filepath.Join(dir, "a.ipynb"), filepath.Join(dir, "none")
	jobs := []*job{{Path: there}, {Path: filepath.Join(gone, "b.ipynb")}, {Path: filepath.Join(gone, "c.ipynb")}}
	if err := prepareWrite(jobs[:1]); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("the folder holds %v (%v), want nothing", left, err)
	}
	if err := prepareWrite(jobs); err == nil || strings.Count(err.Error(), "-write "+gone+": cannot be written to") != 1 {
		t.Errorf("error %v, want one that names -write and the folder", err)
	}
}
