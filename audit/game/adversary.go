package game

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Adversary decides on a canary before training and scores final weights. The adversaries here are
// of Cebere, Bellet, Papernot (2024), arXiv:2405.14457.
type Adversary interface {
	fmt.Stringer
	prepare(ctx context.Context, h hidden) (attack, error)
}

// RandomDimension is A_GC-R (Algorithm 2): a gradient of norm C along one coordinate, drawn at
// random. The score is how far the coordinate has moved against it.
type RandomDimension struct{}

// FlippedLabel is A_L: the canary is an example of the data, drawn at random, with another label.
// The score is the negative loss of the canary. A model that was trained on it has a smaller loss.
type FlippedLabel struct{}

// String returns the paper's name.
func (RandomDimension) String() string { return "A_GC-R" }

// String returns the paper's name.
func (FlippedLabel) String() string { return "A_L" }

func (RandomDimension) prepare(_ context.Context, h hidden) (attack, error) {
	return h.dimension(h.root.Rand("dimension").IntN(h.Model.Size()))
}

// dimension returns the attack along one coordinate. A step of plain SGD subtracts η/B of the noisy
// sum. With nothing but noise and canary, the score after T steps is N(√T/σ, 1) with the canary and
// N(0, 1) without.
func (h hidden) dimension(i int) (attack, error) {
	if weight := h.initial.Values[0][i]; void(h.Config, h.Performance.Precision, weight, h.Data.Len()) {
		return attack{}, fmt.Errorf("a canary along weight %d, which is %.3g, leaves no trace: Config.ClipNorm %g: must be larger, as rounding absorbs a step of ClipNorm times LearningRate/ExpectedBatchSize",
			i, weight, h.Config.ClipNorm)
	}
	gradient := make([]float64, h.Model.Size())
	gradient[i] = h.Config.ClipNorm
	step, start := h.Config.LearningRate/h.Config.ExpectedBatchSize*h.Config.NoiseStdDev(), h.start()[i]
	return attack{
		canary: dpsgd.Canary{Gradient: gradient},
		score: func(steps int, weights []float64) float64 {
			return (start - weights[i]) / (step * math.Sqrt(float64(steps)))
		},
	}, nil
}

func (FlippedLabel) prepare(_ context.Context, h hidden) (attack, error) {
	if h.Data.Len() == 0 || h.Data.Classes < 2 {
		return attack{}, fmt.Errorf("data of %d examples and %d classes: must have an example, and another label for it", h.Data.Len(), h.Data.Classes)
	}
	rng := h.root.Rand("canary")
	i := rng.IntN(h.Data.Len())
	canary := h.Data.Subset("canary", []int{i})
	canary.Labels[0] = (canary.Labels[0] + 1 + rng.Int32N(int32(h.Data.Classes-1))) % int32(h.Data.Classes)
	evaluator, err := engine.NewEvaluator(h.Model, canary, h.Performance)
	if err != nil {
		return attack{}, err
	}
	return attack{
		canary: dpsgd.Canary{Example: &dpsgd.Example{Features: canary.Row(0), Label: canary.Labels[0], Targets: canary.Target(0)}},
		scoreModels: func(ctx context.Context, weights [][]float64) ([]float64, error) {
			models := dpsgd.Parameters{Tensors: h.Model.Tensors(), Values: weights}
			losses, err := evaluator.Losses(ctx, models)
			if err != nil {
				return nil, err
			}
			scores := make([]float64, len(losses))
			for r, loss := range losses {
				scores[r] = -loss[0]
			}
			return scores, nil
		},
	}, nil
}

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
