package xiang2024

import (
	"math"

	"github.com/dplab/dplab/accounting/selection/monotone"
)

// A reading of Algorithm 3 that comes nearer to the printed values: its integral from cutLeft
// on only, at integer orders.
const (
	cutLeft    = -6.0
	cutRight   = 30.0
	cutPoints  = 3600
	cutHighest = 256
)

// CutEpsilon returns the ε that the two directions give when their integrals start at x = -6:
// with the larger divergence at each order, as line 4 of Algorithm 3 has it, and with a best
// order for each direction by itself. Neither is a bound: for orders α with (1-α)µ < -6 most
// of the integral lies further left.
func CutEpsilon(m monotone.Gaussian, delta float64) (line4, each float64) {
	const h = (cutRight - cutLeft) / cutPoints
	// The logarithms of both densities, up to a common factor per point.
	var logs [2][cutPoints + 1]float64
	runs := m.Law.Distribution()
	for i := range cutPoints + 1 {
		x := cutLeft + h*float64(i)
		for side, shift := range [2]float64{0, m.Mu} {
			y := x - shift
			logs[side][i] = runs.LogPGFDerivative(0.5*math.Erfc(-y/math.Sqrt2)) - y*y/2 - math.Log(2*math.Pi)/2
		}
	}
	line4 = math.Inf(1)
	best := [2]float64{line4, line4}
	for order := 2.0; order <= cutHighest; order++ {
		var epsilon [2]float64
		for side := range 2 {
			sum := 0.0
			for i := range cutPoints + 1 {
				part := math.Exp(order*logs[side][i] + (1-order)*logs[1-side][i])
				if i == 0 || i == cutPoints {
					part /= 2
				}
				sum += part * h
			}
			epsilon[side] = convert(order, math.Log(sum)/(order-1), delta)
			best[side] = math.Min(best[side], epsilon[side])
		}
		line4 = math.Min(line4, math.Max(epsilon[0], epsilon[1]))
	}
	return math.Max(0, line4), math.Max(0, math.Max(best[0], best[1]))
}

// convert is Theorem 6 of the paper. A cut divergence may be negative, which
// rdp.Conversion refuses.
func convert(order, divergence, delta float64) float64 {
	return divergence + math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
}
