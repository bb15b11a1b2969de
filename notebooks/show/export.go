package show

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/results"
)

// Width is the width of the figures that Save draws.
type Width struct{ paper *render.Paper }

// The widths of figures: as in the notebook, or for a paper.
var (
	Screen = Width{}
	Column = Width{&render.Column} // one column of two, 3.25 in
	Page   = Width{&render.Page}   // the full text width of one column, 5.5 in
)

// Save writes the figures of results into the folder dir, each as NAME.png, .svg, .pdf, .csv and
// .json. If a result also has a table, Save writes it as SaveTable does. A relative dir starts at
// the folder of the notebook. Files of the same name are replaced, so a cell may run again.
//
//	show.Save("paper", show.Column, res)
//
// With Column or Page a figure has the width of a paper's column or page, 3.25 or 5.5 inches, and
// no title or notes. Title and notes go to NAME.txt, for the caption, with the commit and a hash of
// the config. The pictures' properties have the commit and the hash too.
func Save(dir string, width Width, results ...figures.WithFigure) {
	for _, r := range results {
		Check(saveResult(dir, width, r))
	}
}

// SaveTable writes the tables of results into the folder dir, each as NAME.csv, .json and .tex. The
// last is a LaTeX tabular, for \input in a paper that uses the package booktabs.
//
//	show.SaveTable("paper", res.Compare())
func SaveTable(dir string, results ...figures.WithTable) {
	for _, r := range results {
		files := map[string][]byte{}
		names, err := tableFiles(r, files)
		Check(err)
		Check(export(dir, names, files))
	}
}

// saveResult saves a figure, and the table of its result.
func saveResult(dir string, width Width, r figures.WithFigure) error {
	files, f := map[string][]byte{}, r.Figure()
	name, _ := f.Head()
	suffixes := suffixesOf(f)
	if width.paper != nil {
		print := render.Print{Figure: f, Paper: *width.paper, Made: made(r, f)}
		if err := print.Validate(); err != nil {
			return err
		}
		files[name+".txt"] = []byte(print.Caption())
		f, suffixes = print, append(slices.Clone(suffixes), ".txt")
	}
	if _, err := figureFiles(f, files); err != nil {
		return err
	}
	names := withSuffixes(name, suffixes)
	if r, ok := r.(figures.WithTable); ok {
		if t := r.Table().Name; t == name {
			return fmt.Errorf("show: save of %T: figure and table are both named %q", r, name)
		}
		tables, err := tableFiles(r, files)
		if err != nil {
			return err
		}
		names = append(names, tables...)
	}
	return export(dir, names, files)
}

// tableFiles adds the files of a table, and returns their names.
func tableFiles(r figures.WithTable, files map[string][]byte) ([]string, error) {
	t := r.Table()
	name, numbers := t.Name, any(t)
	if c, ok := r.(figures.Comparison); ok {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		t = t.WithoutEmptyColumns()
		name, numbers = c.FileName(), c
	} else if err := t.Validate(); err != nil {
		return nil, err
	}
	files[name+".tex"] = []byte(latexTable(t))
	return withSuffixes(name, append(slices.Clone(tableSuffixes), ".tex")), pointFiles(name, numbers, files)
}

