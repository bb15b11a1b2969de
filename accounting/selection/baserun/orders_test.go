package baserun

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// ln δ of the table against Brent's method over all orders, which is off by some 1e-10: never below, with one more order
// within 5e-5, with three within 1e-7.
func TestRefinedDeltaAgainstBrent(t *testing.T) {
	for _, rho := range []float64{0.01, 0.1, 1} {
		curve := rdp.ZCDP(rho)
		table := newOrderTable(rdp.Memoized(curve))
		for _, epsilon := range []float64{0.02, 0.1, 0.3, 0.7, 1, 2, 5} {
			logLeast, _, err := rdp.NewAccountant().LogDeltaOf(curve, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			for extra, tolerance := range map[int]float64{1: 5e-5, 3: 1e-7} {
				off := (numeric.Log(table.refinedDelta(epsilon, extra)) - logLeast) / math.Abs(logLeast)
				if off < -1e-9 || off > tolerance {
					t.Errorf("ρ = %g, ε = %g, %d more orders: ln δ is %g above the least, relative: want [0, %g]", rho, epsilon, extra, off, tolerance)
				}
			}
		}
	}
}
