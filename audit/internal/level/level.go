// Package level has the rule of a confidence, and the doubt about a low one.
package level

import (
	"fmt"
	"strconv"

	"github.com/dplab/dplab/accounting/check"
)

// Least is the least confidence that may be asked for. Below it a bound is more often false than
// true, and its ceiling grows without limit. Usual is the least one without a warning.
//
// The library shares a significance among the parts of a bound. It passes these shares as
// significances, so no internal level comes near this rule.
const (
	Least = 0.5
	Usual = 0.9
)

var rule = check.Rule{Text: "must be in [0.5, 1)", Holds: func(x float64) bool { return x >= Least && x < 1 }}

// Of returns an error unless confidence may be asked for. name is the name of the number, with its
// package. A number in (0, 0.5) is probably a significance, and the error has its confidence.
func Of(name string, confidence float64) error {
	rule := rule
	if confidence > 0 && confidence < Least {
		if meant := strconv.FormatFloat(1-confidence, 'g', 12, 64); meant != "1" {
			rule = rule.With(fmt.Sprintf("(%g looks like a significance level; its confidence is %s)", confidence, meant))
		}
	}
	return rule.Of(name, confidence)
}

// Doubt returns a warning about a confidence below 0.9, or nil.
func Doubt(confidence float64) error {
	if confidence >= Usual {
		return nil
	}
	return fmt.Errorf("confidence %g is low: up to %.3g %% of such bounds are above the truth; 0.95 is usual",
		confidence, 100*(1-confidence))
}
