package show

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/notebooks/figures"
)

// Table shows the tables of results, in order. For a figures.Comparison it leaves out empty columns
// and counts the verdicts.
func Table(results ...figures.WithTable) {
	for _, r := range results {
		Check(table(r))
	}
}

func table(r figures.WithTable) error {
	if r, ok := r.(figures.Comparison); ok {
		if err := r.Validate(); err != nil {
			return err
		}
		a := figures.Artifact{Name: r.FileName(), Kind: figures.KindComparison, Title: r.Title}
		tally := r.Tally()
		a.Tally = &tally
		return present(r.Table().WithoutEmptyColumns(), r, r.Rounded(Digits), a, nil)
	}
	t := r.Table()
	if err := t.Validate(); err != nil {
		return err
	}
	return present(t, t, t, figures.Artifact{Name: t.Name, Kind: figures.KindTable, Title: t.Title}, answersOf(r))
}

// present shows a table, saves full, and sends the numbers of short.
func present(t figures.Table, full, short any, a figures.Artifact, answers []byte) error {
	files := map[string][]byte{a.Name + answersSuffix: answers}
	if folder() != "" {
		if err := pointFiles(a.Name, full, files); err != nil {
			return err
		}
		if err := save(a, files, withAnswers(tableSuffixes, answers)...); err != nil {
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

// plainTable writes the table with aligned columns.
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
