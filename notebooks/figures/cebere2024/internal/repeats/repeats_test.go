package repeats

import (
	"math"
	"testing"
)

// By hand: 1, 2, 3, 4, 5 have the mean 3 and the standard deviation √2.5; t_4 at 97.5 % is 2.776 (table of Student's t).
func TestMean(t *testing.T) {
	if mean, err := Mean([]float64{1, 2, 3, 4, 5}); mean != 3 || math.Abs(err-2.776*math.Sqrt(2.5/5)) > 1e-3 {
		t.Errorf("mean %g ± %g: want 3 ± 1.963", mean, err)
	}
	if mean, err := Mean([]float64{7}); mean != 7 || !math.IsNaN(err) {
		t.Errorf("one value: %g ± %g: want 7 and no error known", mean, err)
	}
}

func TestSign(t *testing.T) {
	for _, c := range []struct{ change, err, sign, signErr float64 }{
		{0.5, 0.1, 1, 0}, {-0.5, 0.1, -1, 0}, {0.05, 0.1, 0, 1}, {-0.1, 0.1, 0, 1}, {0, 0, 0, 0}, {1e-9, 0, 1, 0}, {0.5, math.NaN(), 0, 1}, {math.NaN(), 0.1, 0, 1},
	} {
		if sign, signErr := Sign(c.change, c.err); sign != c.sign || signErr != c.signErr {
			t.Errorf("change %g ± %g: sign %g ± %g: want %g ± %g", c.change, c.err, sign, signErr, c.sign, c.signErr)
		}
	}
}
