package figures

import (
	"math"
	"strings"
	"testing"
)

// The wanted sentences follow from the definition: Low of the one above High of the other, at a
// larger X.
func TestFalls(t *testing.T) {
	nan := math.NaN()
	curve := func(x, low, high Numbers) Curve {
		y := make(Numbers, len(low))
		for i := range y {
			y[i] = (low[i] + high[i]) / 2
		}
		return Curve{Label: "a", X: x, Y: y, Low: low, High: high}
	}
	for name, c := range map[string]struct {
		curve Curve
		want  string
	}{
		"rises":           {curve(Numbers{1, 2, 4}, Numbers{0.1, 0.3, 0.5}, Numbers{0.2, 0.4, 0.6}), ""},
		"falls in errors": {curve(Numbers{1, 2}, Numbers{0.5, 0.4}, Numbers{0.7, 0.6}), ""},
		"falls": {curve(Numbers{1, 2, 4}, Numbers{0.5, 0.2, 0.8}, Numbers{0.7, 0.3, 0.9}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.25 at 2."},
		"in any order of X": {curve(Numbers{4, 2, 1}, Numbers{0.8, 0.2, 0.5}, Numbers{0.9, 0.3, 0.7}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.25 at 2."},
		"not between neighbors": {curve(Numbers{1, 2, 3}, Numbers{0.5, 0.4, 0.3}, Numbers{0.7, 0.6, 0.45}),
			"The accuracy falls as ε grows, by more than its error: “a” from 0.6 at 1 to 0.375 at 3."},
		"errors not known": {curve(Numbers{1, 2}, Numbers{0.5, nan}, Numbers{0.7, nan}), ""},
		"no errors":        {Curve{Label: "a", X: Numbers{1, 2}, Y: Numbers{2, 1}}, ""},
		"equal X":          {curve(Numbers{1, 1}, Numbers{0.5, 0.2}, Numbers{0.7, 0.3}), ""},
	} {
		if got := strings.Join(Falls("accuracy", "ε", "its error", c.curve), ""); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
