package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A copy follows the committed notebook until the user changes it, and is the user's from then on.
func TestCopyForLab(t *testing.T) {
	root := t.TempDir()
	r := &runner{root: root, cwd: root, dir: filepath.Join(root, "notebooks"), out: filepath.Join(root, "notebooks", "out")}
	write(t, filepath.Join(root, "go.mod"), "module "+modulePath+"\n")
	committed, stored := filepath.Join(r.dir, "a.ipynb"), filepath.Join(r.dir, "results", "a.json")
	own, ownStored := filepath.Join(r.dir, "lab", "a.ipynb"), filepath.Join(r.dir, "lab", "results", "a.json")
	steps := []struct {
		name      string
		path, set string // what is written before; empty path: nothing
		want      string // the copy afterwards
		say       string
	}{
		{"first", "", "", "one", ""},
		{"again", "", "", "one", ""},
		{"the committed one changes", committed, "two", "two", ""},
		{"the user changes the copy", own, "mine", "mine", "opened as you left it; delete it to start again"},
		{"then the committed one changes", committed, "three", "mine", "opened as you left it, though notebooks/a.ipynb has changed since; delete"},
		{"the user brings it back", own, "three", "three", ""},
		{"and the committed one changes", committed, "four", "four", ""},
	}
	write(t, committed, "one")
	write(t, stored, "1")
	for _, step := range steps {
		if step.path != "" {
			write(t, step.path, step.set)
		}
		kept, err := r.copyForLab([]*job{{Path: committed}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(own)
		if err != nil || string(got) != step.want {
			t.Errorf("%s: the copy is %q (%v), want %q", step.name, got, err, step.want)
		}
		if said := strings.Join(kept, "\n"); (said == "") != (step.say == "") || !strings.Contains(said, step.say) {
			t.Errorf("%s: said %q, want %q", step.name, said, step.say)
		}
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	write(t, ownStored, "2")
	kept, err := r.copyForLab([]*job{{Path: committed}})
	if got, _ := os.ReadFile(own); string(got) != "four" || err != nil || len(kept) != 1 || !strings.Contains(kept[0], "results/a.json: opened as you left it") {
		t.Errorf("after the copy is deleted: %q, %v, said %q, want a fresh one and a word about the stored result", got, err, kept)
	}
	for path, want := range map[string]string{committed: "four", stored: "1"} {
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s is %q, want %q: copies only", path, got, want)
		}
	}
	r.out, r.options.Out = t.TempDir(), "elsewhere"
	if _, err := r.copyForLab([]*job{{Path: committed}}); err == nil || !strings.Contains(err.Error(), "-out elsewhere: must be inside the repository") {
		t.Errorf("error %v, want one that names -out", err)
	}
	r.out, r.options.Out = filepath.Join(root, "file"), "file"
	write(t, r.out, "")
	if _, err := r.copyForLab([]*job{{Path: committed}}); err == nil || !strings.Contains(err.Error(), "cannot be made") || !strings.Contains(err.Error(), "inside the repository") {
		t.Errorf("no folder can be made: error %v, want the way out", err)
	}
}

// Copies that are equal to their notebook are signed, those with a user's work are not.
func TestTrustCopies(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	r := &runner{dir: dir, temp: t.TempDir(), options: options{Out: "x"}, out: filepath.Join(dir, "out")}
	var jobs []*job
	for name, own := range map[string]string{"same.ipynb": "a", "work.ipynb": "b"} {
		j := &job{Path: filepath.Join(dir, name)}
		jobs = append(jobs, j)
		for path, text := range map[string]string{j.Path: "a", r.labCopy(j.Path): own} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	bin := t.TempDir()
	lab, asked := filepath.Join(bin, "jupyter-lab"), filepath.Join(bin, "asked")
	if err := r.trust(t.Context(), lab, jobs); err == nil || !strings.Contains(err.Error(), "jupyter-trust") {
		t.Errorf("without jupyter-trust: %v", err)
	}
	for script, want := range map[string]string{"#!/bin/sh\nprintf '%s ' \"$@\" > " + asked: "", "#!/bin/sh\necho no key; exit 1": "no key"} {
		if err := os.WriteFile(filepath.Join(bin, "jupyter-trust"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		err := r.trust(t.Context(), lab, jobs)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if got, err := os.ReadFile(asked); err != nil || string(got) != r.labCopy(filepath.Join(dir, "same.ipynb"))+" " {
		t.Errorf("signed %q (%v), want same.ipynb", got, err)
	}
}
