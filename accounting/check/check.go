// Package check has the rules of input and the text of their errors, for all packages. Each error
// names field, value and rule: "dpsgd: Config.ClipNorm -1: must be > 0 and finite".
//
//	func (c Config) Validate() error {
//		f := check.In("mine: Config.")
//		f.Number("NoiseMultiplier", c.NoiseMultiplier, check.Positive)
//		f.Count("Steps", c.Steps, 1)
//		f.That(c.Event != nil, "Event", "is nil", "must be an event")
//		f.That(c.Low < c.High, "Low", c.Low, "must be below High")
//		return f.Err() // all faults, joined
//	}
//
// NaN breaks every rule.
//
// It promises nothing to other modules.
package check

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Rule is a condition on a number.
type Rule struct {
	Text    string // "must be > 0 and finite"
	Holds   func(x float64) bool
	anySize func(x float64) bool // as Holds, also for subnormal numbers; nil if Holds takes them
}

// The rules that many fields share.
//
// Positive, NotNegative, Rate, Between and UpTo are for parameters. They refuse subnormal numbers,
// because a product with one loses its digits, and privacy parameters are multiplied. The others
// are for chances, such as δ, and for data, which may have any size.
var (
	Positive    = parameter("must be > 0 and finite", func(x float64) bool { return x > 0 && !math.IsInf(x, 1) })
	NotNegative = parameter("must be >= 0 and finite", func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) })
	Rate        = parameter("must be in (0, 1]", func(x float64) bool { return x > 0 && x <= 1 }) // for example of sampling
	OpenUnit    = Rule{Text: "must be in (0, 1)", Holds: func(x float64) bool { return x > 0 && x < 1 }}
	Unit        = Rule{Text: "must be in [0, 1]", Holds: func(x float64) bool { return x >= 0 && x <= 1 }}
	BelowOne    = Rule{Text: "must be in [0, 1)", Holds: func(x float64) bool { return x >= 0 && x < 1 }}
	Finite      = Rule{Text: "must be finite", Holds: func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }}
)

// LeastNormal is the least number above 0 that is not subnormal.
const LeastNormal = 0x1p-1022

// parameter is the rule of a number that must not be subnormal.
func parameter(text string, holds func(x float64) bool) Rule {
	return Rule{text, func(x float64) bool { return holds(x) && (x == 0 || math.Abs(x) >= LeastNormal) }, holds}
}

// OfAnySize returns the rule that also takes subnormal numbers. It is for numbers that are only
// compared, such as the ε of a question.
func (r Rule) OfAnySize() Rule {
	if r.anySize != nil {
		r.Holds, r.anySize = r.anySize, nil
	}
	return r
}

// AtLeast is the rule of a number from least on, +Inf included.
func AtLeast(least float64) Rule {
	return Rule{Text: fmt.Sprintf("must be >= %g", least), Holds: func(x float64) bool { return x >= least }}
}

// Above is the rule of a number above low, finite.
func Above(low float64) Rule {
	return Rule{Text: fmt.Sprintf("must be > %g and finite", low), Holds: func(x float64) bool { return x > low && !math.IsInf(x, 1) }}
}

// Between is the rule of a number from low to high, both included.
func Between(low, high float64) Rule {
	return parameter(fmt.Sprintf("must be in [%g, %g]", low, high), func(x float64) bool { return x >= low && x <= high })
}

// UpTo is the rule of a number above 0, and at most high.
func UpTo(high float64) Rule {
	return parameter(fmt.Sprintf("must be in (0, %g]", high), func(x float64) bool { return x > 0 && x <= high })
}

// With returns the rule with words after its text: an alternative, or a purpose.
func (r Rule) With(words string) Rule {
	r.Text += " " + words
	return r
}

// Of returns an error unless x obeys the rule. name is the name of the number, with its package:
// "audit: mu".
func (r Rule) Of(name string, x float64) error {
	if r.Holds(x) {
		return nil
	}
	return fmt.Errorf("%s %g: %s", name, x, r.Refuses(x))
}

