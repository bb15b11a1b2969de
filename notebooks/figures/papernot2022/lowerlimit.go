package papernot2022

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
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
func LowerLimit(law law.Law, mu, delta float64) float64 {
	runs := law.Distribution()
	value := func(l, h float64) float64 {
		if !(l < h) {
			return 0
		}
		a, _ := successes(runs, normCDF(l-mu), normCDF(mu-h))
		_, b := successes(runs, normCDF(l), normCDF(-h))
		if !(a > delta) {
			return 0
		}
		const least = 1e-300 // below it float64 loses digits; a larger A' is on the safe side
		return math.Log(a-delta) - math.Log(math.Max(b, least))
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

// successes returns a lower and an upper bound on S(p+q) - S(p), S(p) = 1 - f(1-p), that
// hold in spite of rounding: S' = f'(1-p) falls with p, so that the difference lies between
// q f'(1-p-q) and q f'(1-p), and it is what is computed up to rounding of the two terms.
func successes(k law.Distribution, p, q float64) (lower, upper float64) {
	const rounding = 1e-14 // of each term, some ten times what the laws' formulas lose
	far, near := k.SuccessProbability(math.Min(1, p+q)), k.SuccessProbability(p)
	slack := rounding * (far + near)
	lower = math.Max(far-near-slack, q*math.Exp(k.LogPGFDerivative(math.Max(0, 1-p-q)))*(1-rounding))
	upper = math.Min(far-near+slack, q*math.Exp(k.LogPGFDerivative(1-p))*(1+rounding))
	return lower, upper
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
