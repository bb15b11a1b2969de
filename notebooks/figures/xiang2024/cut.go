package xiang2024

import (
	"math"

	"github.com/dplab/dplab/accounting/selection"
)

// How the printed values seem to have come about: Algorithm 3's integral from cutLeft on
// only, at integer orders, each direction with its best order.
const (
	cutLeft    = -6.0
	cutRight   = 30.0
	cutPoints  = 3600
	cutHighest = 256
)

// CutEpsilon returns the ε that Algorithm 3 gives when its integral starts at x = -6. It is
// no bound: for orders α with (1-α)µ < -6 most of the integral lies further left.
func CutEpsilon(m selection.MonotoneGaussian, delta float64) float64 {
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
	worst := 0.0
	for side := range 2 {
		best := math.Inf(1)
		for order := 2.0; order <= cutHighest; order++ {
			sum := 0.0
			for i := range cutPoints + 1 {
				part := math.Exp(order*logs[side][i] + (1-order)*logs[1-side][i])
				if i == 0 || i == cutPoints {
					part /= 2
				}
				sum += part * h
			}
			best = math.Min(best, convert(order, math.Log(sum)/(order-1), delta))
		}
		worst = math.Max(worst, best)
	}
	return worst
}

// convert is Theorem 6 of the paper. A cut divergence may be negative, which
// rdp.Conversion refuses.
func convert(order, divergence, delta float64) float64 {
	return divergence + math.Log1p(-1/order) - math.Log(delta*order)/(order-1)
}
