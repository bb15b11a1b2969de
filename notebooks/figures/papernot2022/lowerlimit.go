package papernot2022

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection"
)

// LowerLimit returns a lower limit, in nats, of every ε at delta that holds for the best
// of K runs of every Gaussian mechanism of parameter µ, whatever "best" means. A bound for
// Gaussian runs that is below it is wrong; one close to it is nearly the best possible.
//
// The runs release x, from N(µ, 1) on one data set and N(0, 1) on the other, and an order
// of the outputs that is bad for privacy is chosen: the outputs x < l are the best, those
// with x > h come second, all others last. With S(p) = 1 - f(1-p) the second group wins
// with chance
//
//	A  = S(Φ(l-µ) + Φ(µ-h)) - S(Φ(l-µ)),    A' = S(Φ(l) + Φ(-h)) - S(Φ(l)),
//
// and A <= e^ε A' + δ gives ε >= ln((A-δ)/A') for every l < h. l and h are searched; any
// pair gives a valid limit. l = -Inf is the order by x itself.
//
// Reference: the three-point example of Papernot and Steinke (ICLR 2022), appendix D.3, for
// a Gaussian pair; derived here.
func LowerLimit(law selection.Law, mu, delta float64) float64 {
	value := func(l, h float64) float64 {
		a := law.SuccessProbability(normCDF(l-mu)+normCDF(mu-h)) - law.SuccessProbability(normCDF(l-mu))
		b := law.SuccessProbability(normCDF(l)+normCDF(-h)) - law.SuccessProbability(normCDF(l))
		if !(l < h) || !(a > delta) || !(b > 0) {
			return 0
		}
		return math.Log((a - delta) / b)
	}
	best, l0, h0 := 0.0, 0.0, 0.0
	const step = 0.25
	for l := -9.0; l <= 2; l += step {
		for h := l + step; h <= mu+6; h += step {
			if v := value(l, h); v > best {
				best, l0, h0 = v, l, h
			}
		}
	}
	return compassSearch(value, l0, h0, step, best)
}

// compassSearch climbs from (x, y) in steps along the axes that it halves when none helps.
func compassSearch(value func(x, y float64) float64, x, y, step, best float64) float64 {
	for step > 1e-7 {
		moved := false
		for _, d := range [][2]float64{{step, 0}, {-step, 0}, {0, step}, {0, -step}} {
			if v := value(x+d[0], y+d[1]); v > best {
				x, y, best, moved = x+d[0], y+d[1], v, true
			}
		}
		if !moved {
			step /= 2
		}
	}
	return best
}

func normCDF(x float64) float64 { return distuv.UnitNormal.CDF(x) }
