package format

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		x        float64
		up, down string
	}{
		{1.4773769757, "1.47738", "1.47737"}, {2, "2", "2"}, {9.9999999, "10", "9.99999"}, {1234567, "1.23457e+06", "1.23456e+06"},
		{0, "0", "0"}, {1.00000000001e-9, "1.00001e-09", "1e-09"}, {math.Inf(1), "+Inf", "+Inf"},
	} {
		if up, down := RoundUp(c.x), numeric.Significant(c.x, Digits, -1); up != c.up || down != c.down {
			t.Errorf("%v: up %s, down %s, want %s and %s (by hand)", c.x, up, down, c.up, c.down)
		}
	}
}
