// Package output writes answers: for people, as JSON for programs, as CSV and as figures.
package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/numeric"
)

// Report writes the price of an event, or its statement if it has one. In JSON it writes both.
func Report(r answer.Report, asJSON bool) ([]byte, error) {
	if asJSON {
		return indented(reportJSON(r))
	}
	if r.Statement != nil {
		return []byte(format.Escaped(r.Statement.Full())), nil
	}
	return reportText(r), nil
}

// reportFields is a price for programs. Unknown values are left out, except the ends of ε.
type reportFields struct {
	Epsilon         accounting.Interval     `json:"epsilon"`
	Delta           float64                 `json:"delta"`
	Neighboring     accounting.Neighboring  `json:"neighboring"`
	Method          string                  `json:"method"`
	Certificate     *accounting.Certificate `json:"certificate,omitempty"`
	DeltaAt         *answer.DeltaAt         `json:"delta_at_epsilon,omitempty"`
	Attack          *answer.Attack          `json:"attack,omitempty"`
	Person          *answer.Person          `json:"person,omitempty"`
	NoiseMultiplier *float64                `json:"noise_multiplier,omitempty"`
	Steps           int                     `json:"steps,omitempty"`
	SamplingRate    float64                 `json:"sampling_rate,omitempty"`
	Mechanism       string                  `json:"mechanism"`
	Setting         *input.Setting          `json:"setting,omitempty"`
	Batches         *input.Batches          `json:"batches,omitempty"`
	Base            *reportFields           `json:"base,omitempty"`
	Bounds          []answer.Bound          `json:"bounds,omitempty"`
	Parts           []answer.Part           `json:"parts,omitempty"`
	Warnings        []string                `json:"warnings,omitempty"`
	Statement       string                  `json:"statement,omitempty"`
	Ledger          *answer.Ledger          `json:"ledger,omitempty"`
}

func reportJSON(r answer.Report) reportFields {
	f := reportFields{
		Epsilon: r.Guarantee.Epsilon, Delta: r.Guarantee.Delta, Neighboring: r.Guarantee.Neighboring, Method: r.Guarantee.Method, Certificate: r.Guarantee.Certificate,
		DeltaAt: r.DeltaAt, Attack: r.Attack, Person: r.Person,
		NoiseMultiplier: r.NoiseMultiplier, Mechanism: r.Mechanism, Setting: r.Setting, Batches: r.Batches, Bounds: r.Bounds, Parts: r.Parts, Warnings: r.AllWarnings(), Ledger: r.Ledger,
	}
	if r.Statement != nil {
		f.Statement = r.Statement.Full()
	}
	if r.Solved != nil {
		f.Steps, f.SamplingRate = r.Solved.Steps, r.Solved.SamplingRate
	}
	if r.Base != nil {
		base := reportJSON(*r.Base)
		f.Base = &base
	}
	return f
}

// indented returns an answer as JSON, in the form of all answers.
func indented(answer any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(answer); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// reportText returns the answer for people.
func reportText(r answer.Report) []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "mechanism\t%s\n", format.Shortened(accounting.RoundParameters(r.Mechanism)))
	writeSetting(w, r.Setting)
	writeSolved(w, r.Solved, r.Setting)
	if r.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", r.Batches.Drawn)
	}
	if r.NoiseMultiplier != nil {
		least := "the least"
		if r.MoreThanLeast {
			least = "enough, perhaps not the least: see the warning"
		}
		fmt.Fprintf(w, "noise multiplier\t%s, %s\n", format.RoundUp(*r.NoiseMultiplier), least)
	}
	fmt.Fprintf(w, "delta\t%g\n", r.Guarantee.Delta)
	fmt.Fprintf(w, "neighboring\t%v\n", r.Guarantee.Neighboring)
	if r.Base != nil {
		fmt.Fprintf(w, "one run\tepsilon %s  (%s)\n", upper(r.Base.Guarantee.Epsilon.Upper, r.Base.Guarantee.Certificate != nil), accounting.RoundParameters(r.Base.Guarantee.Method))
	}
	writeEnds(w, "epsilon", r.Guarantee.Epsilon, r.Guarantee.Certificate != nil, r.Batches)
	writeAt(w, r)
	fmt.Fprintf(w, "method\t%s\n", accounting.RoundParameters(r.Guarantee.Method))
	if !math.IsInf(r.Guarantee.Epsilon.Upper, 1) {
		fmt.Fprintf(w, "checked\t%s\n", accounting.RoundParameters(strings.TrimPrefix(r.Guarantee.Certificate.Summary(), "checked ")))
	}
	for _, warning := range r.AllWarnings() {
		fmt.Fprintf(w, "warning\t%s\n", format.Escaped(warning))
	}
	w.Flush()
	writeMeaning(&out, r.Attack)
	if r.Batches != nil {
		writeNeighbors(&out, w, r.Batches.Neighbors)
	}
	fmt.Fprintf(&out, "\nepsilon by each method, least first (what is checked is above)\n")
	for _, b := range r.Bounds {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", format.RoundUp(float64(b.Epsilon)), b.Name, b.Theorem)
	}
	w.Flush()
	if len(r.Parts) > 0 {
		fmt.Fprintf(&out, "\nepsilon of each entry priced separately\n")
	}
	for _, p := range r.Parts {
		alone := "?"
		if p.Epsilon != nil {
			alone = upper(float64(*p.Epsilon), p.Checked)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", alone, format.Visible(p.Name), format.Shortened(accounting.RoundParameters(p.Mechanism)))
	}
	w.Flush()
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}

