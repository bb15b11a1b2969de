package rawfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDirPrefersTheExplicitFolder(t *testing.T) {
	explicit, fromEnv := t.TempDir(), t.TempDir()
	t.Setenv(DirVariable, fromEnv)
	for _, c := range []struct{ give, want string }{{explicit, explicit}, {"", fromEnv}} {
		if got, err := Dir(c.give); got != c.want || err != nil {
			t.Errorf("Dir(%q) = %q, %v: want %q", c.give, got, err, c.want)
		}
	}
}

func TestDirErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(DirVariable, "")
	for _, c := range []struct{ give, want string }{
		{"", "DPLAB_DATA is not set"},
		{filepath.Join(t.TempDir(), "none"), "must be an existing folder"},
		{file, "is a file"},
	} {
		_, err := Dir(c.give)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Dir(%q): error %v: want ErrNotFound and %q", c.give, err, c.want)
		}
	}
}

func TestLocateSaysWhatToDownload(t *testing.T) {
	files := []File{
		{Name: "a.gz", Sum: MD5(abcMD5), URLs: []string{"https://example.org/a.gz"}},
		{Name: "b.gz", Sum: MD5(abcMD5), URLs: []string{"https://example.org/b.gz"}},
	}
	dir := t.TempDir()
	set := filepath.Join(dir, "set")
	if err := os.Mkdir(set, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(set, "a.gz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Locate(dir, "set", files)
	if !errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v: want ErrNotFound", err)
	}
	for _, want := range []string{"run go run ./data/fetch -dir " + dir + " set in the repository", "1 of 2 files are missing", set, "b.gz", abcMD5, "https://example.org/b.gz"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "a.gz") {
		t.Errorf("message %q names a file that is there", err)
	}

	t.Setenv(DirVariable, "")
	if _, err := Locate("", "set", files); err == nil || !strings.Contains(err.Error(), "set DPLAB_DATA=DIR") {
		t.Errorf("error %v: want one that says how to set %s", err, DirVariable)
	}

	if _, err := Locate(dir, "other", []File{{Name: "c", Sum: MD5(abcMD5)}}); err == nil || strings.Contains(err.Error(), "data/fetch") {
		t.Errorf("error %v: must not offer to fetch a file that has no place", err)
	}

	if err := os.WriteFile(filepath.Join(set, "b.gz"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	paths, err := Locate(dir, "set", files)
	if err != nil || len(paths) != 2 || paths[1] != filepath.Join(set, "b.gz") {
		t.Errorf("Locate = %q, %v", paths, err)
	}
}
