package game

import (
	"context"
	"math"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// RandomDirection is A_CotS (Algorithms 7 and 8, after Andrew et al., 2024): a gradient of norm C
// in a direction drawn at random. The score is the cosine between the direction and the way that
// the weights have gone against it. That is Algorithm 7 with the sign turned: a high score is
// evidence for the canary.
type RandomDirection struct{}

// String returns the paper's name.
func (RandomDirection) String() string { return "A_CotS" }

func (RandomDirection) prepare(_ context.Context, h hidden) (attack, error) {
	rng, unit := h.root.Rand("direction"), make([]float64, h.Model.Size())
	for i := range unit {
		unit[i] = rng.NormFloat64()
	}
	length, gradient := norm(unit), make([]float64, len(unit))
	for i := range unit {
		unit[i] /= length
		gradient[i] = h.Config.ClipNorm * unit[i]
	}
	start := h.start()
	return attack{
		canary: dpsgd.Canary{Gradient: gradient},
		score:  func(_ int, weights []float64) float64 { return cosine(unit, start, weights) },
	}, nil
}

// cosine returns the cosine of the angle between a unit vector and the way from weights to start.
// It is 0 if they are equal.
func cosine(unit, start, weights []float64) float64 {
	along, squares := 0.0, 0.0
	for i, w := range weights {
		way := start[i] - w
		along += unit[i] * way
		squares += way * way
	}
	if squares == 0 {
		return 0
	}
	return along / math.Sqrt(squares)
}
