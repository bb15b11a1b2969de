package papernot2022

import (
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

// limitCells is how many outputs a Gaussian run has where a limit is drawn. More of them move the limit up, by less than 0.01 at µ = 1.
const limitCells = 240

// LowerLimit returns a lower limit, in nats, of every ε at delta that holds for the best of K runs of every Gaussian mechanism of
// parameter mu, whatever "best" means. A bound for Gaussian runs that is below it is wrong; one close to it is nearly the best
// possible. It is what the worst interleaved order of the outputs leaks: see package worstorder.
func LowerLimit(l law.Law, mu, delta float64) (float64, error) {
	return worstorder.EpsilonAt(l, worstorder.Gaussian(mu, limitCells), delta)
}

func normCDF(x float64) float64 { return distuv.UnitNormal.CDF(x) }
