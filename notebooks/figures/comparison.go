package figures

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/papers"
)

// Comparison sets our numbers next to published or recomputed ones. It may have the name of the
// figure that it belongs to: its files are called FileName.
type Comparison struct {
	Name  string          `json:"name"`
	Title string          `json:"title"`
	Rows  []ComparisonRow `json:"rows"`
}

// FileName returns the name with "-comparison" at its end, apart from the figure's of the same
// name.
func (c Comparison) FileName() string {
	return strings.TrimSuffix(c.Name, "-comparison") + "-comparison"
}

// ComparisonRow is one quantity, ours and a reference.
type ComparisonRow struct {
	Quantity  string // what is compared, with its parameters and unit
	Ours      float64
	OursErr   float64     // half-width of our own error (simulation, training); 0 for a closed form
	Reference float64     // the number to compare with; NaN if there is none
	AbsErr    float64     // how well the reference is known, absolute: half a printed digit, or the pen's width
	Read      papers.Read // printed in a paper, claimed in words, or recomputed by another program
	Source    string      // paper with version, and where in it
	Note      string      // why a difference is there, if one is

	// OurChoice marks a row with a setting or a tolerance that we chose, because the paper prints
	// none, or two. A difference then does not show that the paper is wrong.
	OurChoice bool
}

// Against returns the row that compares ours with v. It has v's quantity, source and error.
func Against(v papers.Value, ours float64) ComparisonRow {
	return ComparisonRow{Quantity: v.Quantity, Ours: ours, Reference: v.Number,
		AbsErr: v.Source.AbsErr, Read: v.Source.Read, Source: v.Source.String()}
}

// Of returns the row with words behind its quantity, such as its parameters.
func (r ComparisonRow) Of(words string) ComparisonRow {
	r.Quantity += words
	return r
}

// WithErr returns the row with our own error.
func (r ComparisonRow) WithErr(err float64) ComparisonRow {
	r.OursErr = err
	return r
}

// WithNote returns the row with a note.
func (r ComparisonRow) WithNote(format string, values ...any) ComparisonRow {
	r.Note = fmt.Sprintf(format, values...)
	return r
}

// ByOurChoice returns the row with OurChoice set.
func (r ComparisonRow) ByOurChoice() ComparisonRow {
	r.OurChoice = true
	return r
}

// WithoutReference returns the row without its reference. That is the paper's number for another
// setup than ours: a difference would mean nothing. Why names that setup. With an empty why the row
// stays as it is.
func (r ComparisonRow) WithoutReference(why string) ComparisonRow {
	if why != "" {
		r.Reference, r.AbsErr, r.Note = math.NaN(), 0, why
	}
	return r
}

// OursOnly returns the row without the paper's words, number and source, which are about another
// setup. Why names ours, before the row's note.
func (r ComparisonRow) OursOnly(why string) ComparisonRow {
	r.Reference, r.AbsErr, r.Source, r.Read = math.NaN(), 0, "", 0
	r.Note = why + "; " + r.Note
	return r
}

// The verdicts of a comparison. Only a number that a paper prints, or that was measured in its
// figure, can agree or disagree with the paper.
const (
	Agrees       = "agrees"           // with the paper, within the reading error
	AsTextSays   = "as the text says" // a claim of the paper in words holds; we chose its number
	Confirmed    = "recomputed by us" // equal to what another program made of a printed formula or of published data
	Differs      = "differs"          // from the reference, whatever it is
	Inconclusive = "inconclusive"     // no difference is seen, but our own error is larger than the reference's
	NoReference  = "no reference"
	NoOurs       = "not computed"
)

// Difference returns ours minus the reference. Two equal infinities differ by 0.
func (r ComparisonRow) Difference() float64 {
	if r.Ours == r.Reference {
		return 0
	}
	return r.Ours - r.Reference
}

// Verdict returns Differs if the difference is more than AbsErr + OursErr. Else it returns
// Inconclusive if OursErr is more than AbsErr. Else it returns Agrees, AsTextSays or Confirmed, by
// how the reference was read. It is NoReference or NoOurs if one of the two numbers is NaN. The
// only other allowance is for rounding in the subtraction, 1e-12 of the larger number.
func (r ComparisonRow) Verdict() string {
	switch {
	case math.IsNaN(r.Ours):
		return NoOurs
	case math.IsNaN(r.Reference):
		return NoReference
	}
	difference := math.Abs(r.Difference())
	rounding := 1e-12 * math.Max(math.Abs(r.Ours), math.Abs(r.Reference))
	switch {
	case math.IsInf(difference, 0), !math.IsInf(rounding, 0) && difference > r.AbsErr+r.OursErr+rounding:
		return Differs
	case r.OursErr > r.AbsErr:
		return Inconclusive
	case r.Read == papers.Stated:
		return AsTextSays
	case r.Read == papers.Recomputed:
		return Confirmed
	}
	return Agrees
}

// Holds reports whether the verdict is one of agreement.
func (r ComparisonRow) Holds() bool {
	v := r.Verdict()
	return v == Agrees || v == AsTextSays || v == Confirmed
}

// Refutes reports whether the row shows that its reference is wrong: it differs, and not by our
// choice of a setting.
func (r ComparisonRow) Refutes() bool { return r.Verdict() == Differs && !r.OurChoice }

