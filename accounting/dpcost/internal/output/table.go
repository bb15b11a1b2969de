package output

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/numeric"
)

// Table writes the prices of several settings, which differ in one flag.
func Table(rows []answer.Report, asJSON bool) ([]byte, error) {
	if !asJSON {
		return tableText(rows), nil
	}
	var table struct {
		Rows []reportFields `json:"rows"`
	}
	for _, r := range rows {
		f := reportJSON(r)
		f.NoiseMultiplier = &r.Noise
		table.Rows = append(table.Rows, f)
	}
	return indented(table)
}

// column is a column of a table: an upper end, or another number, of each row.
type column struct {
	name    string
	cell    func(r answer.Report) string
	checked func(r answer.Report) bool // of upper ends
}

// written returns a column with signs: that of a bound at the name if all upper ends were checked,
// and else at each of them.
func (c column) written(rows []answer.Report) column {
	switch {
	case c.checked == nil:
	case !slices.ContainsFunc(rows, func(r answer.Report) bool { return !c.checked(r) }):
		c.name += " " + accounting.UpperSign(true)
	default:
		number := c.cell
		c.cell = func(r answer.Report) string { return accounting.UpperSign(c.checked(r)) + " " + number(r) }
	}
	return c
}

// columns returns the columns that the rows have. Numbers are rounded to the private side.
func columns(first answer.Report) []column {
	upper := func(name string, of func(r answer.Report) (x float64, checked bool)) column {
		return column{name, func(r answer.Report) string { x, _ := of(r); return format.RoundUp(x) }, func(r answer.Report) bool {
			x, checked := of(r)
			return checked || math.IsInf(x, 1)
		}}
	}
	of := func(g accounting.Guarantee) (float64, bool) { return g.Epsilon.Upper, g.Certificate != nil }
	list := []column{{"noise", func(r answer.Report) string { return format.RoundUp(r.Noise) }, nil}}
	if s := first.Solved; s != nil && s.Steps > 0 {
		list = append(list, column{"steps, the most", func(r answer.Report) string { return strconv.Itoa(r.Solved.Steps) }, nil})
	} else if s != nil {
		list = append(list, column{"rate, the largest", func(r answer.Report) string { return numeric.Significant(r.Solved.SamplingRate, format.Digits, -1) }, nil})
	}
	if first.Base != nil {
		list = append(list, upper("epsilon of one run", func(r answer.Report) (float64, bool) { return of(r.Base.Guarantee) }))
	}
	list = append(list, upper("epsilon", func(r answer.Report) (float64, bool) { return of(r.Guarantee) }))
	if d := first.DeltaAt; d != nil {
		list = append(list, upper(fmt.Sprintf("delta at epsilon %g", d.Epsilon), func(r answer.Report) (float64, bool) { return r.DeltaAt.Delta.Upper, r.DeltaAt.Checked() }))
	}
	if p := first.Person; p != nil {
		list = append(list, upper(fmt.Sprintf("epsilon of %g records", p.Records), func(r answer.Report) (float64, bool) {
			return float64(r.Person.Epsilon), r.Person.Certificate != nil
		}))
	}
	if a := first.Attack; a != nil {
		list = append(list, upper(fmt.Sprintf("TPR at FPR %g", a.FPR), func(r answer.Report) (float64, bool) { return r.Attack.TPR.Upper, r.Attack.Checked }),
			upper("mu", func(r answer.Report) (float64, bool) { return r.Attack.Mu.Upper, r.Attack.MuChecked }))
	}
	return list
}

// tableText returns the table for people: what the rows share, one row a setting, and the warnings.
func tableText(rows []answer.Report) []byte {
	var out bytes.Buffer
	first := rows[0]
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "first row\t%s\n", format.Shortened(accounting.RoundParameters(first.Mechanism)))
	writeSetting(w, first.Setting)
	if first.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", first.Batches.Drawn)
	}
	fmt.Fprintf(w, "delta\t%g\n", first.Guarantee.Delta)
	fmt.Fprintf(w, "neighboring\t%v\n", first.Guarantee.Neighboring)
	for _, line := range tableWarnings(rows) {
		fmt.Fprintf(w, "warning\t%s\n", format.Escaped(line))
	}
	w.Flush()
	fmt.Fprintln(&out)
	list := columns(first)
	names := make([]string, len(list))
	for i, c := range list {
		list[i] = c.written(rows)
		names[i] = list[i].name
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	for _, r := range rows {
		cells := make([]string, len(list))
		for i, c := range list {
			cells[i] = c.cell(r)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
	writeMeaning(&out, first.Attack)
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}

// tableWarnings returns the warnings, each once. One that not all rows have names the noise of its
// row.
func tableWarnings(rows []answer.Report) (lines []string) {
	for _, r := range rows {
		for _, warning := range r.AllWarnings() {
			if slices.ContainsFunc(rows, func(o answer.Report) bool { return !slices.Contains(o.AllWarnings(), warning) }) {
				warning = fmt.Sprintf("noise %s: %s", format.RoundUp(r.Noise), warning)
			}
			if !slices.Contains(lines, warning) {
				lines = append(lines, warning)
			}
		}
	}
	return lines
}
