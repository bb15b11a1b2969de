package figures

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
)

// Table is rows of text under named columns.
type Table struct {
	Name    string     `json:"name"`
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"`
}

// Validate reports a bad name, a table without columns, and rows that are not as long as the
// columns.
func (t Table) Validate() error {
	errs := []error{chart.CheckName("table", t.Name)}
	if len(t.Columns) == 0 {
		errs = append(errs, fmt.Errorf("table %s: must have a column", t.Name))
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			errs = append(errs, fmt.Errorf("table %s: row %d has %d cells: must be %d", t.Name, i+1, len(row), len(t.Columns)))
		}
	}
	return errors.Join(errs...)
}

// WithoutEmptyColumns returns the table without the columns that are empty in every row.
func (t Table) WithoutEmptyColumns() Table {
	out := Table{Name: t.Name, Title: t.Title, Notes: t.Notes, Rows: make([][]string, len(t.Rows))}
	for i, column := range t.Columns {
		used := len(t.Rows) == 0
		for _, row := range t.Rows {
			used = used || row[i] != ""
		}
		if !used {
			continue
		}
		out.Columns = append(out.Columns, column)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// WriteCSV writes the columns' names, then the rows.
func (t Table) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{t.Columns}, t.Rows...))
}

// WithFigure is what has a figure: the result of a figure's function, a chart.Chart, chart.Panels.
type WithFigure interface{ Figure() chart.Figure }

// WithTable is what has a table: a result, a Table, a Comparison.
type WithTable interface{ Table() Table }

// WithAnswers is a result with the prices of its points. Package show saves those that have a
// proof next to the figure or the table, as NAME.answers.jsonl for dpcost verify.
type WithAnswers interface{ Answers() []accounting.Guarantee }

// Table returns the table: it is the table of itself, as results have one.
func (t Table) Table() Table { return t }
