package show

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Table shows tables and comparisons, in order. Each may be a figures.Table, a figures.Comparison, or a result
// with a method Table or Comparison.
func Table(results ...any) {
	for _, r := range results {
		Check(table(r))
	}
}

func table(r any) error {
	switch r := r.(type) {
	case figures.Table:
		if err := r.Validate(); err != nil {
			return err
		}
		return present(r, r, r, figures.Artifact{Name: r.Name, Kind: figures.KindTable, Title: r.Title})
	case figures.Comparison:
		if err := r.Validate(); err != nil {
			return err
		}
		a := figures.Artifact{Name: r.FileName(), Kind: figures.KindComparison, Title: r.Title}
		tally := r.Tally()
		a.Tally = &tally
		return present(r.Table().WithoutEmptyColumns(), r, r.Rounded(Digits), a)
	case interface{ Comparison() figures.Comparison }:
		return table(r.Comparison())
	case interface{ Table() figures.Table }:
		return table(r.Table())
	}
	return fmt.Errorf("show: table of %T: must be a figures.Table or Comparison, or have a method Table or Comparison", r)
}

// present shows a table, saves full, and sends the numbers of short.
func present(t figures.Table, full, short any, a figures.Artifact) error {
	files := map[string][]byte{}
	if folder() != "" {
		if err := data(a.Name, full, files); err != nil {
			return err
		}
		if err := save(a, files, tableSuffixes...); err != nil {
			return err
		}
	}
	if !gonbui.IsNotebook {
		fmt.Print(plainTable(t))
		return nil
	}
	text, err := json.Marshal(short)
	if err != nil {
		return fmt.Errorf("show: table %s: %w", a.Name, err)
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextHTML:  htmlTable(t),
		protocol.MIMETextPlain: fmt.Sprintf("[table %s: %s]", a.Name, t.Title),
		figures.TableMIME:      string(text),
	}})
	return nil
}

// plainTable writes the table with its columns lined up.
func plainTable(t figures.Table) string {
	var out strings.Builder
	if t.Title != "" {
		out.WriteString(t.Title + "\n")
	}
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(cell), " ")
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	w.Flush() // into a strings.Builder: it cannot fail
	for _, note := range t.Notes {
		out.WriteString(note + "\n")
	}
	return out.String()
}
