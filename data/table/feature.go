package table

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data/internal/bounds"
)

// Number is a column of numbers, which becomes one feature in [-1, 1]. A number outside of the
// bounds is moved to the nearer one.
//
//	2 (x - Low)/(High - Low) - 1,  or the same of ln x, ln Low and ln High
type Number struct {
	Column      string   // Required.
	Low, High   float64  // public bounds, Low < High. Required.
	Log         bool     // by the logarithm: for incomes, prices and counts. Low must be > 0.
	Empty       *float64 // the public value of an empty field, such as new(45.0); nil is an error, but see MarkMissing
	MarkMissing bool     // one feature more: 1 for an empty field, 0 otherwise. An Empty of nil is then the middle.
}

func (n Number) column() string  { return n.Column }
func (n Number) names() []string { return withMissing(n.Column, n.MarkMissing) }

func (n Number) validate(f *check.Faults) {
	field := fmt.Sprintf("Number %q: ", n.Column)
	validateBounds(f, field, n.Low, n.High)
	f.That(!n.Log || n.Low > 0, field+"Low", n.Low, "must be > 0 with Log")
	f.That(!n.Log || !(n.Low > 0 && n.Low < n.High) || math.Log(n.Low) < math.Log(n.High), field+"Low", fmt.Sprintf("%v, High %v", n.Low, n.High), "must be further apart with Log: their logarithms are equal")
	f.That(n.Empty == nil || bounds.Finite(*n.Empty), field+"Empty", n.Empty, "must be finite")
}

// validateBounds adds the faults of public bounds.
func validateBounds(f *check.Faults, field string, low, high float64) {
	if low == 0 && high == 0 {
		f.That(false, field+"Low and High", "are not given", bounds.WhyPublic)
		return
	}
	rule := bounds.Rule(low, high)
	f.That(rule == "", field+"Low", fmt.Sprintf("%g, High %g", low, high), rule)
}

func (n Number) appender() appender { return n.appendTo }

func (n Number) appendTo(features []float32, field string) ([]float32, error) {
	missing, scaled := float32(0), float32(0)
	switch {
	case field != "":
		x, err := number(field)
		if err != nil {
			return features, err
		}
		scaled = n.scaled(x)
	case n.Empty != nil:
		missing, scaled = 1, n.scaled(*n.Empty)
	case n.MarkMissing:
		missing = 1
	default:
		return features, fmt.Errorf("is empty: must be a number (or set Number.Empty or MarkMissing)")
	}
	if features = append(features, scaled); n.MarkMissing {
		features = append(features, missing)
	}
	return features, nil
}

func (n Number) scaled(x float64) float32 {
	if !n.Log {
		return float32(bounds.Scaled(x, n.Low, n.High))
	}
	x = min(max(x, n.Low), n.High)
	return float32(bounds.Scaled(math.Log(x), math.Log(n.Low), math.Log(n.High)))
}

// withComma is a number with a decimal comma.
var withComma = regexp.MustCompile(`^[+-]?\d*,\d+$`)

// number reads a number in decimal digits.
func number(field string) (float64, error) {
	x, err := check.Decimal(field)
	if err != nil && withComma.MatchString(field) {
		err = fmt.Errorf("%w (Schema.Decimal may be ',')", err)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", quoted(field), err)
	}
	return x, nil
}

// Category is a column of words, one feature for each: 1 for the word in the field, and 0 for the
// others. An undeclared word is an error, unless Other has a feature for it. A declared "1" is also
// found as 1.0 or True, and "0" as 0.0 or False, which is how pandas writes them.
type Category struct {
	Column string   // Required.
	Values []string // all distinct words; "" is an empty field. Required.
	Other  bool     // one feature more, for every other word and for an empty field
}

func (c Category) column() string { return c.Column }

func (c Category) names() []string {
	var names []string
	for _, value := range c.Values {
		names = append(names, c.Column+"="+value)
	}
	if c.Other {
		names = append(names, c.Column+" (other)")
	}
	return names
}

func (c Category) validate(f *check.Faults) {
	validateWords(f, fmt.Sprintf("Category %q: Values", c.Column), c.Values, 1)
}

func (c Category) appender() appender { return c.appendTo }

func (c Category) appendTo(features []float32, field string) ([]float32, error) {
	at := find(c.Values, field)
	if at < 0 && c.Other {
		at = len(c.Values)
	}
	if at < 0 {
		return features, undeclared(field, c.Values, " (or Other must be set)")
	}
	start := len(features)
	features = append(features, make([]float32, len(c.names()))...)
	features[start+at] = 1
	return features, nil
}

// integer is a whole number that pandas wrote as a float.
var integer = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*))\.0$`)

// find returns the index of a field among words, or -1. A field that is not among them may be what
// pandas made of one. It writes 1 as 1.0 if another value of the column is missing, and the numbers
// of a column of bool as True and False.
func find(words []string, field string) int {
	if at := slices.Index(words, field); at >= 0 {
		return at
	}
	switch whole := integer.FindStringSubmatch(field); {
	case field == "True":
		return slices.Index(words, "1")
	case field == "False":
		return slices.Index(words, "0")
	case whole != nil:
		return slices.Index(words, whole[1])
	}
	return -1
}

// undeclared is the error on a word that is not among the declared ones.
func undeclared(field string, words []string, or string) error {
	what := quoted(field)
	if field == "" {
		what = "is empty"
	}
	const most = 8
	list := strings.Join(words[:min(most, len(words))], ", ")
	if len(words) > most {
		list += fmt.Sprintf(", ... (%d in all)", len(words))
	}
	return fmt.Errorf("%s: must be one of the declared %s%s", what, list, or)
}
