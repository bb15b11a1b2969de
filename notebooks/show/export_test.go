package show

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

type withBoth struct{}

func (withBoth) Figure() chart.Figure { return testChart() }
func (withBoth) Table() figures.Table {
	return figures.Table{Name: "runs", Title: "Runs", Columns: []string{"K"}, Rows: [][]string{{"1"}}}
}

// A figure and its table are written in every format, and a cell that is run again replaces them.
func TestSaveTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "paper")
	for range 2 {
		Save(dir, Screen, withBoth{})
		SaveTable(dir, figures.Comparison{Name: "ours", Title: "Ours"})
	}
	name, _ := testChart().Head()
	for file, start := range map[string]string{name + ".png": "\x89PNG", name + ".svg": "<?xml", name + ".pdf": "%PDF", name + ".csv": "", name + ".json": "{", "runs.csv": "K", "runs.json": "{", "runs.tex": "% ",
		"ours-comparison.csv": "", "ours-comparison.json": "{", "ours-comparison.tex": "% "} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || len(content) == 0 || !bytes.HasPrefix(content, []byte(start)) {
			t.Errorf("%s: %v, starts with %.8q", file, err, content)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 11 {
		t.Errorf("%d files (%v), want 11", len(list), err)
	}
}

type withConfig struct {
	Config struct{ Delta float64 }
	chart.Chart
}

// A figure for a paper has the paper's width, no title in its picture, and a caption that names
// commit and config.
func TestSaveForAPaper(t *testing.T) {
	dir := t.TempDir()
	res := withConfig{Chart: testChart()}
	res.Title = "Price of tuning"
	res.Config.Delta = 1e-5
	name, title := res.Head()
	Save(dir, Screen, res.Chart)
	wide, err := os.ReadFile(filepath.Join(dir, name+".svg"))
	if err != nil || !bytes.Contains(wide, []byte(title)) {
		t.Fatalf("the picture for a screen: %v, want the title %q in it", err, title)
	}
	Save(dir, Column, res)
	read := func(suffix string) string {
		content, err := os.ReadFile(filepath.Join(dir, name+suffix))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	const hash = "config sha256 06fbdd20f7f4" // printf '{"Delta":0.00001}' | sha256sum
	caption, picture := read(".txt"), read(".svg")
	if !strings.HasPrefix(caption, title) || !strings.Contains(caption, hash) {
		t.Errorf("caption %q: want the title %q and %q", caption, title, hash)
	}
	drawn := picture[strings.Index(picture, "</desc>"):]
	if !strings.Contains(picture, hash) || strings.Contains(drawn, ">"+title+"<") {
		t.Errorf("the picture must have the hash in its description, and its title there alone:\n%.900s", picture)
	}
	if !strings.Contains(picture, `width="234pt"`) {
		t.Errorf("the picture starts with %.300q: want 3.25 in, which are 234 points", picture)
	}
	config, err := png.DecodeConfig(strings.NewReader(read(".png")))
	if err != nil || config.Width != 975 {
		t.Errorf("%d pixels (%v), want 975: 3.25 in at 300 dpi", config.Width, err)
	}
	if !strings.Contains(read(".png"), hash) || !strings.Contains(read(".pdf"), "/Subject") {
		t.Error("PNG and PDF must say what made them")
	}
}

type sameName struct{ withBoth }

func (sameName) Table() figures.Table {
	t := withBoth{}.Table()
	t.Name, _ = testChart().Head()
	return t
}

func TestSaveRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir   string
		value figures.WithFigure
		want  string
	}{
		{"", testChart(), "must not be empty"},
		{t.TempDir(), sameName{}, "figure and table are both named"},
		{file, testChart(), "show: "},
		{t.TempDir(), chart.Chart{}, "chart name"},
	} {
		if err := saveResult(c.dir, Screen, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("save of %T into %q: error %v, want one with %q", c.value, c.dir, err, c.want)
		}
	}
}
