package lattice

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

type bounds = interval.I

var one = interval.Of(1)

// standard returns (x-mean)/sigma.
func standard(x, mean, sigma float64) bounds {
	return interval.Of(x).Sub(interval.Of(mean)).Div(interval.Of(sigma))
}

// logCDF returns ln Φ(x).
func logCDF(x bounds) bounds {
	if x.Lo >= 0 {
		return x.Neg().NormalCDF().Neg().Log1p()
	}
	return x.NormalCDF().Log()
}

// cells returns the chances that a normal number with this mean lies below the first edge, between
// two neighboring edges, and above the last one.
func cells(edges []float64, mean, sigma float64) []bounds {
	out := make([]bounds, len(edges)+1)
	before := standard(edges[0], mean, sigma)
	out[0] = before.NormalCDF()
	for i, edge := range edges[1:] {
		x := standard(edge, mean, sigma)
		if before.Lo >= 0 { // the smaller tails keep more digits
			out[i+1] = before.Neg().NormalCDF().Sub(x.Neg().NormalCDF()).Positive()
		} else {
			out[i+1] = x.NormalCDF().Sub(before.NormalCDF()).Positive()
		}
		before = x
	}
	out[len(edges)] = before.Neg().NormalCDF()
	return out
}

// reach is the number of standard deviations at which the first and the last cell begin. Both
// reach to infinity.
const reach = 13

// evenly returns n+1 edges from low to high.
func evenly(low, high float64, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = low + (high-low)*float64(i)/float64(n)
	}
	return edges
}

// logistic returns ln(1+e^x).
func logistic(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
