package audit

import "testing"

// TestTwoTailAtTinySignificance checks the bound on both sides of convolvedFrom. Less significance
// proves less, and what is proved there is Hoeffding's bound.
func TestTwoTailAtTinySignificance(t *testing.T) {
	const n, k, sum = 50, 2, 80
	f := epsilonFamily(1e-5)
	last := f.limit
	for _, significance := range []float64{0.05, 1e-6, 0.9e-11, 1e-13} {
		got := f.twoTailBound(n, n, k, sum, significance)
		hoeffding := f.lowerBound(func(g Curve) float64 { return twoTailHoeffding(g, n, n, k, sum) }, significance)
		if !(got > 0 && got < last) {
			t.Errorf("significance %g: bound %g, want it in (0, %g)", significance, got, last)
		}
		if exact := significance >= convolvedFrom; exact != (got > hoeffding) {
			t.Errorf("significance %g: bound %g, Hoeffding's %g", significance, got, hoeffding)
		}
		last = got
	}
}
