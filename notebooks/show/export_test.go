package show

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
)

type withBoth struct{}

func (withBoth) Chart() figures.Chart { return testChart() }
func (withBoth) Table() figures.Table {
	return figures.Table{Name: "runs", Title: "Runs", Columns: []string{"K"}, Rows: [][]string{{"1"}}}
}

// A figure and its table are written in every format, and a cell that is run again replaces them.
func TestSaveTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "paper")
	for range 2 {
		Save(dir, withBoth{})
	}
	name, _ := testChart().Head()
	for file, start := range map[string]string{name + ".png": "\x89PNG", name + ".svg": "<?xml", name + ".pdf": "%PDF", name + ".csv": "", name + ".json": "{", "runs.csv": "K", "runs.json": "{"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || len(content) == 0 || !bytes.HasPrefix(content, []byte(start)) {
			t.Errorf("%s: %v, starts with %.8q", file, err, content)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 7 {
		t.Errorf("%d files (%v), want 7", len(list), err)
	}
}

func TestSaveRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir   string
		value any
		want  string
	}{
		{t.TempDir(), 3, "show: save of int: must be what Plot or Table takes"},
		{t.TempDir(), nil, "show: save of <nil>"},
		{"", testChart(), "must not be empty"},
		{file, testChart(), "show: "},
		{t.TempDir(), figures.Chart{}, "figures"},
	} {
		if err := export(c.dir, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("save of %T into %q: error %v, want one with %q", c.value, c.dir, err, c.want)
		}
	}
}
