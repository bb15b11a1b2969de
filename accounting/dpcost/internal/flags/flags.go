// Package flags reads the flags of a command line, with whether each was given and the rule that it
// must obey. Errors name the flag, its value and the rule.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// Number is the value of a flag, and whether it was given.
type Number struct {
	Value float64
	Given bool
}

// Set accepts a finite number that a float64 can hold, or a fraction of two, such as 256/60000.
func (n *Number) Set(text string) error {
	if n.Given {
		return errors.New("given twice")
	}
	over, under, isFraction := strings.Cut(text, "/")
	v, err := check.Decimal(over)
	if err == nil && isFraction {
		var d float64
		if d, err = check.Decimal(under); err == nil && (d == 0 || math.IsInf(v/d, 0) || v != 0 && v/d == 0) {
			err = errors.New("must be a fraction that is finite and not too near 0")
		}
		v /= d
	}
	if err != nil {
		return err
	}
	n.Value, n.Given = v, true
	return nil
}

// String returns the value.
func (n *Number) String() string { return strconv.FormatFloat(n.Value, 'g', -1, 64) }

// Numbers is the values of a flag that takes one number, or several with commas between them.
type Numbers struct {
	Each    []Number
	Repeats bool // a number may be listed twice
}

// maxNumbers is the largest number of values.
const maxNumbers = 100

// Set accepts finite numbers that a float64 can hold.
func (n *Numbers) Set(text string) error {
	if n.Given() {
		return errors.New("given twice")
	}
	items := strings.Split(text, ",")
	if len(items) > maxNumbers {
		return fmt.Errorf("%d numbers: must be at most %d", len(items), maxNumbers)
	}
	var each []Number
	for _, item := range items {
		var one Number
		if err := one.Set(item); err != nil {
			if len(items) > 1 {
				err = fmt.Errorf("%q %w", item, err)
			}
			return err
		}
		if !n.Repeats && slices.Contains(each, one) {
			return fmt.Errorf("%q: must be listed once", item)
		}
		each = append(each, one)
	}
	n.Each = each
	return nil
}

// String returns the values.
func (n *Numbers) String() string {
	texts := make([]string, len(n.Each))
	for i, one := range n.Each {
		texts[i] = one.String()
	}
	return strings.Join(texts, ",")
}

// Given reports whether the flag was given.
func (n *Numbers) Given() bool { return len(n.Each) > 0 }

// Need returns an error unless the flag is given and its values obey the rule.
func (n *Numbers) Need(name string, r check.Rule) error {
	if !n.Given() {
		return Need(name, Number{}, r)
	}
	return n.Obey(name, r)
}

// Obey returns an error if a value does not obey the rule.
func (n *Numbers) Obey(name string, r check.Rule) error {
	var errs []error
	for _, one := range n.Each {
		errs = append(errs, Obey(name, one, r))
	}
	return errors.Join(errs...)
}

// Refuse returns an error if the flag is given where it has no meaning.
func (n *Numbers) Refuse(name, why string) error {
	return RefuseWord(name, Word{Text: n.String(), Given: n.Given()}, why)
}

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
		return fmt.Errorf("-%s %v: %s", name, n.String(), r.Refuses(n.Value))
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
