package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	fmt.Fprintf(w, "mechanism\t%s\n", shortened(r.Mechanism))
	if r.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", r.Batches.Drawn)
	}
	if r.NoiseMultiplier != nil {
		fmt.Fprintf(w, "noise multiplier\t%s, the least\n", roundUp(*r.NoiseMultiplier))
	}
	fmt.Fprintf(w, "delta\t%g\n", r.Guarantee.Delta)
	fmt.Fprintf(w, "neighboring\t%v\n", r.Guarantee.Neighboring)
	if r.Base != nil {
		fmt.Fprintf(w, "one run\tepsilon <= %s  (%s)\n", roundUp(r.Base.Guarantee.Epsilon.Upper), r.Base.Guarantee.Method)
	}
	fmt.Fprintf(w, "epsilon\t<= %s\n", roundUp(r.Guarantee.Epsilon.Upper))
	if e := r.Guarantee.Epsilon; e.HasLower && !math.IsInf(e.Upper, 1) {
		fmt.Fprintf(w, "\t>= %s  (certified, %.1g apart)\n", roundDown(e.Lower), e.Width())
	}
	fmt.Fprintf(w, "method\t%s\n", r.Guarantee.Method)
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
		fmt.Fprintf(w, "  %s\t%s\t%s\n", alone, visible(p.Name), shortened(p.Mechanism))
	}
	w.Flush()
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}

func trimLines(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimRight(line, " ")
	}
	return bytes.Join(lines, []byte("\n"))
}

// digits is how many significant digits are printed.
const digits = 6

// roundUp writes x with six digits, never below x.
func roundUp(x float64) string { return rounded(x, 1) }

// roundDown writes x with six digits, never above x.
func roundDown(x float64) string { return rounded(x, -1) }

func rounded(x, direction float64) string {
	if math.IsInf(x, 1) {
		return "+Inf"
	}
	text := strconv.FormatFloat(x, 'g', digits, 64)
	printed, err := strconv.ParseFloat(text, 64)
	if err != nil || (printed-x)*direction >= 0 {
		return text
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-digits+1)
	return strconv.FormatFloat(printed+direction*unit, 'g', digits, 64)
}
