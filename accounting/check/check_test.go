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
	const normal = LeastNormal
	for _, c := range []struct {
		rule       Rule
		text       string
		good, evil []float64
	}{
		{Positive, "must be > 0 and finite", []float64{normal, math.MaxFloat64}, []float64{0, -1, inf}},
		{NotNegative, "must be >= 0 and finite", []float64{0, normal, math.MaxFloat64}, []float64{-tiny, inf}},
		{OpenUnit, "must be in (0, 1)", []float64{tiny, less}, []float64{0, 1}},
		{Unit, "must be in [0, 1]", []float64{0, 1}, []float64{-tiny, math.Nextafter(1, 2)}},
		{Rate, "must be in (0, 1]", []float64{normal, 1}, []float64{0, math.Nextafter(1, 2)}},
		{BelowOne, "must be in [0, 1)", []float64{0, less}, []float64{-tiny, 1}},
		{Finite, "must be finite", []float64{0, -math.MaxFloat64}, []float64{inf, -inf}},
		{AtLeast(2), "must be >= 2", []float64{2, inf}, []float64{1.99}},
		{Above(2), "must be > 2 and finite", []float64{math.Nextafter(2, 3), math.MaxFloat64}, []float64{2, inf}},
		{Between(2, 3), "must be in [2, 3]", []float64{2, 3}, []float64{1.99, 3.01, inf}},
		{UpTo(3), "must be in (0, 3]", []float64{normal, 3}, []float64{0, 3.01}},
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

// A parameter that is subnormal is refused by that name; a chance, a number that is asked about,
// and data may have any size.
func TestSubnormalNumbers(t *testing.T) {
	for _, x := range []float64{math.SmallestNonzeroFloat64, 1e-310, math.Nextafter(LeastNormal, 0)} {
		for _, r := range []Rule{Positive, NotNegative, Rate, UpTo(1), Between(0, 1), Positive.With("(to train)")} {
			if err := r.Of("p: T.X", x); err == nil || !strings.HasPrefix(err.Error(), "p: T.X ") || !strings.HasSuffix(err.Error(), ": must not be subnormal, below 2.23e-308 in size") {
				t.Errorf("%g, which %s: error %v, want one that says subnormal", x, r.Text, err)
			}
			if err := r.OfAnySize().Of("x", x); err != nil {
				t.Errorf("%g of any size: %v", x, err)
			}
		}
		if err := Between(-1, 1).Of("x", -x); err == nil {
			t.Errorf("%g: must be refused", -x)
		}
		for _, r := range []Rule{OpenUnit, Unit, BelowOne, Finite, AtLeast(0)} {
			if err := r.Of("x", x); err != nil {
				t.Errorf("%g: %v", x, err)
			}
		}
	}
}

// A list has the fault of its first bad number, and an empty one a fault as well.
func TestEach(t *testing.T) {
	for want, xs := range map[string][]float64{
		"p: T.X is empty: must hold at least one value": {},
		"p: T.X[1] 0: must be > 0 and finite":           {1, 0, -1},
		"":                                              {1, 2},
	} {
		f := In("p: T.")
		f.Each("X", xs, Positive)
		if err := f.Err(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v: got %v, want %q", xs, err, want)
		}
	}
}

func TestGivenAndProbabilities(t *testing.T) {
	for want, err := range map[string]error{
		"p: event is nil: must be an event":           Given(false, "p: event", "must be an event"),
		"p: T.X[1] 1.5: must be in [0, 1]":            Probabilities("p: T.X", []float64{0.5, 1.5}, 1e-9),
		"p: T.X[0] NaN: must be in [0, 1]":            Probabilities("p: T.X", []float64{math.NaN()}, 1e-9),
		"p: T.X sums to 0.75: must be 1 within 1e-09": Probabilities("p: T.X", []float64{0.5, 0.25}, 1e-9),
		"p: T.X sums to 0: must be 1 within 1e-09":    Probabilities("p: T.X", nil, 1e-9),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, err := range []error{Given(true, "p: event", "must be an event"), Probabilities("p: T.X", []float64{0.5, 0.5 + 1e-10}, 1e-9)} {
		if err != nil {
			t.Errorf("no fault: %v", err)
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

// What Go reads and people do not mean is refused; the values are strconv's on what is left.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0.0": 0, "1.5": 1.5, "-2e3": -2000, "+.5": 0.5, "5.": 5, "1E-5": 1e-5, "1e308": 1e308, "5e-324": 5e-324, "0e999": 0, "007": 7,
	} {
		if x, err := Decimal(text); err != nil || x != want {
			t.Errorf("%q: %g, %v, want %g", text, x, err, want)
		}
	}
	for text, says := range map[string]string{
		"1_0": "decimal digits", "1_000.5": "decimal digits", "0x1p3": "decimal digits", "0X8p0": "decimal digits", "0b1": "decimal digits",
		"inf": "decimal digits", "-Infinity": "decimal digits", "NaN": "decimal digits", "1e999": "must be a finite number", "": "must be", " 1": "must be", "1,5": "must be",
		"1e-400": "too near 0", "-0.001e-330": "too near 0", "e5": "must be", "1e": "must be", "\u0661": "must be",
	} {
		if x, err := Decimal(text); err == nil || x != 0 || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %g, error %v, want 0 and an error with %q", text, x, err, says)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, r := range []Rule{Positive, NotNegative, Rate, Between(0, 1), UpTo(2)} {
		if got := r.Refuses(1e-310); got != "must not be subnormal, below 2.23e-308 in size" {
			t.Errorf("%s refuses 1e-310: %q", r.Text, got)
		}
		if got := r.Refuses(-1); got != r.Text {
			t.Errorf("%s refuses -1: %q", r.Text, got)
		}
	}
}
