package kernel

import (
	"math"

	"github.com/gomlx/compute/dtypes"
)

// This file has the constants of rounding proofs.

// UnitRoundoff returns the unit roundoff u: a rounded result is off by a factor 1+δ, |δ| <= u.
func UnitRoundoff(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 0x1p-53
	}
	return 0x1p-24
}

// Smallest returns the smallest number that a backend must hold.
func Smallest(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 0x1p-1022
	}
	return 0x1p-126
}

// Gamma returns γ_n = n u/(1-n u), +Inf from n u = 1/2 on.
func Gamma(dtype dtypes.DType, n float64) float64 {
	nu := n * UnitRoundoff(dtype)
	if !(nu < 0.5) {
		return math.Inf(1)
	}
	return nu / (1 - nu) * (1 + 1e-12)
}

// LostSquares returns a bound on how much too small a sum of count squares is because some squares
// underflow. It is count times the smallest number that a backend must hold. It is added to a
// squared norm before a product or a root. Otherwise a gradient that is small in every coordinate
// would count as zero.
func LostSquares(dtype dtypes.DType, count int) float64 {
	return float64(count) * Smallest(dtype)
}
