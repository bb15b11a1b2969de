package results_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/results"
)

type config struct {
	Seed    int
	Profile string
}

type outcome struct {
	Epsilon chart.Number
	Curve   chart.Series
	hidden  int
}

// counter returns a computation and how often it ran.
func counter() (func() (outcome, error), *int) {
	n := new(int)
	return func() (outcome, error) {
		*n++
		return outcome{Epsilon: chart.Number(*n), Curve: chart.Series{0.1, 2}, hidden: 7}, nil
	}, n
}

func load(t *testing.T, path string, c config, compute func() (outcome, error)) outcome {
	t.Helper()
	v, err := results.Load(path, c, compute)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLoadComputesOnceForEachConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "figure.json")
	compute, runs := counter()
	first := load(t, path, config{1, "quick"}, compute)
	second := load(t, path, config{1, "quick"}, compute)
	if *runs != 1 || first.Epsilon != 1 || second.Epsilon != 1 {
		t.Errorf("same config: computed %d times, results %v and %v; want once, 1 and 1", *runs, first, second)
	}
	if first.hidden != 0 {
		t.Errorf("the first run returned a field that a second one cannot: %v", first)
	}
	if changed := load(t, path, config{1, "full"}, compute); *runs != 2 || changed.Epsilon != 2 {
		t.Errorf("changed config: computed %d times, result %v; want twice, 2", *runs, changed)
	}
}

func TestLoadReplacesACorruptFile(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"truncated":   func(b []byte) []byte { return b[:len(b)/2] },
		"empty":       func([]byte) []byte { return nil },
		"other types": func(b []byte) []byte { return []byte(strings.Replace(string(b), `"Epsilon": 1`, `"Epsilon": []`, 1)) },
		"other config": func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"configHash": "`, `"configHash": "0`, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "figure.json")
			compute, runs := counter()
			load(t, path, config{1, "quick"}, compute)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(data), 0o644); err != nil {
				t.Fatal(err)
			}
			if v := load(t, path, config{1, "quick"}, compute); *runs != 2 || v.Epsilon != 2 {
				t.Errorf("computed %d times, result %v; want twice, 2", *runs, v)
			}
			if v := load(t, path, config{1, "quick"}, compute); *runs != 2 || v.Epsilon != 2 {
				t.Errorf("after the repair: computed %d times, result %v; want twice, 2", *runs, v)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, "file")
	if err := os.WriteFile(inTheWay, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	compute, runs := counter()
	if _, err := results.Load(filepath.Join(inTheWay, "figure.json"), config{}, compute); err == nil || *runs != 0 {
		t.Errorf("a folder that cannot be made: error %v after %d computations, want an error before any", err, *runs)
	}
	if _, err := results.Load(filepath.Join(dir, "a.json"), func() {}, compute); err == nil || *runs != 0 {
		t.Errorf("a config without JSON: error %v after %d computations, want an error before any", err, *runs)
	}
	want := errors.New("did not converge")
	path := filepath.Join(dir, "b.json")
	if _, err := results.Load(path, config{}, func() (outcome, error) { return outcome{}, want }); !errors.Is(err, want) {
		t.Errorf("failed computation: error %v, want %v", err, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("failures left files behind: %v", left)
	}
}

// The stored results are small enough for a repository: under 10 MB in all.
func TestStoredResultsAreSmall(t *testing.T) {
	const most = 10_000_000
	entries, err := fs.ReadDir(results.Stored, ".")
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d stored results, %v", len(entries), err)
	}
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total >= most {
		t.Errorf("the stored results have %d bytes: must be under %d", total, most)
	}
}
