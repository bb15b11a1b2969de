package figures

import (
	"errors"
	"fmt"
)

// Table is rows of text under named columns.
type Table struct {
	Name    string     `json:"name"`
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"`
}

// Validate reports a bad name, a table without columns, and rows that are not as long as the columns.
func (t Table) Validate() error {
	errs := []error{validateName("table", t.Name)}
	if len(t.Columns) == 0 {
		errs = append(errs, fmt.Errorf("figures: table %s: must have a column", t.Name))
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			errs = append(errs, fmt.Errorf("figures: table %s: row %d has %d cells: must be %d", t.Name, i+1, len(row), len(t.Columns)))
		}
	}
	return errors.Join(errs...)
}
