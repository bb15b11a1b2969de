package game

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Adversary decides on a canary before training and scores final weights. The adversaries here are
// of Cebere, Bellet, Papernot (2024), arXiv:2405.14457. Your own may do as it likes within the rule
// of [Attack]. A worse one makes the lower bound on ε smaller, never wrong.
type Adversary interface {
	fmt.Stringer // the name, which results and errors have
	Prepare(ctx context.Context, h Hidden) (Attack, error)
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

// Prepare draws the coordinate.
func (RandomDimension) Prepare(_ context.Context, h Hidden) (Attack, error) {
	return h.dimension(h.root.Rand("dimension").IntN(h.Game.Model.Size()))
}

// dimension returns the attack along one coordinate. A step of plain SGD subtracts η/B of the noisy
// sum. With nothing but noise and canary, the score after T steps is N(√T/σ, 1) with the canary and
// N(0, 1) without.
func (h Hidden) dimension(i int) (Attack, error) {
	if weight := h.Initial.Values[0][i]; void(h.Game.Config, h.Game.Performance.Precision, weight, h.Game.Data.Len()) {
		return Attack{}, fmt.Errorf("a canary along weight %d, which is %.3g, leaves no trace: Config.ClipNorm %g: must be larger, as rounding absorbs a step of ClipNorm times LearningRate/ExpectedBatchSize",
			i, weight, h.Game.Config.ClipNorm)
	}
	gradient := make([]float64, h.Game.Model.Size())
	gradient[i] = h.Game.Config.ClipNorm
	step, start := h.Game.Config.LearningRate/h.Game.Config.ExpectedBatchSize*h.Game.Config.NoiseStdDev(), h.start()[i]
	return Attack{
		Canary: dpsgd.Canary{Gradient: gradient},
		Score: func(steps int, weights []float64) float64 {
			return (start - weights[i]) / (step * math.Sqrt(float64(steps)))
		},
	}, nil
}

// Prepare draws the example and its label. It returns an error if the data hold no example, or no
// other label for it.
func (FlippedLabel) Prepare(_ context.Context, h Hidden) (Attack, error) {
	if h.Game.Data.Len() == 0 || h.Game.Data.Classes < 2 {
		return Attack{}, fmt.Errorf("data of %d examples and %d classes: must have an example, and another label for it", h.Game.Data.Len(), h.Game.Data.Classes)
	}
	rng := h.root.Rand("canary")
	i := rng.IntN(h.Game.Data.Len())
	canary := h.Game.Data.Subset("canary", []int{i})
	canary.Labels[0] = (canary.Labels[0] + 1 + rng.Int32N(int32(h.Game.Data.Classes-1))) % int32(h.Game.Data.Classes)
	evaluator, err := engine.NewEvaluator(h.Game.Model, canary, h.Game.Performance)
	if err != nil {
		return Attack{}, err
	}
	return Attack{
		Canary: dpsgd.Canary{Example: &dpsgd.Example{Features: canary.Row(0), Label: canary.Labels[0], Targets: canary.Target(0)}},
		ScoreModels: func(ctx context.Context, _ []int, weights [][]float64) ([]float64, error) {
			models := dpsgd.Parameters{Tensors: h.Game.Model.Tensors(), Values: weights}
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

// Prepare draws the direction.
func (RandomDirection) Prepare(_ context.Context, h Hidden) (Attack, error) {
	rng, unit := h.root.Rand("direction"), make([]float64, h.Game.Model.Size())
	for i := range unit {
		unit[i] = rng.NormFloat64()
	}
	length, gradient := norm(unit), make([]float64, len(unit))
	for i := range unit {
		unit[i] /= length
		gradient[i] = h.Game.Config.ClipNorm * unit[i]
	}
	start := h.start()
	return Attack{
		Canary: dpsgd.Canary{Gradient: gradient},
		Score:  func(_ int, weights []float64) float64 { return cosine(unit, start, weights) },
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
