package gdp

import "testing"

// The interval is as narrow as rounding allows, also where the last Newton step falls on the
// edge of the bracket: (1, 1e-5) once came out 4e-9 wide. 1e-11 leaves room for the
// cancellation of the two terms of δ at small ε. The value wanted at (1, 1e-5) is that of
// Balle and Wang's formula, solved in mpmath at 40 digits.
func TestEpsilonAtIsNarrow(t *testing.T) {
	for _, mu := range []float64{0.01, 0.25, 0.5, 1, 2, 5, 20} {
		for _, delta := range []float64{1e-1, 1e-3, 1e-5, 1e-10, 1e-100} {
			i, err := EpsilonAt(mu, delta)
			if err != nil {
				t.Fatal(err)
			}
			if i.Width() > 1e-11*i.Upper {
				t.Errorf("EpsilonAt(%g, %g) = %.17g to %.17g: relative width %.2g, want at most 1e-11", mu, delta, i.Lower, i.Upper, i.Width()/i.Upper)
			}
		}
	}
	i, err := EpsilonAt(1, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	const want = 4.37717809568122463
	if i.Lower > want || i.Upper < want {
		t.Errorf("EpsilonAt(1, 1e-5) = [%.17g, %.17g], want %.17g inside", i.Lower, i.Upper, want)
	}
}