// export writes the files into the folder, and prints their names.
func export(dir string, names []string, files map[string][]byte) error {
	if dir == "" {
		return fmt.Errorf("show: folder %q: must not be empty", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	for _, name := range names {
		if err := figures.WriteFile(filepath.Join(dir, name), files[name]); err != nil {
			return err
		}
	}
	for _, name := range names {
		fmt.Println(filepath.Join(dir, name))
	}
	return nil
}

var (
	figureSuffixes = []string{".png", ".svg", ".pdf", ".csv", ".json"}
	tableSuffixes  = []string{".csv", ".json"}
)

// suffixesOf returns the endings of a figure's files. A picture has no numbers.
func suffixesOf(f chart.Figure) []string {
	if _, picture := f.(render.Picture); picture {
		return []string{".png", ".svg", ".pdf"}
	}
	return figureSuffixes
}

func withSuffixes(name string, suffixes []string) (out []string) {
	for _, s := range suffixes {
		out = append(out, name+s)
	}
	return out
}

// figureFiles adds the files of a figure in all formats.
func figureFiles(f chart.Figure, files map[string][]byte) (name string, err error) {
	name, _ = f.Head()
	for _, draw := range []struct {
		suffix string
		draw   func(chart.Figure) ([]byte, error)
	}{{".png", render.PNG}, {".svg", render.SVG}, {".pdf", render.PDF}} {
		if files[name+draw.suffix], err = draw.draw(f); err != nil {
			return name, err
		}
	}
	if p, ok := f.(render.Print); ok {
		f = p.Figure
	}
	if _, picture := f.(render.Picture); picture {
		return name, nil
	}
	return name, pointFiles(name, f, files)
}

// made names what made a figure of a result: the commit of the sources and a hash. The hash is that
// of the result's config, or of the figure's numbers if there is no config.
func made(r any, f chart.Figure) string {
	what, value := "config", any(nil)
	if picture, ok := f.(render.Picture); ok {
		svg, err := render.SVG(picture)
		if err != nil {
			return "Made by dplab"
		}
		r, what, value = nil, "picture", string(svg)
	}
	if v := reflect.Indirect(reflect.ValueOf(r)); v.Kind() == reflect.Struct {
		if field := v.FieldByName("Config"); field.IsValid() && field.CanInterface() {
			value = field.Interface()
		}
	}
	text, err := json.Marshal(value)
	if value == nil || err != nil {
		what = "data"
		if text, err = json.Marshal(f); err != nil {
			return "Made by dplab"
		}
	}
	by := "Made by dplab"
	if _, file, _, ok := runtime.Caller(0); ok {
		if commit := results.Revision("", filepath.Dir(file)); commit != "" {
			by += " " + commit
		}
	}
	return fmt.Sprintf("%s, %s sha256 %.6x", by, what, sha256.Sum256(text))
}

// folder returns the folder for copies: $DPLAB_ARTIFACTS, or dplab-figures outside of a cell, or
// else the empty string.
func folder() string {
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		return dir
	}
	if !gonbui.IsNotebook {
		return defaultFolder
	}
	return ""
}

// answersSuffix is the ending of the file of answersOf.
const answersSuffix = ".answers.jsonl"

// answersOf returns the prices of a result that have a proof, one JSON object a line, as dpcost
// verify reads them. It is nil without one.
func answersOf(result any) (lines []byte) {
	if r, ok := result.(figures.WithAnswers); ok {
		for _, g := range r.Answers() {
			if g.Certificate != nil && g.Certificate.Proof != nil {
				lines = append(append(lines, Must(json.Marshal(g))...), '\n')
			}
		}
	}
	return lines
}

func withAnswers(suffixes []string, answers []byte) []string {
	if answers == nil {
		return suffixes
	}
	return append(slices.Clone(suffixes), answersSuffix)
}

// save writes the artifact's files, named after it with the suffixes. It lists the artifact in the
// manifest of $DPLAB_ARTIFACTS.
func save(a figures.Artifact, files map[string][]byte, suffixes ...string) error {
	for _, s := range suffixes {
		a.Files = append(a.Files, a.Name+s)
	}
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		return figures.AddArtifact(dir, a, files)
	}
	if err := os.MkdirAll(defaultFolder, 0o755); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	for _, name := range a.Files {
		if err := figures.WriteFile(filepath.Join(defaultFolder, name), files[name]); err != nil {
			return err
		}
	}
	fmt.Printf("%s %s: %s\n", a.Kind, a.Title, filepath.Join(defaultFolder, a.Files[0]))
	return nil
}

// send passes data to the kernel and waits until it has them.
func send(data *protocol.DisplayData) {
	gonbui.SendData(data)
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		fmt.Fprintf(os.Stderr, "error: show: the kernel is not listening: %v\n", err)
		os.Exit(1)
	}
}
