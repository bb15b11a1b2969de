// Package flags reads the flags of a command line, with whether each was given and the rule that it
// must obey. Errors name the flag, its value and the rule.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"

	"github.com/dplab/dplab/accounting/check"
)

// Number is the value of a flag, and whether it was given.
type Number struct {
	Value float64
	Given bool
}

// Set accepts a finite number that a float64 can hold.
func (n *Number) Set(text string) error {
	if n.Given {
		return errors.New("given twice")
	}
	v, err := check.Decimal(text)
	if err != nil {
		return err
	}
	n.Value, n.Given = v, true
	return nil
}

// String returns the value.
func (n *Number) String() string { return strconv.FormatFloat(n.Value, 'g', -1, 64) }

// Word is the text of a flag, and whether it was given.
type Word struct {
	Text  string
	Given bool
}

// Set accepts any text.
func (w *Word) Set(text string) error {
	if w.Given {
		return errors.New("given twice")
	}
	w.Text, w.Given = text, true
	return nil
}

// String returns the text.
func (w *Word) String() string { return w.Text }

// Define adds flags without defaults to set.
func Define(set *flag.FlagSet, values map[string]flag.Value) {
	for name, value := range values {
		set.Var(value, name, "")
	}
}

// MaxCount keeps counts exact in float64 and in int.
const MaxCount = 1e12

// WholeCount is the rule of numbers of steps, releases, runs and examples.
var WholeCount = check.Rule{Text: "must be a whole number from 1 to 1e12", Holds: func(x float64) bool { return x >= 1 && x <= MaxCount && x == math.Floor(x) }}

// Need returns an error unless the flag is given and obeys the rule.
func Need(name string, n Number, r check.Rule) error {
	if !n.Given {
		return fmt.Errorf("-%s is missing: it is required, and %s", name, r.Text)
	}
	return Obey(name, n, r)
}

// Obey returns an error if the flag is given and does not obey the rule.
func Obey(name string, n Number, r check.Rule) error {
	if n.Given && !r.Holds(n.Value) {
		return fmt.Errorf("-%s %v: %s", name, n.String(), r.Text)
	}
	return nil
}

// Refuse returns an error if the flag is given where it has no meaning.
func Refuse(name string, n Number, why string) error {
	if n.Given {
		return fmt.Errorf("-%s %v: must not be given %s", name, n.String(), why)
	}
	return nil
}

// RefuseWord is Refuse for a word.
func RefuseWord(name string, w Word, why string) error {
	if w.Given {
		return fmt.Errorf("-%s %s: must not be given %s", name, w.Text, why)
	}
	return nil
}
