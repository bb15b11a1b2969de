// Package check compares the outputs of an executed notebook with the committed ones.
//
// Text is compared word by word, and numbers in it within a relative tolerance. A figure or table
// that carries its numbers (a MIME type application/vnd.dplab...+json) is compared by them. An
// image must only be present, because its pixels depend on fonts and compression. Spaces, and the
// division of a stream into pieces, are ignored.
//
// Tags of a cell change this: "nondeterministic" compares the kinds of its outputs,
// "raises-exception" compares whether it fails, and "tolerance:0.02" sets its relative tolerance.
//
// It promises nothing to other modules.
package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// The tags that change how a cell is compared.
const (
	Nondeterministic = "nondeterministic"
	RaisesException  = "raises-exception"
	SkipCI           = "skip-ci"
	tolerancePrefix  = "tolerance:"
)

// Mismatch is the first difference in one cell.
type Mismatch struct {
	Cell     int    // number of the code cell, from 1
	Where    string // output, and the place in it
	Expected string // as committed
	Found    string
}

// String describes the mismatch in one line.
func (m Mismatch) String() string {
	return fmt.Sprintf("cell [%d], %s: expected %s, found %s", m.Cell, m.Where, m.Expected, m.Found)
}

// Outputs compares the outputs of code cell number i of a notebook, by the rules of the cell's
// tags. If kindsOnly, it compares all cells by the kinds of their outputs. The tolerance is that of
// the cell, but at least least.
func Outputs(i int, cell *nbformat.Cell, committed, found []nbformat.Output, kindsOnly bool, least float64) *Mismatch {
	d := compare(cell, committed, found, kindsOnly, least)
	if d == nil {
		return nil
	}
	return &Mismatch{Cell: i, Where: d.where, Expected: d.expected, Found: d.found}
}

func compare(cell *nbformat.Cell, committed, found []nbformat.Output, kindsOnly bool, least float64) *difference {
	if cell.HasTag(RaisesException) {
		return compareErrors(committed, found)
	}
	if kindsOnly || cell.HasTag(Nondeterministic) {
		return compareKinds(committed, found)
	}
	tolerance, err := CellTolerance(cell)
	if err != nil {
		return &difference{"tags", "a tag tolerance:0.02", err.Error()}
	}
	tolerance = max(tolerance, least)
	for _, name := range []string{"stdout", "stderr"} {
		if d := compareText(streamText(committed, name), streamText(found, name), tolerance); d != nil {
			return d.at(name)
		}
	}
	a, b := shown(committed), shown(found)
	for j := range min(len(a), len(b)) {
		if d := compareShown(a[j], b[j], tolerance); d != nil {
			return d.at(fmt.Sprintf("output %d", j+1))
		}
	}
	return compareCounts(a, b)
}

// CellTolerance returns the relative tolerance of a cell.
func CellTolerance(cell *nbformat.Cell) (float64, error) {
	for _, tag := range cell.Tags() {
		if text, ok := strings.CutPrefix(tag, tolerancePrefix); ok {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v > 0 && v < 1) {
				return 0, fmt.Errorf("check: tag %q: the tolerance must be in (0, 1)", tag)
			}
			return v, nil
		}
	}
	return Tolerance, nil
}

// streamText joins the text of one stream. The place of a display between two chunks of it depends
// on timing.
func streamText(outputs []nbformat.Output, name string) string {
	var all strings.Builder
	for _, o := range outputs {
		if o.Type == nbformat.Stream && o.Name == name {
			all.WriteString(o.Text)
		}
	}
	return all.String()
}

// shown returns the outputs that are not streams.
func shown(outputs []nbformat.Output) []nbformat.Output {
	return slices.DeleteFunc(slices.Clone(outputs), func(o nbformat.Output) bool { return o.Type == nbformat.Stream })
}

func compareCounts(a, b []nbformat.Output) *difference {
	if len(a) == len(b) {
		return nil
	}
	count := func(n int) string { return fmt.Sprintf("%d figures, tables or errors", n) }
	return &difference{"outputs", count(len(a)), count(len(b))}
}

func compareShown(a, b nbformat.Output, tolerance float64) *difference {
	if d := compareKind(a, b); d != nil {
		return d
	}
	if a.Type == nbformat.ErrorOutput {
		return compareText(a.ErrorName+" "+a.ErrorValue, b.ErrorName+" "+b.ErrorValue, tolerance)
	}
	for _, mime := range slices.Sorted(maps.Keys(a.Data)) {
		switch {
		case nbformat.IsJSON(mime):
			if d := compareJSON(a.Data[mime], b.Data[mime], tolerance); d != nil {
				return d.at(mime)
			}
		case strings.HasPrefix(mime, "text/"):
			x, _ := a.DataText(mime)
			y, _ := b.DataText(mime)
			if d := compareText(x, y, tolerance); d != nil {
				return d.at(mime)
			}
		}
	}
	return nil
}

// kind describes an output without its content.
func kind(o nbformat.Output) string {
	if o.Type == nbformat.DisplayData || o.Type == nbformat.ExecuteResult {
		return strings.Join(slices.Sorted(maps.Keys(o.Data)), " + ")
	}
	return o.Type
}

func compareKind(a, b nbformat.Output) *difference {
	if x, y := kind(a), kind(b); x != y {
		return &difference{"kind", x, y}
	}
	return nil
}

func compareKinds(committed, found []nbformat.Output) *difference {
	a, b := shown(committed), shown(found)
	for j := range min(len(a), len(b)) {
		if d := compareKind(a[j], b[j]); d != nil {
			return d.at(fmt.Sprintf("output %d", j+1))
		}
	}
	if d := compareCounts(a, b); d != nil {
		return d
	}
	return compareStreams(committed, found)
}

// compareStreams compares only whether there is text.
func compareStreams(committed, found []nbformat.Output) *difference {
	for _, name := range []string{"stdout", "stderr"} {
		some := map[bool]string{true: "some text", false: "no text"}
		x, y := streamText(committed, name) != "", streamText(found, name) != ""
		if x != y {
			return &difference{name, some[x], some[y]}
		}
	}
	return nil
}

func compareErrors(committed, found []nbformat.Output) *difference {
	fails := func(outputs []nbformat.Output) string {
		if slices.ContainsFunc(outputs, func(o nbformat.Output) bool { return o.Type == nbformat.ErrorOutput }) {
			return "an error"
		}
		return "no error"
	}
	if x, y := fails(committed), fails(found); x != y {
		return &difference{"outputs", x, y}
	}
	return nil
}
