package report

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// item is one figure, table, comparison or text.
type item struct {
	figures.Artifact
	ID    string
	Title string
	Image template.URL // a figure as a data URL
	Wide  bool         // too wide for a phone
	Saved []link       // the saved files
	From  []string     // where a figure's data are from
	Table *figures.Table
	Rows  []row // of a comparison
	One   row   // what all rows of a comparison have in common, once: its Source and Note
	Any   row   // columns that are empty in all rows of a comparison are empty here
	Tally figures.Tally
	Fault string
	Said  template.HTML // Markdown
	Plain string        // text as it is written
}

// part is a piece of a notebook's section: its text, or an output of a cell.
type part struct {
	Prose template.HTML
	Item  *item
}

// link leads from the report to a file.
type link struct{ Name, URL string }

func newItem(from, dir string, a figures.Artifact) item {
	it := item{Artifact: a, Title: a.Title, Saved: saved(from, dir, a)}
	var err error
	switch a.Kind {
	case figures.KindChart:
		it.Image, err = imageURL(dir, a)
		it.From = sources(dir, a)
		it.Wide = wide(filepath.Join(dir, filepath.Base(a.Name)+".png"))
	case figures.KindTable:
		it.Table = new(figures.Table)
		err = readJSON(dir, a, it.Table)
	case figures.KindComparison:
		var c figures.Comparison
		err = readJSON(dir, a, &c)
		it.Tally = c.Tally()
		for _, r := range c.Rows {
			it.Rows = append(it.Rows, newRow(r))
		}
		it.condense()
	case figures.KindText:
		it.Plain = plain(a.Text)
	case figures.KindMarkdown:
		it.Said = markdown(a.Text, "")
	default:
		err = fmt.Errorf("report: artifact %s: kind %q is not known", a.Name, a.Kind)
	}
	if err != nil {
		it.Fault = err.Error()
	}
	return it
}

func readJSON(dir string, a figures.Artifact, into any) error {
	data, err := os.ReadFile(filepath.Join(dir, filepath.Base(a.Name)+".json"))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("report: %s: %w", a.Name, err)
	}
	return nil
}

// imageURL returns the figure's SVG as a data URL, or its PNG if there is no SVG. An SVG in an
// image runs no script and loads nothing.
func imageURL(dir string, a figures.Artifact) (template.URL, error) {
	for _, kind := range []struct{ suffix, mime string }{{".svg", "image/svg+xml"}, {".png", "image/png"}} {
		name := filepath.Base(a.Name) + kind.suffix
		if !slices.Contains(a.Files, name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", fmt.Errorf("report: %s: %w", a.Name, err)
		}
		return template.URL("data:" + kind.mime + ";base64," + base64.StdEncoding.EncodeToString(data)), nil
	}
	return "", fmt.Errorf("report: %s: no SVG or PNG was saved", a.Name)
}

// condense takes the source and the note that all rows of a comparison share out of them, and finds
// the empty columns.
func (i *item) condense() {
	share := func(field func(*row) *string, once *string) {
		for k := range i.Rows {
			if *field(&i.Rows[k]) != *field(&i.Rows[0]) {
				return
			}
		}
		*once = *field(&i.Rows[0])
		for k := range i.Rows {
			*field(&i.Rows[k]) = ""
		}
	}
	if len(i.Rows) > 1 {
		share(func(r *row) *string { return &r.Source }, &i.One.Source)
		share(func(r *row) *string { return &r.Note }, &i.One.Note)
	}
	for _, r := range i.Rows {
		i.Any.Reference, i.Any.Difference = i.Any.Reference+r.Reference, i.Any.Difference+r.Difference
		i.Any.Reading, i.Any.Source = i.Any.Reading+r.Reading, i.Any.Source+r.Source
	}
}

// sources returns where the data of a figure are from, as its JSON has it.
func sources(dir string, a figures.Artifact) []string {
	var c chart.Chart
	if readJSON(dir, a, &c) != nil {
		return nil
	}
	return c.Sources
}

// longTable is the longest table that is open at first.
const longTable = 20

// Long reports whether the table or comparison is folded up.
func (i item) Long() bool { return i.Length() > longTable }

// Length returns the number of rows.
func (i item) Length() int {
	if i.Table != nil {
		return len(i.Table.Rows)
	}
	return len(i.Rows)
}

// wide reports whether the PNG is wider than 500 CSS pixels.
func wide(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	return err == nil && c.Width*96/192 > 500
}

// saved returns links to an artifact's files, relative to the folder from, named "name.png",
// ".svg", ".pdf".
func saved(from, dir string, a figures.Artifact) (links []link) {
	relative, err := filepath.Rel(from, dir)
	if err != nil {
		return nil
	}
	for i, name := range a.Files {
		shown := name
		if i > 0 {
			shown = strings.TrimPrefix(name, a.Name)
		}
		u := url.URL{Path: filepath.ToSlash(filepath.Join(relative, name))}
		links = append(links, link{shown, u.String()})
	}
	return links
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\x00")
