package figures

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
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

// The wanted sentences follow from the definition: Low of the one above High of the other, at a
// larger X.
func TestFalls(t *testing.T) {
	nan := math.NaN()
	curve := func(x, low, high chart.Series) chart.Curve {
		y := make(chart.Series, len(low))
		for i := range y {
			y[i] = (low[i] + high[i]) / 2
		}
		return chart.Curve{Label: "a", X: x, Y: y, Low: low, High: high}
	}
	for name, c := range map[string]struct {
		curve chart.Curve
		want  string
	}{
		"rises":           {curve(chart.Series{1, 2, 4}, chart.Series{0.1, 0.3, 0.5}, chart.Series{0.2, 0.4, 0.6}), ""},
		"falls in errors": {curve(chart.Series{1, 2}, chart.Series{0.5, 0.4}, chart.Series{0.7, 0.6}), ""},
		"falls": {curve(chart.Series{1, 2, 4}, chart.Series{0.5, 0.2, 0.8}, chart.Series{0.7, 0.3, 0.9}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.25 at 2."},
		"in any order of X": {curve(chart.Series{4, 2, 1}, chart.Series{0.8, 0.2, 0.5}, chart.Series{0.9, 0.3, 0.7}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.25 at 2."},
		"not between neighbors": {curve(chart.Series{1, 2, 3}, chart.Series{0.5, 0.4, 0.3}, chart.Series{0.7, 0.6, 0.45}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.375 at 3."},
		"errors not known": {curve(chart.Series{1, 2}, chart.Series{0.5, nan}, chart.Series{0.7, nan}), ""},
		"no errors":        {chart.Curve{Label: "a", X: chart.Series{1, 2}, Y: chart.Series{2, 1}}, ""},
		"equal X":          {curve(chart.Series{1, 1}, chart.Series{0.5, 0.2}, chart.Series{0.7, 0.3}), ""},
	} {
		if got := strings.Join(Falls("accuracy", "ε", "its error", c.curve), ""); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
