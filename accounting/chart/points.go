package chart

import (
	"encoding/csv"
	"io"
	"slices"
)

// WriteCSV writes the chart's points, one a line, under the header panel, curve, x, y, low, high.
// The panel is the chart's title. Low and high are empty if a curve has no band. If a curve has z,
// there is a column for it. If a curve is on the right axis, the last column, axis, has "left" or
// "right". Numbers have all their digits.
func (c Chart) WriteCSV(w io.Writer) error { return writePoints(w, []Chart{c}) }

// WriteCSV writes the points of all charts, as a chart's WriteCSV does.
func (p Panels) WriteCSV(w io.Writer) error { return writePoints(w, p.Charts) }

func writePoints(w io.Writer, charts []Chart) error {
	rows := [][]string{{"panel", "curve", "x", "y", "low", "high"}}
	cells := slices.ContainsFunc(charts, Chart.hasCells)
	if cells {
		rows[0] = append(rows[0], "z")
	}
	rights := slices.ContainsFunc(charts, func(c Chart) bool {
		return slices.ContainsFunc(c.Curves, func(k Curve) bool { return k.Right })
	})
	if rights {
		rows[0] = append(rows[0], "axis")
	}
	for _, c := range charts {
		for _, k := range c.Curves {
			for i := range k.X {
				row := []string{c.Title, k.Label, Exact(k.X[i]), Exact(k.Y[i]), "", ""}
				if len(k.Low) > 0 {
					row[4], row[5] = Exact(k.Low[i]), Exact(k.High[i])
				}
				switch {
				case len(k.Z) > 0:
					row = append(row, Exact(k.Z[i]))
				case cells:
					row = append(row, "")
				}
				if rights {
					row = append(row, map[bool]string{false: "left", true: "right"}[k.Right])
				}
				rows = append(rows, row)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Rounded returns the chart with its points rounded to the given number of significant digits. It
// is equal on two machines that differ in the last bits.
func (c Chart) Rounded(digits int) Chart {
	curves := make([]Curve, len(c.Curves))
	for i, k := range c.Curves {
		k.X, k.Y, k.Low, k.High = k.X.rounded(digits), k.Y.rounded(digits), k.Low.rounded(digits), k.High.rounded(digits)
		k.Z = k.Z.rounded(digits)
		curves[i] = k
	}
	c.Curves = curves
	return c
}

// Rounded returns the panels with their points rounded to the given number of significant digits.
func (p Panels) Rounded(digits int) Panels {
	charts := make([]Chart, len(p.Charts))
	for i, c := range p.Charts {
		charts[i] = c.Rounded(digits)
	}
	p.Charts = charts
	return p
}

func (s Series) rounded(digits int) Series {
	if s == nil {
		return nil
	}
	out := make(Series, len(s))
	for i, v := range s {
		out[i] = Round(v, digits)
	}
	return out
}
