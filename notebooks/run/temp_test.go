package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// While one run holds the folder, another one is told which; when it ends, also by a crash, the
// folder is free.
func TestLockOut(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lockOut(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockOut(dir); err == nil || !strings.Contains(err.Error(), "another run (pid "+strconv.Itoa(os.Getpid())+") is writing into -out "+dir) {
		t.Errorf("error %v, want one that names the run and the folder", err)
	}
	var stderr strings.Builder
	if code := run(t.Context(), []string{"-notebooks", "testdata", "-out", dir, "smoke"}, &stderr, &stderr, false); code != exitUsage || !strings.Contains(stderr.String(), "is writing into -out") {
		t.Errorf("exit code %d, %s, want 2 and the reason", code, &stderr)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the refused run left %v", left)
	}
	unlock()
	unlock, err = lockOut(dir)
	if err != nil {
		t.Errorf("the folder is not free: %v", err)
	}
	unlock()
}

// The folder of a run that was killed is removed by a later one; that of a living one, and one of
// somebody else, stay.
func TestRemoveOrphans(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	living, end, err := newTemp()
	if err != nil {
		t.Fatal(err)
	}
	dead, foreign := filepath.Join(temp, tempPrefix+"dead"), filepath.Join(temp, tempPrefix+"foreign")
	write(t, filepath.Join(dead, ownerFile), "")
	write(t, filepath.Join(dead, "kernel", "left"), "")
	write(t, filepath.Join(foreign, "file"), "")
	removeOrphans()
	names := func() (names []string) {
		entries, _ := os.ReadDir(temp)
		for _, entry := range entries {
			names = append(names, filepath.Join(temp, entry.Name()))
		}
		return names
	}
	want := []string{living, foreign}
	slices.Sort(want)
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("folders %q, want %q", got, want)
	}
	end()
	if got := names(); !slices.Equal(got, []string{foreign}) {
		t.Errorf("folders %q after the end, want only %s", got, foreign)
	}
}

// Where no temporary files can be made the error says what names another folder.
func TestNoTemp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	t.Setenv("TMPDIR", file)
	if _, _, err := newTemp(); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "TMPDIR must name") {
		t.Errorf("error %v, want the folder and the way out", err)
	}
}

// What is refused leaves nothing behind, and says what is wrong.
func TestRefusedWritesNothing(t *testing.T) {
	goOnly := t.TempDir()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command in PATH")
	}
	if err := os.Symlink(program, filepath.Join(goOnly, "go")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	tests := []struct{ path, args, want string }{
		{t.TempDir(), "smoke", "no go command in PATH"},
		{goOnly, "-lab smoke", "no jupyter-lab in PATH"},
		{goOnly, "-notebooks ../../go.mod", "-notebooks ../../go.mod: must be a folder"},
		{goOnly, "-notebooks kernel", "kernel: must have at least one notebook"},
		{goOnly, "none", `notebook "none": must match one of`},
	}
	for _, test := range tests {
		cache, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		t.Setenv("XDG_CACHE_HOME", cache)
		t.Setenv("PATH", test.path)
		args := append([]string{"-out", out}, strings.Fields(test.args)...)
		if !strings.Contains(test.args, "-notebooks") {
			args = append([]string{"-notebooks", "testdata"}, args...)
		}
		var stdout, stderr strings.Builder
		if code := run(t.Context(), args, &stdout, &stderr, false); code != exitUsage || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: exit code %d, %s, want 2 and %q", test.args, code, &stderr, test.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: the output folder was made", test.args)
		}
		if left, _ := os.ReadDir(cache); len(left) != 0 {
			t.Errorf("%s: the cache holds %v", test.args, left)
		}
	}
}
