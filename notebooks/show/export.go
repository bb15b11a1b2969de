package show

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/notebooks/figures"
)

// Save writes what Plot and Table show into the folder dir, for a paper: figures as NAME.png,
// .svg, .pdf, .csv and .json, tables as .csv and .json. Each result may be anything that Plot or
// Table takes; one that both take is saved as both. A relative dir is meant from the folder of
// the notebook. Files of the same name are replaced, so that a cell may be run again.
//
//	show.Save("paper", res, res.Compare(papers.Author2022.Figure4))
func Save(dir string, results ...any) {
	for _, r := range results {
		Check(export(dir, r))
	}
}

func export(dir string, r any) error {
	if dir == "" {
		return fmt.Errorf("show: folder %q: must not be empty", dir)
	}
	files, names := map[string][]byte{}, []string(nil)
	list, err := figuresOf(r)
	if err == nil {
		for _, f := range list {
			name, err := figureFiles(f, nil, files)
			if err != nil {
				return err
			}
			names = append(names, withSuffixes(name, figureSuffixes)...)
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
func figureFiles(f figures.Figure, png []byte, files map[string][]byte) (name string, err error) {
	name, _ = f.Head()
	for _, draw := range []struct {
		suffix string
		draw   func(figures.Figure) ([]byte, error)
	}{{".png", figures.PNG}, {".svg", figures.SVG}, {".pdf", figures.PDF}} {
		if draw.suffix == ".png" && png != nil {
			files[name+".png"] = png
		} else if files[name+draw.suffix], err = draw.draw(f); err != nil {
			return name, err
		}
	}
	return name, data(name, f, files)
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
