package show

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
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

// A kept value is read back as a second run reads it. What is not such a value is computed again,
// and an error keeps nothing.
func TestKept(t *testing.T) {
	type outcome struct {
		Epsilon chart.Number
		Curve   chart.Series
		hidden  int
	}
	ran := 0
	compute := func() (outcome, error) {
		ran++
		return outcome{chart.Number(ran), chart.Series{0.1, 2}, 7}, nil
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "new folder", "a.json")
	for i, damage := range []string{"", "", "{\"Epsilon\": 1, \"Cur", "nothing", `{"Epsilon": []}`} {
		if damage != "" {
			if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := max(1, i)
		v, read, err := kept(path, compute)
		if err != nil || read != (i == 1) || ran != want || v.Epsilon != chart.Number(want) || len(v.Curve) != 2 || v.hidden != 0 {
			t.Errorf("call %d: %v, %t, %v after %d computations", i, v, read, err, ran)
		}
	}
	ran = 0
	if _, _, err := kept(filepath.Join(path, "b.json"), compute); err == nil || ran != 0 {
		t.Errorf("a folder that cannot be made: %v after %d computations, want an error before any", err, ran)
	}
	want := errors.New("did not converge")
	if _, _, err := kept(filepath.Join(dir, "c.json"), func() (int, error) { return 0, want }); !errors.Is(err, want) {
		t.Errorf("a failed computation: %v, want %v", err, want)
	}
	if _, _, err := kept(filepath.Join(dir, "d.json"), func() (func(), error) { return nil, nil }); err == nil {
		t.Error("a function is kept")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("failures left files behind: %v, %v", left, err)
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
