package dptune

import (
	"math"
	"math/rand/v2"
)

// laplace returns a draw from the Laplace law of the given scale b, density e^(-|x|/b)/(2b):
// a sign and -b ln U, with U uniform on the odd multiples of 2^-53 in (0, 1).
//
// As real numbers these are Laplace draws up to the 2^-53 grid of U; |x| is at most 53 ln 2 = 36.74 b,
// which cuts off a mass of 2^-53 = 1.1e-16. Rounding to floating-point numbers is not covered, as for
// all noise here (Mironov 2012).
func laplace(scale float64, rng *rand.Rand) float64 {
	bits := rng.Uint64()
	magnitude := -scale * math.Log((float64(bits>>12)+0.5)*0x1p-52)
	if bits&1 == 1 {
		return -magnitude
	}
	return magnitude
}
