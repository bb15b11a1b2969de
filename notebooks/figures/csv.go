package figures

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes the chart's points, one a line, under the header panel, curve, x, y, low, high. The panel
// is the chart's title; low and high are empty where a curve has no band. Numbers have all their digits.
func (c Chart) WriteCSV(w io.Writer) error { return writePoints(w, []Chart{c}) }

// WriteCSV writes the points of all charts, as a chart's WriteCSV does.
func (p Panels) WriteCSV(w io.Writer) error { return writePoints(w, p.Charts) }

func writePoints(w io.Writer, charts []Chart) error {
	rows := [][]string{{"panel", "curve", "x", "y", "low", "high"}}
	for _, c := range charts {
		for _, k := range c.Curves {
			for i := range k.X {
				row := []string{c.Title, k.Label, formatNumber(k.X[i]), formatNumber(k.Y[i]), "", ""}
				if len(k.Low) > 0 {
					row[4], row[5] = formatNumber(k.Low[i]), formatNumber(k.High[i])
				}
				rows = append(rows, row)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteCSV writes the columns' names, then the rows.
func (t Table) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{t.Columns}, t.Rows...))
}

// WriteCSV writes one line for each row, under the header quantity, ours, ours_error, reference, reference_error, read,
// difference, verdict, source, note. Numbers have all their digits.
func (c Comparison) WriteCSV(w io.Writer) error {
	rows := [][]string{{"quantity", "ours", "ours_error", "reference", "reference_error", "read", "difference", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		read := ""
		if r.Read != 0 {
			read = r.Read.String()
		}
		rows = append(rows, []string{r.Quantity, formatNumber(r.Ours), formatNumber(r.OursErr), formatNumber(r.Reference),
			formatNumber(r.AbsErr), read, formatNumber(r.Difference()), r.Verdict(), r.Source, r.Note})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
