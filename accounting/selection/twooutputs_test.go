package selection_test

import (
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Runs of two outputs: no price is below what one of the two orders leaks, as enumerated. With so few outputs, or a law whose f' hardly bends, one
// step of s leads to its end, where g(s) + P(0) is 1.
func TestInterleavedOfTwoOutputs(t *testing.T) {
	type pair struct{ p, q float64 } // the chance of the first output
	response := func(p float64) pair { return pair{p, 1 - p} }
	laws := []law.Law{law.Fixed{Count: 3}, law.Fixed{Count: 10}, law.Binomial{Trials: 2, P: 0.02}}
	for i, l := range laws {
		for j, runs := range []pair{response(0.6), response(0.76), {0.93, 0.973}, {0.182, 0.9982}} {
			if testing.Short() && (i+j)%3 != 0 {
				continue
			}
			orders := []enumerate.Pair{enumerate.Of([]float64{runs.p, 1 - runs.p}, []float64{runs.q, 1 - runs.q})}
			orders = append(orders, ranked(orders[0], 1, 0))
			base := baserun.Run{Profiles: []baserun.Profile{{DeltaAt: orders[0].Delta}}}.Prepared()
			for _, delta := range []float64{1e-5, 1e-3, 0.1} {
				b, err := selection.PointwiseAt(l, base, delta)
				if err != nil {
					t.Fatal(err)
				}
				for _, order := range orders {
					if leaks := order.Best(l).Delta(b.Epsilon); leaks > delta*(1+1e-9)+1e-15 {
						t.Errorf("%v of %v: ε(%g) <= %g by %s, where an order has δ = %g", l, runs, delta, b.Epsilon, b.Name, leaks)
					}
				}
			}
		}
	}
}

// ranked returns the outputs in this order.
func ranked(d enumerate.Pair, order ...int) enumerate.Pair {
	var out enumerate.Pair
	for _, i := range order {
		out.P, out.Q = append(out.P, d.P[i]), append(out.Q, d.Q[i])
	}
	return out
}
