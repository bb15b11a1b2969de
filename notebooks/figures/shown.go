package figures

import "github.com/dplab/dplab/accounting/chart"

// WithFigure is what has a figure: the result of a figure's function, a chart.Chart, chart.Panels.
type WithFigure interface{ Figure() chart.Figure }

// WithTable is what has a table: a result, a Table, a Comparison.
type WithTable interface{ Table() Table }

// Table returns the table: it is the table of itself, as results have one.
func (t Table) Table() Table { return t }
