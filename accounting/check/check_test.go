package check

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// At its ends each rule is what its text says; NaN breaks all.
func TestRulesAtTheirEnds(t *testing.T) {
	inf, tiny, less := math.Inf(1), math.SmallestNonzeroFloat64, math.Nextafter(1, 0)
	for _, c := range []struct {
		rule       Rule
		text       string
		good, evil []float64
	}{
		{Positive, "must be > 0 and finite", []float64{tiny, math.MaxFloat64}, []float64{0, -1, inf}},
		{NotNegative, "must be >= 0 and finite", []float64{0, math.MaxFloat64}, []float64{-tiny, inf}},
		{OpenUnit, "must be in (0, 1)", []float64{tiny, less}, []float64{0, 1}},
		{Unit, "must be in [0, 1]", []float64{0, 1}, []float64{-tiny, math.Nextafter(1, 2)}},
		{Rate, "must be in (0, 1]", []float64{tiny, 1}, []float64{0, math.Nextafter(1, 2)}},
		{BelowOne, "must be in [0, 1)", []float64{0, less}, []float64{-tiny, 1}},
		{Between(2, 3), "must be in [2, 3]", []float64{2, 3}, []float64{1.99, 3.01, inf}},
		{UpTo(3), "must be in (0, 3]", []float64{tiny, 3}, []float64{0, 3.01}},
		{Rate.With("of examples"), "must be in (0, 1] of examples", []float64{1}, []float64{0}},
	} {
		for _, x := range c.good {
			if err := c.rule.Of("x", x); err != nil {
				t.Errorf("%g: %v", x, err)
			}
		}
		for _, x := range append(c.evil, math.NaN()) {
			if err := c.rule.Of("p: T.X", x); err == nil || !strings.HasPrefix(err.Error(), "p: T.X ") || !strings.HasSuffix(err.Error(), ": "+c.text) {
				t.Errorf("%g, which %s: error %v", x, c.text, err)
			}
		}
	}
}

func TestFaultsAreAllNamed(t *testing.T) {
	cause := errors.New("inner: fault")
	f := In("mine: Config.")
	f.Number("Rate", 2, Rate)
	f.Count("Steps", 0, 1)
	f.That(false, "Event", "is nil", "must be an event")
	f.That(true, "Unit", "", "is fine")
	f.Below("Base", cause)
	f.Below("Other", nil)
	f.Add(cause)
	f.Add(nil)
	want := "mine: Config.Rate 2: must be in (0, 1]\nmine: Config.Steps 0: must be >= 1\nmine: Config.Event is nil: must be an event\nmine: Config.Base: inner: fault\ninner: fault"
	if err := f.Err(); err == nil || err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := In("mine: ").Err(); err != nil {
		t.Errorf("no fault: %v", err)
	}
}
