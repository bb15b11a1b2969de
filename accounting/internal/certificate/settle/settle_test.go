package settle_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
)

// The price is the first bound that is shown, if it is close to the least. What is not shown is
// raised to it. A price that is not shown has a warning.
func TestSettle(t *testing.T) {
	const delta = 1e-5
	check := func(from float64) func() settle.Question {
		return func() settle.Question {
			return settle.Question{Claim: "test", Check: settle.PostProcessed(from, delta)}
		}
	}
	bound := func(name string, epsilon float64, ask func() settle.Question) settle.Candidate {
		return settle.Candidate{Bound: accounting.Bound{Name: name, Epsilon: epsilon}, Ask: ask}
	}
	for _, c := range []struct {
		name     string
		bounds   []settle.Candidate
		price    float64
		least    string
		shown    bool
		warnings int
	}{
		{"least is shown", []settle.Candidate{bound("b", 2, check(2)), bound("a", 1, check(1))}, 1, "a", true, 0},
		{"raised a little", []settle.Candidate{bound("a", 1, check(1+5e-10))}, 1 + 1e-9, "a", true, 0},
		{"the least fails, next is near", []settle.Candidate{bound("a", 1, check(1.5)), bound("b", 1.0005, check(1))}, 1.0005, "b", true, 0},
		{"the least fails, next is far", []settle.Candidate{bound("a", 1, check(1.5)), bound("b", 2, check(2))}, 1, "a", false, 1},
		{"no check, next is near", []settle.Candidate{bound("a", 1, nil), bound("b", 1+5e-5, check(1))}, 1 + 5e-5, "b", true, 0},
		{"no check, next is far", []settle.Candidate{bound("a", 1, nil), bound("b", 1.1, check(1))}, 1, "a", false, 1},
		{"all fail", []settle.Candidate{bound("a", 1, check(9)), bound("b", 2, check(9))}, 1, "a", false, 2},
		{"shown before", []settle.Candidate{{Bound: accounting.Bound{Name: "a", Epsilon: 1}, Shown: &accounting.Certificate{Epsilon: 1}}}, 1, "a", true, 0},
		{"raised, a tie is not", []settle.Candidate{bound("a", 1, check(1+5e-10)), bound("b", 1, check(1))}, 1, "b", true, 0},
		{"infinite", []settle.Candidate{bound("a", math.Inf(1), nil)}, math.Inf(1), "a", false, 0},
	} {
		s := settle.Settle(c.bounds, delta, nil)
		if s.Bounds[0].Name != c.least || s.Bounds[0].Epsilon != c.price || (s.Certificate != nil) != c.shown || len(s.Warnings) != c.warnings || len(s.Bounds) != len(c.bounds) {
			t.Errorf("%s: %+v, %v, %v", c.name, s.Bounds, s.Certificate, s.Warnings)
		}
		for _, w := range s.Warnings {
			if !errors.Is(w, accounting.ErrUncertified) {
				t.Errorf("%s: %v does not wrap ErrUncertified", c.name, w)
			}
		}
	}
}