// upper writes an upper end with its sign: that of a bound if it was checked or is infinite.
func upper(x float64, checked bool) string { return signed(x, checked, format.Digits) }

func signed(x float64, checked bool, digits int) string {
	return accounting.UpperSign(checked || math.IsInf(x, 1)) + " " + numeric.Significant(x, digits, 1)
}

// unchecked marks an end that is an estimate.
const unchecked = "estimated, not checked"

// writeEnds writes the known ends of ε, or of another number that is at least 0, each as a bound or
// as an estimate. checked is about the upper end. If it prints a lower end, the printed ends differ
// by the printed distance, up to a tenth of it.
//
// The lower end of shuffled batches is what an attack finds. The truth may be anywhere between.
func writeEnds(w io.Writer, name string, e accounting.Interval, checked bool, drawn *input.Batches) {
	known := e.HasLower && !math.IsInf(e.Upper, 1)
	if checked = checked || math.IsInf(e.Upper, 1); !known || format.RoundUp(e.Lower) == format.RoundUp(e.Upper) {
		writeUpper(w, name, e, checked, known)
		return
	}
	places := format.Digits
	for places < format.MostDigits && math.Pow10(1-places)*scale(e.Upper) > e.Width()/20 {
		places++
	}
	note := ""
	if !checked {
		note = "  (" + unchecked + ")"
	}
	fmt.Fprintf(w, "%s\t%s%s\n", name, signed(e.Upper, checked, places), note)
	sign, how := "about", unchecked
	switch {
	case below(e):
		sign, how = ">=", "certified"
	case drawn.IsShuffled():
		how = "by an attack, " + unchecked
	}
	fmt.Fprintf(w, "\t%s %s  (%s, %.2g apart)\n", sign, numeric.Significant(e.Lower, places, -1), how, e.Width())
}

// below reports whether the lower end of a number that is at least 0 is a bound.
func below(e accounting.Interval) bool { return e.LowerChecked || e.Lower == 0 }

// writeUpper writes an upper end, and how far it is above a known lower one.
func writeUpper(w io.Writer, name string, e accounting.Interval, checked, known bool) {
	width, note := numeric.Significant(e.Width(), 1, 1), ""
	switch {
	case !checked:
		note = "  (" + unchecked + ")"
	case known && below(e):
		note = "  (certified to within " + width + " of the exact value)"
	case known:
		note = "  (within about " + width + " of the exact value, which is " + unchecked + ")"
	}
	fmt.Fprintf(w, "%s\t%s%s\n", name, upper(e.Upper, checked), note)
}

// scale returns the power of ten at or below x.
func scale(x float64) float64 { return math.Pow(10, math.Floor(math.Log10(x))) }

func trimLines(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimRight(line, " ")
	}
	return bytes.Join(lines, []byte("\n"))
}

// writeNeighbors writes the prices of shuffled batches.
func writeNeighbors(out io.Writer, w *tabwriter.Writer, list []input.Neighbor) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "\nepsilon by neighboring relation\n")
	for _, n := range list {
		lower := ""
		if n.Lower != nil {
			lower = "from about " + numeric.Significant(float64(*n.Lower), format.Digits, -1)
		}
		fmt.Fprintf(w, "  %s\t%s\t%v\t%s\n", upper(float64(n.Epsilon), n.Checked), lower, n.Neighboring, n.If)
	}
	w.Flush()
}
