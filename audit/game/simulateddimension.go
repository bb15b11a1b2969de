package game

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// SimulatedDimension is A_GC-S (Algorithm 3): the adversary simulates training without the canary,
// and takes the coordinate that moves least. The zero value is the way that the paper finds best:
// without noise and clipping, by the sum of the squares of a coordinate's updates ("noiseless, per
// step").
//
// Algorithm 3 as printed takes a square root between simulations, and keeps the last of several
// final models. We take the sum over the simulations, as the text of Appendix C does. With one
// simulation the two are the same.
type SimulatedDimension struct {
	Noisy      bool // with the noise and the clipping of the config
	FinalModel bool // by the distance between the final and the initial weight
	Runs       int  // simulations: Noisy needs several; 0 is the paper's 4. A noiseless one has no randomness.
}

// String returns the paper's name.
func (a SimulatedDimension) String() string {
	switch {
	case a.Noisy && a.FinalModel:
		return "A_GC-S (noisy, final model)"
	case a.Noisy:
		return "A_GC-S (noisy, per step)"
	case a.FinalModel:
		return "A_GC-S (noiseless, final model)"
	}
	return "A_GC-S"
}

// Prepare simulates the trainings. It returns an error if Runs is not in [0, 1000].
func (a SimulatedDimension) Prepare(ctx context.Context, h Hidden) (Attack, error) {
	if err := check.Between(0, 1000).With("(0 for 4)").Of("SimulatedDimension.Runs", float64(a.Runs)); err != nil {
		return Attack{}, err
	}
	moved, err := a.simulate(ctx, h)
	if err != nil {
		return Attack{}, err
	}
	least := 0
	for i, m := range moved {
		if m < moved[least] {
			least = i
		}
	}
	return h.dimension(least)
}

// simulate returns how far each coordinate moved, in a unit that depends on FinalModel.
func (a SimulatedDimension) simulate(ctx context.Context, h Hidden) ([]float64, error) {
	config, runs := h.Game.Config, cmp.Or(a.Runs, 4)
	if !a.Noisy {
		config.NonPrivate, config.NoiseMultiplier, config.ClipNorm, config.Clipping = true, 0, 0, nil
		runs = 1
	}
	plan := dpsgd.Plan{Initial: &h.Initial, SharedBatches: true}
	roots, before := make([]streams.Root, runs), make([][]float64, runs)
	for r := range runs {
		plan.Replicas = append(plan.Replicas, config)
		roots[r], before[r] = h.simulation(r), append([]float64{}, h.Initial.Values[0]...)
	}
	moved := make([]float64, h.Game.Model.Size())
	plan.Weights = func(_, replica int, weights []float64) {
		for i, w := range weights {
			change := w - before[replica][i]
			if a.FinalModel {
				change = math.Sqrt(math.Abs(change)) // |θ_T - θ_0|, only of the last step
			}
			moved[i] += change * change
		}
		copy(before[replica], weights)
	}
	if a.FinalModel {
		plan.WeightsAt = func(step int) bool { return step == config.Steps-1 }
	}
	trainer, err := engine.NewReplicas(h.Game.Model, h.Game.Data, plan, h.Game.Performance)
	if err != nil {
		return nil, err
	}
	_, err = trainer.RunEach(ctx, roots)
	return moved, err
}

// simulation returns the root of one simulation.
func (h Hidden) simulation(run int) streams.Root {
	if run == 0 {
		return h.root.Child("simulation")
	}
	return h.root.Child(fmt.Sprintf("simulation %d", run))
}