// Refuses returns the rule that x breaks, in words.
func (r Rule) Refuses(x float64) string {
	if r.anySize != nil && r.anySize(x) {
		return fmt.Sprintf("must not be subnormal, below %.3g in size", LeastNormal)
	}
	return r.Text
}

// Decimal reads a finite number from a command line or a file: decimal digits with a point and an
// exponent. It refuses forms that Go reads and people do not mean: 1_000, 0x1p3, inf, and 1e-400,
// which a float64 rounds to 0.
func Decimal(text string) (float64, error) {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, errDecimal
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, errDecimal
	}
	if x == 0 && strings.ContainsAny(text[:mantissa(text)], "123456789") {
		return 0, errTooNearZero
	}
	return x, nil
}

var (
	errDecimal     = errors.New("must be a finite number in decimal digits, such as -1.5 or 2e-3")
	errTooNearZero = fmt.Errorf("is too near 0: must be 0, or at least %g in size", math.SmallestNonzeroFloat64)
)

// mantissa returns where the exponent of a number begins.
func mantissa(text string) int {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		return at
	}
	return len(text)
}

// Given returns an error unless ok. The error reports that name is nil, with the rule.
func Given(ok bool, name, rule string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s is nil: %s", name, rule)
}

// Probabilities returns an error unless xs are in [0, 1] with sum 1, to within the given rounding.
func Probabilities(name string, xs []float64, rounding float64) error {
	sum := 0.0
	for i, x := range xs {
		if err := Unit.Of(fmt.Sprintf("%s[%d]", name, i), x); err != nil {
			return err
		}
		sum += x
	}
	if math.Abs(sum-1) > rounding {
		return fmt.Errorf("%s sums to %.17g: must be 1 within %g", name, sum, rounding)
	}
	return nil
}

// Faults collects the faults of the fields of one value.
type Faults struct {
	path string
	errs []error
}

// In returns a collection without faults. path is written before each field: "dptune: Search.", or
// "audit: " for arguments.
func In(path string) *Faults { return &Faults{path: path} }

// That adds a fault unless ok. A string value is written as it is: "is nil", "is empty".
func (f *Faults) That(ok bool, field string, value any, rule string) {
	if !ok {
		f.errs = append(f.errs, fmt.Errorf("%s%s %v: %s", f.path, field, value, rule))
	}
}

// Number adds a fault unless x obeys the rule.
func (f *Faults) Number(field string, x float64, rule Rule) { f.Add(rule.Of(f.path+field, x)) }

// Each adds a fault for the first of xs that breaks the rule, or if xs is empty.
func (f *Faults) Each(field string, xs []float64, rule Rule) {
	f.That(len(xs) > 0, field, "is empty", "must hold at least one value")
	for i, x := range xs {
		if !rule.Holds(x) {
			f.Number(fmt.Sprintf("%s[%d]", field, i), x, rule)
			return
		}
	}
}

// Count adds a fault unless n is at least least.
func (f *Faults) Count(field string, n, least int) {
	f.That(n >= least, field, n, fmt.Sprintf("must be >= %d", least))
}

// OneOf adds a fault, and returns false, unless exactly one of the fields of a value is given. name
// may be empty for the value of the path.
func (f *Faults) OneOf(name, fields string, given ...bool) bool {
	count := 0
	for _, is := range given {
		if is {
			count++
		}
	}
	if count != 1 {
		f.errs = append(f.errs, fmt.Errorf("%s has %d of %s: must have exactly one", strings.TrimSuffix(f.path+name, "."), count, fields))
	}
	return count == 1
}

// Below adds the error of a field's own value. Nil adds nothing.
func (f *Faults) Below(field string, err error) {
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("%s%s: %w", f.path, field, err))
	}
}

// Add adds an error that has its own path. Nil adds nothing.
func (f *Faults) Add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// Err returns all faults, joined, or nil if there are none.
func (f *Faults) Err() error { return errors.Join(f.errs...) }
