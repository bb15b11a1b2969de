package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Table returns the comparison as a table to read: numbers with as many digits as their error deserves.
func (c Comparison) Table() Table {
	t := Table{Name: c.Name, Title: c.Title,
		Columns: []string{"quantity", "ours", "paper", "difference", "reading error", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		ours := Format(r.Ours, r.AbsErr)
		if r.OursErr > 0 {
			ours = Format(r.Ours, math.Min(r.OursErr, nonzero(r.AbsErr))) + " ± " + Format(r.OursErr, 0)
		}
		difference := Format(r.Difference(), r.AbsErr)
		if r.Difference() > 0 {
			difference = "+" + strings.TrimPrefix(difference, "+")
		}
		row := []string{r.Quantity, ours, Format(r.Paper, r.AbsErr), difference, "± " + Format(r.AbsErr, 0), r.Verdict(), r.Source, r.Note}
		if math.IsNaN(r.Paper) {
			row[2], row[3], row[4] = "", "", ""
		}
		t.Rows = append(t.Rows, row)
	}
	if agree, differ := c.Count(); agree+differ > 0 {
		t.Notes = []string{fmt.Sprintf("%d of %d agree within the reading error.", agree, agree+differ)}
	}
	return t
}

// Format writes v for a reader: two digits beyond the error err, at least three and at most seven significant
// digits, or four where err is zero.
func Format(v, err float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == 0:
		return "0"
	}
	digits := 4
	if err > 0 {
		places := math.Floor(math.Log10(math.Abs(v))) - math.Floor(math.Log10(err))
		digits = int(math.Min(math.Max(places+2, 3), 7))
	}
	if a := math.Abs(v); a >= 1e-4 && a < 1e7 {
		places := digits - 1 - int(math.Floor(math.Log10(a)))
		return strings.Replace(strconv.FormatFloat(v, 'f', max(places, 0), 64), "-", "−", 1)
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', digits, 64), "-", "−", 1)
}

// nonzero returns v, or +Inf for 0.
func nonzero(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	return v
}
