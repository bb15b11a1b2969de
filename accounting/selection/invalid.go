package selection

import (
	"math"
	"math/rand/v2"
)

// invalid is the distribution of a law that is not valid: nothing is known, and nothing drawn.
type invalid struct{ err error }

func (invalid) Mean() float64                         { return math.NaN() }
func (invalid) LogPMF(int) float64                    { return math.NaN() }
func (invalid) PGF(float64) float64                   { return math.NaN() }
func (invalid) LogPGFDerivative(float64) float64      { return math.NaN() }
func (invalid) SuccessProbability(float64) float64    { return math.NaN() }
func (invalid) ExpectedQuantile() float64             { return math.NaN() }
func (invalid) MaxLogWeight(float64, Profile) float64 { return math.Inf(1) }

func (i invalid) Rand(*rand.Rand) (int, error) { return 0, i.err }
