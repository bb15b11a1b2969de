package contour

import "math"

// lineFor chooses the line Im x = b of the complex quadrature and its step, so that
//
//	e^{2b²/σ²} G(2b) / (e^{2πb/step}-1) <= e^-tail.
//
// Larger b allows a larger step but costs e^{b²/2σ²} in rounding, so b is at most 1.5σ (or
// widest); and 2b stays below .96 πσ², inside the strip where l is analytic. The b with the
// largest step is taken.
func lineFor(sigma, tail, widest float64, grow growth) (step, b float64) {
	limit := math.Min(math.Min(1.5*sigma, widest), 0.48*math.Pi*sigma*sigma)
	for f := 1.0; f > 1e-3; f *= 0.85 {
		try := f * limit
		u := try / sigma
		need := tail + 2*u*u + grow.at(2*try)
		s := 2 * math.Pi * try / need
		if s > step {
			step, b = s, try
		}
		if s < 0.5*step {
			break
		}
	}
	return step, b
}
