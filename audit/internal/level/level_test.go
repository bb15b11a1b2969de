package level

import (
	"math"
	"strings"
	"testing"
)

// A confidence is at least one half. The error for a significance has the confidence that is meant.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		want       string
	}{
		{0.5, ""}, {0.95, ""}, {1 - 0x1p-53, ""},
		{0.05, "x 0.05: must be in [0.5, 1) (0.05 looks like a significance level; its confidence is 0.95)"},
		{0.07, "x 0.07: must be in [0.5, 1) (0.07 looks like a significance level; its confidence is 0.93)"},
		{1e-9, "x 1e-09: must be in [0.5, 1) (1e-09 looks like a significance level; its confidence is 0.999999999)"},
		{1e-300, "x 1e-300: must be in [0.5, 1)"}, // no confidence goes with it
		{0, "x 0: must be in [0.5, 1)"}, {1, "x 1: must be in [0.5, 1)"}, {95, "x 95: must be in [0.5, 1)"},
		{-1, "x -1: must be in [0.5, 1)"}, {math.NaN(), "x NaN: must be in [0.5, 1)"},
	} {
		got := ""
		if err := Of("x", c.confidence); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("confidence %g: %q, want %q", c.confidence, got, c.want)
		}
	}
}

// Levels below 0.9 are doubted, and those from 0.9 on are not.
func TestDoubt(t *testing.T) {
	if err := Doubt(0.6); err == nil || !strings.Contains(err.Error(), "confidence 0.6 is low: up to 40 %") {
		t.Errorf("confidence 0.6: %v, want a warning with 40 %%", err)
	}
	for _, fine := range []float64{0.9, 0.95, 0.999} {
		if err := Doubt(fine); err != nil {
			t.Errorf("confidence %g: %v, want no warning", fine, err)
		}
	}
}
