package show

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

type memoConfig struct {
	Name  string
	Steps int
}

// A value is computed once for a config and a type, and again where either differs, the backend
// does, or it is off.
func TestMemo(t *testing.T) {
	if _, file, _, _ := runtime.Caller(0); !filepath.IsAbs(file) {
		t.Skip("built with -trimpath, where Memo must be off")
	}
	dir := t.TempDir()
	t.Setenv(MemoEnv, dir)
	t.Setenv("DPLAB_BACKEND", "")
	ran := 0
	triple := func(c memoConfig) int {
		return Memo(c, func() (int, error) { ran++; return 3 * c.Steps, nil })
	}
	for i, c := range []struct {
		config    memoConfig
		backend   string
		want, ran int
	}{
		{memoConfig{"a", 5}, "", 15, 1}, {memoConfig{"a", 5}, "", 15, 1}, {memoConfig{"a", 5}, "go", 15, 1},
		{memoConfig{"a", 7}, "", 21, 2}, {memoConfig{"b", 7}, "", 21, 3}, {memoConfig{"a", 5}, "", 15, 3},
		{memoConfig{"a", 5}, "xla:cpu", 15, 4},
	} {
		t.Setenv("DPLAB_BACKEND", c.backend)
		if got := triple(c.config); got != c.want || ran != c.ran {
			t.Errorf("call %d: %d after %d computations, want %d after %d", i, got, ran, c.want, c.ran)
		}
	}
	t.Setenv("DPLAB_BACKEND", "")
	if got := Memo(memoConfig{"a", 5}, func() (string, error) { return "another type", nil }); got != "another type" {
		t.Errorf("a result of another type was taken: %q", got)
	}
	t.Setenv(MemoEnv, "off")
	if got := triple(memoConfig{"a", 5}); got != 15 || ran != 5 {
		t.Errorf("off: %d after %d computations, want 15 after 5", got, ran)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 5 {
		t.Errorf("files %v, %v: want one for each of five", files, err)
	}
}

// A change of a source is another build; tests, notebooks and what runs wrote are none.
func TestHashSources(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		sum, err := hashSources(root)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	before := write("engine/step.go", "package engine")
	for _, name := range []string{"engine/step_test.go", "page.ipynb", "notebooks/out/figure.go", ".git/hook.go", "engine/testdata/a.go"} {
		if write(name, "text") != before {
			t.Errorf("%s makes another build", name)
		}
	}
	for _, name := range []string{"engine/step.go", "engine/new.go", "go.sum"} {
		after := write(name, "package other")
		if after == before {
			t.Errorf("a change of %s is not seen", name)
		}
		before = after
	}
	if _, err := hashSources(filepath.Join(root, "none")); err == nil {
		t.Error("sources that are gone have a hash")
	}
}