// Validate reports a bad name, an unnamed quantity, a missing source and a bad error.
func (c Comparison) Validate() error {
	errs := []error{chart.CheckName("comparison", c.Name)}
	for i, r := range c.Rows {
		if r.Quantity == "" {
			errs = append(errs, fmt.Errorf("comparison %s: row %d: quantity must not be empty", c.Name, i+1))
		}
		if r.Source == "" && !math.IsNaN(r.Reference) {
			errs = append(errs, fmt.Errorf("comparison %s: row %q: a reference must have a source", c.Name, r.Quantity))
		}
		if !r.Read.Valid() && !math.IsNaN(r.Reference) {
			errs = append(errs, fmt.Errorf("comparison %s: row %q: read %v: must be how the reference was read", c.Name, r.Quantity, r.Read))
		}
		for _, e := range []float64{r.AbsErr, r.OursErr} {
			if !(e >= 0) || math.IsInf(e, 0) {
				errs = append(errs, fmt.Errorf("comparison %s: row %q: error %g: must be finite and >= 0", c.Name, r.Quantity, e))
			}
		}
	}
	return errors.Join(errs...)
}

// rowJSON is the JSON form of a ComparisonRow. Difference and Verdict are for readers; they are
// computed anew when the row is read back.
type rowJSON struct {
	Quantity   string       `json:"quantity"`
	Ours       chart.Number `json:"ours"`
	OursErr    chart.Number `json:"oursErr,omitempty"`
	Reference  chart.Number `json:"reference"`
	AbsErr     chart.Number `json:"absErr"`
	Read       string       `json:"read,omitempty"`
	Difference chart.Number `json:"difference"`
	Verdict    string       `json:"verdict"`
	Source     string       `json:"source"`
	Note       string       `json:"note,omitempty"`
	OurChoice  bool         `json:"ourChoice,omitempty"`
}

// MarshalJSON writes the row with its difference, to nine digits, and verdict.
func (r ComparisonRow) MarshalJSON() ([]byte, error) {
	read := ""
	if r.Read != 0 {
		read = r.Read.String()
	}
	return json.Marshal(rowJSON{r.Quantity, chart.Number(r.Ours), chart.Number(r.OursErr), chart.Number(r.Reference), chart.Number(r.AbsErr),
		read, chart.Number(chart.Round(r.Difference(), 9)), r.Verdict(), r.Source, r.Note, r.OurChoice})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *ComparisonRow) UnmarshalJSON(data []byte) error {
	var j rowJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	var read papers.Read
	if j.Read != "" {
		var err error
		if read, err = papers.ParseRead(j.Read); err != nil {
			return err
		}
	}
	*r = ComparisonRow{j.Quantity, float64(j.Ours), float64(j.OursErr), float64(j.Reference), float64(j.AbsErr), read, j.Source, j.Note, j.OurChoice}
	return nil
}

// WriteCSV writes one line for each row, under the header quantity, ours, ours_error, reference,
// reference_error, read, difference, verdict, source, note. Numbers have all their digits.
func (c Comparison) WriteCSV(w io.Writer) error {
	rows := [][]string{{"quantity", "ours", "ours_error", "reference", "reference_error", "read", "difference", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		read := ""
		if r.Read != 0 {
			read = r.Read.String()
		}
		rows = append(rows, []string{r.Quantity, chart.Exact(r.Ours), chart.Exact(r.OursErr), chart.Exact(r.Reference),
			chart.Exact(r.AbsErr), read, chart.Exact(r.Difference()), r.Verdict(), r.Source, r.Note})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Rounded returns the comparison with our numbers at the given number of significant digits, and at
// as many more as a row's verdict needs.
func (c Comparison) Rounded(digits int) Comparison {
	rows := make([]ComparisonRow, len(c.Rows))
	for i, r := range c.Rows {
		rows[i] = r
		for d := digits; d <= 17; d++ {
			short := r
			short.Ours, short.OursErr = chart.Round(r.Ours, d), chart.Round(r.OursErr, d)
			if short.Verdict() == r.Verdict() {
				rows[i] = short
				break
			}
		}
	}
	c.Rows = rows
	return c
}

// Table returns the comparison as a table to read: numbers with as many digits as their error
// deserves.
func (c Comparison) Table() Table {
	t := Table{Name: c.Name, Title: c.Title,
		Columns: []string{"quantity", "ours", c.referenceHead(), "difference", "its error", "verdict", "source", "note"}}
	for _, r := range c.Rows {
		finest := math.Min(nonzero(r.AbsErr), nonzero(r.OursErr))
		ours := chart.Format(r.Ours, finest)
		if r.OursErr > 0 {
			ours += " ± " + chart.Format(chart.Round(r.OursErr, 2), 0)
		}
		difference := chart.Format(r.Difference(), finest)
		if r.Difference() > 0 {
			difference = "+" + difference
		}
		row := []string{r.Quantity, ours, withoutZeros(chart.Format(r.Reference, r.AbsErr)), difference, "± " + chart.Format(chart.Round(r.AbsErr, 3), 0), r.Verdict(), r.Source, r.Note}
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

// referenceHead is the head of the column of references: "paper" only if the paper prints all of
// them.
func (c Comparison) referenceHead() string {
	for _, r := range c.Rows {
		if !math.IsNaN(r.Reference) && r.Read != papers.Printed && r.Read != papers.Digitized {
			return "reference"
		}
	}
	return "paper"
}

// withoutZeros takes the zeros from the end of a decimal fraction: the paper printed no more digits
// than that.
func withoutZeros(s string) string {
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// nonzero returns v, or +Inf for 0.
func nonzero(v float64) float64 {
	if v == 0 {
		return math.Inf(1)
	}
	return v
}
