package xiang2024

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

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

// DivergenceByRank returns the divergences of monotone.Gaussian.Divergences by
// another way, which shares no code with it: Gauss-Legendre quadrature over the rank
// u = Φ(x-m) under the tilted law N(m, 1), m = (1-α)µ or αµ on the way back,
//
//	e^((α-1)D) = e^(α(α-1)µ²/2) ∫ f'(Φ(x))^α f'(Φ(x-µ))^(1-α) du,  x = m + Φ^-1(u)
//
// in panels that shrink towards both ends of (0, 1). It comes without error bounds. The law
// must have P[K = 0] = 0.
func DivergenceByRank(m monotone.Gaussian, order float64) (forth, back float64) {
	var out [2]float64
	runs := m.Law.Distribution()
	for side := range 2 {
		first, second, center := 0.0, m.Mu, (1-order)*m.Mu
		if side == 1 {
			first, second, center = m.Mu, 0, order*m.Mu
		}
		value := func(x float64) float64 {
			above := runs.LogPGFDerivative(normalCDF(x - first))
			below := runs.LogPGFDerivative(normalCDF(x - second))
			return math.Exp(order*above + (1-order)*below)
		}
		sum := 0.0
		for high := 0.5; high > 1e-200; high /= 2 {
			for _, flip := range [2]float64{1, -1} { // u and 1-u
				part := func(u float64) float64 { return value(center + flip*mathext.NormalQuantile(u)) }
				sum += quad.Fixed(part, high/2, high, 24, quad.Legendre{}, 0)
			}
		}
		out[side] = order*m.Mu*m.Mu/2 + math.Log(sum)/(order-1)
	}
	return out[0], out[1]
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
