package xiang2024

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/selection/monotone"
)

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
