package table

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data/internal/bounds"
)

// Target is the column or columns to predict: [Classes], [Real] or [Labels]. It becomes the labels
// of the data set. A loss gives the labels their meaning.
type Target interface {
	columns() []string
	validate(f *check.Faults)
	classes() int
	// label returns the label of the fields of the columns. column is the index of the column that an
	// error is about.
	label(fields []string) (label int32, column int, err error)
}

// Classes is a column with the name of one class, label k for the k-th of Values. Use it with
// nn.SoftmaxCrossEntropy, or for two classes with nn.BinaryCrossEntropy. A declared "1" is also
// found as 1.0 or True, and "0" as 0.0 or False, which is how pandas writes them.
type Classes struct {
	Column string   // Required.
	Values []string // the names of all classes, at least two. Required.
}

func (c Classes) columns() []string { return []string{c.Column} }
func (c Classes) classes() int      { return len(c.Values) }

func (c Classes) validate(f *check.Faults) {
	validateWords(f, fmt.Sprintf("Classes %q: Values", c.Column), c.Values, 2)
}

func (c Classes) label(fields []string) (int32, int, error) {
	at := find(c.Values, fields[0])
	if at < 0 {
		return 0, 0, undeclared(fields[0], c.Values, "")
	}
	return int32(at), 0, nil
}

// Real is a column of real numbers. Each is moved into public bounds and to the nearest of Levels
// equally spaced levels. The label is the number of the level. Use it with the loss
// nn.SquaredError(real.Targets()...). The model's one output is in the units of Targets; see
// Unscaled.
type Real struct {
	Column    string  // Required.
	Low, High float64 // public bounds, Low < High. Required.
	Levels    int     // at least 2: a value moves by up to (High-Low)/(2 (Levels-1)). 0 is 1,001.
}

const (
	usualLevels = 1001
	maxLevels   = 1 << 20
)

func (r Real) columns() []string { return []string{r.Column} }

func (r Real) classes() int {
	if r.Levels == 0 {
		return usualLevels
	}
	return r.Levels
}

func (r Real) validate(f *check.Faults) {
	field := fmt.Sprintf("Real %q: ", r.Column)
	validateBounds(f, field, r.Low, r.High)
	f.That(r.classes() >= 2 && r.classes() <= maxLevels, field+"Levels", r.Levels, fmt.Sprintf("must be in [2, %d]", maxLevels))
}

func (r Real) label(fields []string) (int32, int, error) {
	if fields[0] == "" {
		return 0, 0, fmt.Errorf("is empty: must be a number")
	}
	x, err := number(fields[0])
	if err != nil {
		return 0, 0, err
	}
	return int32(math.Round((bounds.Scaled(x, r.Low, r.High) + 1) / 2 * float64(r.classes()-1))), 0, nil
}

// Targets returns the level of each label, from -1 for Low to 1 for High.
func (r Real) Targets() []float64 {
	targets := make([]float64, r.classes())
	for k := range targets {
		targets[k] = 2*float64(k)/float64(len(targets)-1) - 1
	}
	return targets
}

// Unscaled returns an output in the units of the column, for a model that was trained on Targets.
func (r Real) Unscaled(output float64) float64 { return r.Low + (output+1)/2*(r.High-r.Low) }

// Labels are several columns. Each is 1 if a label applies, or 0. Bit k of the data set's label is
// the k-th column. Use them with the loss nn.MultiLabel(len(Columns)).
type Labels struct {
	Columns []string // from 1 to 20. Required.
	Yes, No string   // the words for a label that applies, and for one that does not. "" and "" are 1 and 0.
}

const maxLabels = 20

func (l Labels) columns() []string { return l.Columns }
func (l Labels) classes() int      { return 1 << len(l.Columns) }

// words returns those for no and yes.
func (l Labels) words() []string {
	if l.No == "" && l.Yes == "" {
		return []string{"0", "1"}
	}
	return []string{l.No, l.Yes}
}

func (l Labels) validate(f *check.Faults) {
	n := len(l.Columns)
	f.That(n >= 1 && n <= maxLabels, "Labels.Columns", fmt.Sprintf("has %d names", n), fmt.Sprintf("must have from 1 to %d", maxLabels))
	validateWords(f, "Labels.No and Yes", l.words(), 2)
}

func (l Labels) label(fields []string) (label int32, column int, err error) {
	words := l.words()
	for k, field := range fields {
		at := find(words, field)
		if at < 0 {
			return 0, k, undeclared(field, words, "")
		}
		label |= int32(at) << k
	}
	return label, 0, nil
}
