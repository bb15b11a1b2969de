package tails

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// NormalQuantile returns Φ^-1(p) for p in [0, 1].
func NormalQuantile(p float64) float64 { return mathext.NormalQuantile(p) }

// NormalUpperQuantile returns Φ^-1(1-p), without the cancellation of 1-p.
func NormalUpperQuantile(p float64) float64 { return -mathext.NormalQuantile(p) }

// NormalDensity returns the standard normal density at x.
func NormalDensity(x float64) float64 { return math.Exp(-0.5*x*x - halfLog2Pi) }
