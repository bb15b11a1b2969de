package pld

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// Randomized response has δ(ε) = (e^e - e^ε)/(1 + e^e), so that ε(δ) = e + log(1 - δ(1+e^-e)).
// Above e = 37 the loss of its lie, -e, is where expm1 rounds to -1.
func TestLargePureEpsilon(t *testing.T) {
	const delta = 1e-5
	for _, e := range []float64{36, 38, 63.4, 300, 690} {
		g, err := NewAccountant().EpsilonAt(accounting.PureDP{Epsilon: e}, delta)
		if err != nil {
			t.Fatal(err)
		}
		want := e + math.Log1p(-delta*(1+math.Exp(-e)))
		if !(g.Epsilon.Lower <= want && want <= g.Epsilon.Upper) || g.Epsilon.Width() > 0.01 {
			t.Errorf("pure ε %g: %v: want %.12g inside, width at most 0.01", e, g.Epsilon, want)
		}
	}
}
