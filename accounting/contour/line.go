package contour

import "math"

// lineFor chooses the line Im x = b of the complex quadrature and its step, so that
//
//	e^{2b²/σ²} G / (e^{2πb/step}-1) <= e^-tail,  G = cos(b/σ²)^-growth.
//
// growth is c in the add direction and 0 in the other. Larger b allows a larger step but
// costs e^{b²/2σ²} in rounding, so b is at most 1.5σ; and 2b stays below .96 πσ², inside the
// strip where l is analytic. The b with the largest step is taken.
func lineFor(sigma, tail, growth float64) (step, b float64) {
	limit := math.Min(1.5*sigma, 0.48*math.Pi*sigma*sigma)
	for f := 1.0; f > 1e-3; f *= 0.85 {
		try := f * limit
		u := try / sigma
		need := tail + 2*u*u - growth*math.Log(math.Cos(try/(sigma*sigma)))
		if s := 2 * math.Pi * try / need; s > step {
			step, b = s, try
		}
	}
	return step, b
}
