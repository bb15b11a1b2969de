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

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/results"
)

// The widths of figures in papers, for Save.
var (
	Column = render.Column // one column of two, 3.25 in
	Page   = render.Page   // the text of one column, 5.5 in
)

// Save writes what Plot and Table show into the folder dir, for a paper: figures as NAME.png,
// .svg, .pdf, .csv and .json, tables as .csv and .json. Each result may be anything that Plot or
// Table takes; one that both take is saved as both. A relative dir is meant from the folder of
// the notebook. Files of the same name are replaced, so that a cell may be run again.
//
//	show.Save("paper", res, res.Compare(papers.Author2022.Figure4))
//
// With Column or Page among the results figures have the width of a paper's column or page, 3.25 or
// 5.5 inches, without title and notes: these are in NAME.txt, to be made a caption, with the commit and a hash of the
// config, which the properties of the pictures have too.
//
//	show.Save("paper", res, show.Column)
func Save(dir string, shown ...any) {
	var paper *render.Paper
	shown = slices.DeleteFunc(slices.Clone(shown), func(r any) bool {
		p, ok := r.(render.Paper)
		if ok {
			paper = &p
		}
		return ok
	})
	for _, r := range shown {
		Check(export(dir, r, paper))
	}
}

// export saves one result, for the paper if it is not nil.
func export(dir string, r any, paper *render.Paper) error {
	if dir == "" {
		return fmt.Errorf("show: folder %q: must not be empty", dir)
	}
	files, names := map[string][]byte{}, []string(nil)
	list, err := figuresOf(r)
	if err == nil {
		for _, f := range list {
			suffixes := figureSuffixes
			if paper != nil {
				print := render.Print{Figure: f, Paper: *paper, Made: made(r, f)}
				if err := print.Validate(); err != nil {
					return err
				}
				name, _ := f.Head()
				files[name+".txt"] = []byte(print.Caption())
				f, suffixes = print, append(slices.Clone(suffixes), ".txt")
			}
			name, err := figureFiles(f, nil, files)
			if err != nil {
				return err
			}
			names = append(names, withSuffixes(name, suffixes)...)
		}
	}
	name, full, ok, err := tableOf(r)
	switch {
	case err != nil:
		return err
	case ok:
		if files[name+".csv"] != nil {
			return fmt.Errorf("show: save of %T: figure and table are both named %q", r, name)
		}
		if err := data(name, full, files); err != nil {
			return err
		}
		names = append(names, withSuffixes(name, tableSuffixes)...)
	case len(list) == 0:
		return fmt.Errorf("show: save of %T: must be what Plot or Table takes", r)
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

func withSuffixes(name string, suffixes []string) (out []string) {
	for _, s := range suffixes {
		out = append(out, name+s)
	}
	return out
}

// figureFiles adds the files of a figure in all formats. png, if not nil, is its image.
func figureFiles(f chart.Figure, png []byte, files map[string][]byte) (name string, err error) {
	name, _ = f.Head()
	for _, draw := range []struct {
		suffix string
		draw   func(chart.Figure) ([]byte, error)
	}{{".png", render.PNG}, {".svg", render.SVG}, {".pdf", render.PDF}} {
		if draw.suffix == ".png" && png != nil {
			files[name+".png"] = png
		} else if files[name+draw.suffix], err = draw.draw(f); err != nil {
			return name, err
		}
	}
	if p, ok := f.(render.Print); ok {
		f = p.Figure
	}
	return name, data(name, f, files)
}

// made says what made a figure of a result: the commit of the sources, and the hash of the result's config, or of the
// figure's numbers where it has none.
func made(r any, f chart.Figure) string {
	what, value := "config", any(nil)
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

// tableOf returns what a table is saved from; ok is false for what is none.
func tableOf(r any) (name string, full any, ok bool, err error) {
	switch r := r.(type) {
	case figures.Table:
		return r.Name, r, true, r.Validate()
	case figures.Comparison:
		return r.FileName(), r, true, r.Validate()
	case interface{ Comparison() figures.Comparison }:
		return tableOf(r.Comparison())
	case interface{ Table() figures.Table }:
		return tableOf(r.Table())
	}
	return "", nil, false, nil
}
