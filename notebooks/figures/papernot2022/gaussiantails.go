package papernot2022

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// gaussianConditioned is the divergence of order λ, after conditioning, of a Gaussian run
// with the given chance of a good output, for the worst of 400 ways to share that chance
// between two tails.
func gaussianConditioned(rho, order, mass float64) float64 {
	worst := 0.0
	for k := range 400 {
		share := 1 / (1 + math.Exp(float64(k-200)/10))
		worst = math.Max(worst, twoTails(rho, order, mass, share))
	}
	return worst
}

// twoTails is the divergence for Q = N(µ, 1), Q' = N(0, 1), µ = √(2ρ), and good outputs
// S = {x < l or x > h} with Q(S) = mass, of which the upper tail has a share:
//
//	∫_S Q^λ Q'^(1-λ) = e^(λ(λ-1)µ²/2) (Φ(l-λµ) + Φ(λµ-h))
func twoTails(rho, order, mass, share float64) float64 {
	mu := math.Sqrt(2 * rho)
	l := mu + distuv.UnitNormal.Quantile((1-share)*mass)
	h := mu - distuv.UnitNormal.Quantile(share*mass)
	inside := order*(order-1)*rho + math.Log(normCDF(l-order*mu)+normCDF(order*mu-h))
	other := math.Log(normCDF(l) + normCDF(-h))
	return (inside - order*math.Log(mass) - (1-order)*other) / (order - 1)
}

func normCDF(x float64) float64 { return distuv.UnitNormal.CDF(x) }
