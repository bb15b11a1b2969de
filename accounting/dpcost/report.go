package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
)

// report is an answer.
type report struct {
	Guarantee       accounting.Guarantee
	NoiseMultiplier *float64
	MoreThanLeast   bool // a little less noise than NoiseMultiplier may be enough: a warning says why
	Mechanism       string
	Batches         *batches // nil if nothing is sampled
	Base            *report
	Bounds          []bound // least first
	Parts           []part  // entries of a plan by themselves
	Warnings        []string
}

// bound is one upper bound.
type bound struct {
	Name    string            `json:"name"`
	Epsilon accounting.Number `json:"epsilon"`
	Method  string            `json:"method,omitempty"`
	Theorem string            `json:"theorem,omitempty"`
}

// MarshalJSON writes the answer; what is not known is left out, save the ends of ε.
func (r report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Epsilon         accounting.Interval    `json:"epsilon"`
		Delta           float64                `json:"delta"`
		Neighboring     accounting.Neighboring `json:"neighboring"`
		Method          string                 `json:"method"`
		NoiseMultiplier *float64               `json:"noise_multiplier,omitempty"`
		Mechanism       string                 `json:"mechanism"`
		Batches         *batches               `json:"batches,omitempty"`
		Base            *report                `json:"base,omitempty"`
		Bounds          []bound                `json:"bounds,omitempty"`
		Parts           []part                 `json:"parts,omitempty"`
		Warnings        []string               `json:"warnings,omitempty"`
	}{
		r.Guarantee.Epsilon, r.Guarantee.Delta, r.Guarantee.Neighboring, r.Guarantee.Method,
		r.NoiseMultiplier, r.Mechanism, r.Batches, r.Base, r.Bounds, r.Parts, r.warnings(),
	})
}

func (r report) warnings() []string {
	all := r.Warnings
	for _, w := range r.Guarantee.Warnings {
		all = append(all, w.Error())
	}
	return all
}

func (r report) json() ([]byte, error) { return indented(r) }

// indented is the form of every answer in JSON.
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

// text is the answer for people.
func (r report) text() []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "mechanism\t%s\n", shortened(accounting.RoundParameters(r.Mechanism)))
	if r.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", r.Batches.Drawn)
	}
	if r.NoiseMultiplier != nil {
		least := "the least"
		if r.MoreThanLeast {
			least = "enough, perhaps not the least: see the warning"
		}
		fmt.Fprintf(w, "noise multiplier\t%s, %s\n", roundUp(*r.NoiseMultiplier), least)
	}
	fmt.Fprintf(w, "delta\t%g\n", r.Guarantee.Delta)
	fmt.Fprintf(w, "neighboring\t%v\n", r.Guarantee.Neighboring)
	if r.Base != nil {
		fmt.Fprintf(w, "one run\tepsilon <= %s  (%s)\n", roundUp(r.Base.Guarantee.Epsilon.Upper), accounting.RoundParameters(r.Base.Guarantee.Method))
	}
	writeEnds(w, r.Guarantee.Epsilon)
	fmt.Fprintf(w, "method\t%s\n", accounting.RoundParameters(r.Guarantee.Method))
	for _, warning := range r.warnings() {
		fmt.Fprintf(w, "warning\t%s\n", escaped(warning))
	}
	w.Flush()
	if r.Batches != nil {
		r.Batches.writeNeighbors(&out, w)
	}
	fmt.Fprintf(&out, "\nbounds that apply, least first\n")
	for _, b := range r.Bounds {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", roundUp(float64(b.Epsilon)), b.Name, b.Theorem)
	}
	w.Flush()
	if len(r.Parts) > 0 {
		fmt.Fprintf(&out, "\nentries by themselves\n")
	}
	for _, p := range r.Parts {
		alone := "?"
		if p.Epsilon != nil {
			alone = roundUp(float64(*p.Epsilon))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", alone, visible(p.Name), shortened(accounting.RoundParameters(p.Mechanism)))
	}
	w.Flush()
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}

// writeEnds writes what is known of ε. Where a lower end is printed, the two printed numbers are as
// far apart as is said beside them, to a tenth of it.
func writeEnds(w io.Writer, e accounting.Interval) {
	upper := roundUp(e.Upper)
	known := e.HasLower && !math.IsInf(e.Upper, 1)
	if !known || roundUp(e.Lower) == upper {
		certified := ""
		if known {
			certified = "  (certified: the exact one is known to " + rounded(e.Width(), 1, 1) + ")"
		}
		fmt.Fprintf(w, "epsilon\t<= %s%s\n", upper, certified)
		return
	}
	places := digits
	for places < mostDigits && math.Pow10(1-places)*scale(e.Upper) > e.Width()/20 {
		places++
	}
	fmt.Fprintf(w, "epsilon\t<= %s\n", rounded(e.Upper, places, 1))
	fmt.Fprintf(w, "\t>= %s  (certified, %.2g apart)\n", rounded(e.Lower, places, -1), e.Width())
}

// scale is the power of ten at or below x.
func scale(x float64) float64 { return math.Pow(10, math.Floor(math.Log10(x))) }

func trimLines(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimRight(line, " ")
	}
	return bytes.Join(lines, []byte("\n"))
}

// digits is how many significant digits are printed, and mostDigits how many a float64 has.
const digits, mostDigits = 6, 17

// roundUp writes x with six digits, never below x.
func roundUp(x float64) string { return rounded(x, digits, 1) }

// rounded writes x with some significant digits, never below x in direction 1 and never above in
// -1.
func rounded(x float64, digits int, direction float64) string {
	if math.IsInf(x, 1) {
		return "+Inf"
	}
	text := strconv.FormatFloat(x, 'g', digits, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err != nil || (printed-x)*direction >= 0 {
		return text
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits)+1)
	return strconv.FormatFloat(printed+direction*unit, 'g', digits, 64)
}
