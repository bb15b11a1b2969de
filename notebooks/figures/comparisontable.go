package figures

import (
	"math"
	"strconv"
	"strings"

	"github.com/dplab/dplab/notebooks/papers"
)

// Table returns the comparison as a table to read: numbers with as many digits as their error deserves.
func (c Comparison) Table() Table {
	t := Table{Name: c.Name, Title: c.Title,
		Columns: []string{"quantity", "ours", c.referenceHead(), "difference", "its error", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		finest := math.Min(nonzero(r.AbsErr), nonzero(r.OursErr))
		ours := Format(r.Ours, finest)
		if r.OursErr > 0 {
			ours += " ± " + Format(Round(r.OursErr, 2), 0)
		}
		difference := Format(r.Difference(), finest)
		if r.Difference() > 0 {
			difference = "+" + difference
		}
		row := []string{r.Quantity, ours, withoutZeros(Format(r.Reference, r.AbsErr)), difference, "± " + Format(Round(r.AbsErr, 3), 0), r.Verdict(), r.Source, r.Note}
		if math.IsNaN(r.Reference) {
			row[2], row[3], row[4] = "", "", ""
		}
		if math.IsNaN(r.Ours) {
			row[1], row[3] = "", ""
		}
		t.Rows = append(t.Rows, row)
	}
	if tally := c.Tally(); tally.Of() > 0 {
		t.Notes = []string{tally.String() + "."}
	}
	return t
}

// referenceHead heads the numbers beside ours: "paper" only if the paper prints all of them.
func (c Comparison) referenceHead() string {
	for _, r := range c.Rows {
		if !math.IsNaN(r.Reference) && r.Read != papers.Printed && r.Read != papers.Digitized {
			return "reference"
		}
	}
	return "paper"
}

// Format writes v for a reader. With a finite error err > 0 it has one decimal place more than the error, and
// at most nine significant digits; otherwise it has at most six, without zeros at the end.
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
	size := math.Floor(math.Log10(math.Abs(v)))
	plain := size >= -4 && size < 7
	if !(err > 0) || math.IsInf(err, 0) {
		if plain {
			return Minus(strconv.FormatFloat(Round(v, 6), 'f', -1, 64))
		}
		return shortExponent(strconv.FormatFloat(Round(v, 6), 'e', -1, 64))
	}
	places := 1 - math.Floor(math.Log10(err)) // after the point
	digits := int(math.Min(math.Max(size+places+1, 2), 9))
	if plain {
		return Minus(strconv.FormatFloat(v, 'f', max(digits-1-int(size), 0), 64))
	}
	return shortExponent(strconv.FormatFloat(v, 'e', digits-1, 64))
}

// withoutZeros takes the zeros from the end of a decimal fraction: the paper printed no more digits than that.
func withoutZeros(s string) string {
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// shortExponent writes 1e-06 as 1e-6.
func shortExponent(s string) string {
	mantissa, exponent, _ := strings.Cut(s, "e")
	sign := strings.TrimPrefix(exponent[:1], "+")
	return Minus(mantissa) + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// nonzero returns v, or +Inf for 0.
func nonzero(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	return v
}

// Minus replaces the hyphen of a negative number by a minus sign.
func Minus(s string) string {
	if strings.HasPrefix(s, "-") {
		return "−" + s[1:]
	}
	return s
}
