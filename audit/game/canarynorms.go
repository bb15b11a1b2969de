package game

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// CanaryNorms trains Games models with the canary of Adversary, which must be an example. It
// returns the L2 norms of the canary's gradient, before clipping, at the weights after each of
// Observe steps, as [observed][game]. A canary with a norm below ClipNorm uses less than it may.
//
// The gradients are the engine's: the sum over a batch that holds only the canary.
func (g HiddenState) CanaryNorms(ctx context.Context, root streams.Root) ([][]float64, error) {
	h, err := g.setup(root, []Adversary{g.Adversary})
	if err != nil {
		return nil, err
	}
	a, err := h.prepare(ctx, g.Adversary)
	if err == nil && a.Canary.Example == nil {
		err = errors.New("the canary is a gradient: must be an example, as that of FlippedLabel")
	}
	if err != nil {
		return nil, fmt.Errorf("game: %v: %w", g.Adversary, err)
	}
	norms := matrix(len(g.observe()), 0)
	meter := newMeter(g.Progress, g.Games)
	err = h.train(ctx, 1, []Attack{{Canary: a.Canary}}, meter, func(c *cohort) error {
		trainer, err := h.alone(a.Canary.Example, len(c.in))
		if err != nil {
			return err
		}
		for at, weights := range c.kept {
			more, err := h.norms(ctx, trainer, weights)
			if err != nil {
				return err
			}
			norms[at] = append(norms[at], more...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("game: %v: %w", g.Adversary, err)
	}
	return norms, nil
}

// alone returns a trainer of some models on one example. It does not clip gradients.
func (h hidden) alone(x *dpsgd.Example, models int) (*engine.Replicas, error) {
	config := dpsgd.Config{
		NonPrivate: true, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, Sampling: dpsgd.FullBatch{},
	}
	var plan dpsgd.Plan
	for range models {
		plan.Replicas = append(plan.Replicas, config)
	}
	d := data.Dataset{Name: "canary", Shape: h.Data.Shape, Classes: h.Data.Classes, Features: x.Features, Labels: []int32{x.Label}}
	d.Targets, d.TargetShape = x.Targets, h.Data.TargetShape
	return engine.NewReplicas(h.Model, d, plan, h.Performance)
}

// norms returns the norm of the one example's gradient under each of the models.
func (h hidden) norms(ctx context.Context, trainer *engine.Replicas, weights [][]float64) ([]float64, error) {
	batches := make([][]int32, len(weights))
	for r := range batches {
		batches[r] = []int32{0}
	}
	sums, _, err := trainer.ClippedSums(ctx, dpsgd.Parameters{Tensors: h.Model.Tensors(), Values: weights}, batches)
	if err != nil {
		return nil, err
	}
	norms := make([]float64, len(sums))
	for r, gradient := range sums {
		norms[r] = norm(gradient)
	}
	return norms, nil
}
