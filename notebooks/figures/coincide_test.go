package figures

import (
	"math"
	"testing"
)

// A line is 1.6 of 360 points wide: 0.0044 of the axis.
func TestCoincide(t *testing.T) {
	for name, c := range map[string]struct {
		at, other []float64
		low, high float64
		log, want bool
	}{
		"equal":               {[]float64{1, 2}, []float64{1, 2}, 0, 10, false, true},
		"within":              {[]float64{1, 2}, []float64{1.04, 2}, 0, 10, false, true},
		"apart":               {[]float64{1, 2}, []float64{1, 2.05}, 0, 10, false, false},
		"outside of the axis": {[]float64{1, 20}, []float64{1, 22}, 0, 10, false, true},
		"one outside":         {[]float64{1, 9}, []float64{1, 20}, 0, 10, false, false},
		"one just outside":    {[]float64{1, 9.99}, []float64{1, 10.01}, 0, 10, false, true},
		"nothing drawn":       {[]float64{20, math.NaN()}, []float64{20, 1}, 0, 10, false, false},
		"no points":           {nil, nil, 0, 10, false, false},
		"within on a log":     {[]float64{100}, []float64{104}, 1, 1e4, true, true}, // 0.0043
		"apart on a log":      {[]float64{100}, []float64{105}, 1, 1e4, true, false},
	} {
		if got := Coincide(c.at, c.other, c.low, c.high, c.log); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
