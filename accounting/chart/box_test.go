package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Boxes by hand, and the two special cases: one value, and values that are all equal but are not
// exact in base two.
func TestBoxOf(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   box
	}{
		{[]float64{9, 1, 2, 3, 4}, box{low: 2, median: 3, high: 4, from: 1, to: 4, beyond: []float64{9}}},
		{[]float64{-9, 1, 2, 3, 4}, box{low: 1, median: 2, high: 3, from: 1, to: 4, beyond: []float64{-9}}},
		{[]float64{0, 2, 4, 6, 9}, box{low: 2, median: 4, high: 6, from: 0, to: 9}},
		{[]float64{1, 2}, box{low: 1.25, median: 1.5, high: 1.75, from: 1, to: 2}},
		{[]float64{5}, box{low: 5, median: 5, high: 5, from: 5, to: 5}},
		{slices.Repeat([]float64{0.1}, 7), box{low: 0.1, median: 0.1, high: 0.1, from: 0.1, to: 0.1}},
	} {
		got := boxOf(c.values)
		if !slices.Equal(got.beyond, c.want.beyond) {
			t.Errorf("%v: beyond %v, want %v", c.values, got.beyond, c.want.beyond)
		}
		got.beyond, c.want.beyond = nil, nil
		if got.low != c.want.low || got.median != c.want.median || got.high != c.want.high || got.from != c.want.from || got.to != c.want.to {
			t.Errorf("%v: %+v, want %+v", c.values, got, c.want)
		}
	}
}

// Equal values of any number and size have a flat box, whatever the rounding of the interpolation.
func TestBoxOfEqualValues(t *testing.T) {
	for n := 1; n < 60; n++ {
		for _, v := range []float64{0.1, -1. / 3, 1e-300, largest} {
			if got := boxOf(slices.Repeat([]float64{v}, n)); got.low != v || got.high != v || got.from != v || got.to != v || got.beyond != nil {
				t.Errorf("%d times %g: %+v", n, v, got)
			}
		}
	}
}

func TestBoxRefuses(t *testing.T) {
	one := Sample{Label: "a", Values: []float64{1}}
	for want, samples := range map[string][]Sample{
		"samples: must be at least one":  nil,
		`sample 2 ("b"): value 1 is NaN`: {one, {Label: "b", Values: []float64{math.NaN()}}},
		"the font has no":                {one, {Label: "\U0001f600", Values: []float64{1}}},
	} {
		if _, err := Box("Scores", "law", "score", samples...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	c, err := Box("Scores", "law", "score", one)
	if err != nil || len(c.Curves) != 2 {
		t.Fatalf("one value: %v, %d curves, want 2, as nothing is beyond", err, len(c.Curves))
	}
	c.XLog = true
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "must be linear") {
		t.Errorf("names on a log axis: %v", err)
	}
	c.XLog, c.Curves[1].Low, c.Curves[1].High = false, nil, nil
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "boxes: must have low and high") {
		t.Errorf("a box without ends: %v", err)
	}
}
