package accounting_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func TestTarget(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, ok := range []accounting.Target{
		{Epsilon: 3, Delta: 1e-5}, {Epsilon: 0, Delta: 0.5}, {Epsilon: 0, Delta: 1e-300}, {Epsilon: 1e-9, Delta: 1e-5},
		{Epsilon: 0.02, Delta: 0.01}, {Epsilon: 1000, Delta: 0.999}, {Epsilon: 0.9, Delta: 0.9},
	} {
		if err := ok.Validate(); err != nil {
			t.Errorf("%v: %v", ok, err)
		}
	}
	// Of each pair the error names the field, its value and the rule.
	for target, want := range map[accounting.Target]string{
		{}: "accounting: Target.Delta 0: must be in (0, 1)", {Epsilon: -1, Delta: 0.1}: "accounting: Target.Epsilon -1: must be >= 0 and finite",
		{Epsilon: inf, Delta: 0.1}: "Target.Epsilon +Inf", {Epsilon: 1, Delta: 1}: "Target.Delta 1", {Epsilon: 1, Delta: nan}: "Target.Delta NaN",
		{Epsilon: 1e-5, Delta: 3}:    "Target.Delta 3: must be in (0, 1)", // ε 3 and δ 1e-5, exchanged
		{Epsilon: 1e-5, Delta: 0.5}:  "accounting: Target.Epsilon 1e-05, Delta 0.5: must not be exchanged",
		{Epsilon: 1e-5, Delta: 0.05}: "must not be exchanged",
	} {
		if err := target.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", target, err, want)
		}
	}
	if err := (accounting.Target{Epsilon: nan, Delta: 0.1}).Validate(); err == nil || !strings.Contains(err.Error(), "Target.Epsilon NaN") {
		t.Errorf("NaN: error %v", err)
	}
}
