package numeric

import (
	"math"
	"math/rand/v2"
)

// DrawGamma draws from the gamma law of shape alpha > 0 and scale 1.
//
// References: Marsaglia and Tsang (2000), ACM TOMS 26(3), pages 363 to 372; between 0.2 and 1 their
// draw of shape α + 1 times U^(1/α). Liu, Martin and Syring (2013), arXiv:1302.1884, below 0.2.
func DrawGamma(alpha float64, rng *rand.Rand) float64 {
	switch {
	case alpha == 1:
		return rng.ExpFloat64()
	case alpha < 0.2:
		return drawSmallGamma(alpha, rng)
	}
	d, factor := alpha-1.0/3, 1.0
	if alpha < 1 {
		d, factor = d+1, math.Pow(rng.Float64(), 1/alpha)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := rng.NormFloat64()
		v := 1 + x*c
		if v <= 0 {
			continue
		}
		v *= v * v
		if u := rng.Float64(); u < 1-0.0331*(x*x)*(x*x) || Log(u) < 0.5*x*x+d*(1-v+Log(v)) {
			return factor * d * v
		}
	}
}

// drawSmallGamma draws z = -α ln X for the gamma variable X, by rejection from a hull with two
// exponential tails, and returns X.
func drawSmallGamma(alpha float64, rng *rand.Rand) float64 {
	lambda := 1/alpha - 1
	share := math.Log1p(1 / lambda / math.E) // -ln of the chance of the right tail
	for {
		z, hull := rng.ExpFloat64()-share, 0.0
		if z >= 0 {
			hull = -z
		} else {
			z = -rng.ExpFloat64() / lambda
			hull = -1 + lambda*z
		}
		if x := math.Exp(-z / alpha); -z-x-hull > -rng.ExpFloat64() {
			return x
		}
	}
}
