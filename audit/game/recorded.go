package game

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// Recorded is DP-SGD as a mechanism that record.Run can test. Every step is a run of the engine
// from the weights that the releases so far lead to. Its query is the step's sum of clipped
// gradients.
//
//	engine := game.Recorded{Model: model, Config: config}
//	claim := record.Config{Claim: config.Event()}
//	report, err := record.Run(engine.Mechanism(ctx, root), train, neighbors, claim)
//
// The release is the noisy sum that the engine computes. The exact sum is the release without the
// noise. The noise is what the engine releases from the same root on no data at all, and that needs
// a fixed root. Neighbors must differ at the end of the data set: examples are sampled by coins in
// their order. From step to step the weights move by plain SGD, whatever the config's optimizer is:
// its treatment of the releases costs no privacy.
//
// Every step has its own root and is step 0 of its run. [Recorded.OneRun] records what only a whole
// run shows, for instance noise that comes back, or the periods of a random allocation.
type Recorded struct {
	Model       dpsgd.Model // of at most 4096 parameters: a step keeps as many directions
	Config      dpsgd.Config
	Performance engine.Performance
}

// mostRecorded is the largest number of parameters: the directions are its square.
const mostRecorded = 4096

// Mechanism returns the training on a data set. Every run draws the same values from root.
func (g Recorded) Mechanism(ctx context.Context, root streams.Root) record.Mechanism[data.Dataset] {
	return func(train data.Dataset, session *record.Session) error {
		if err := g.validate(root); err != nil {
			return err
		}
		if a, is := g.Config.Sampling.(dpsgd.RandomAllocation); is {
			return fmt.Errorf("game: Recorded.Config.Sampling %v: must be Poisson or FullBatch, or check it by OneRun (every step is the first of its run)", a)
		}
		weights := g.Model.Init(root.Rand("initial weights"))
		nobody := train.Subset("nobody", nil)
		for t := range g.Config.Steps {
			step := root.Child(fmt.Sprintf("step %d", t))
			released, err := g.step(ctx, train, weights, step)
			if err != nil {
				return err
			}
			noise, err := g.step(ctx, nobody, weights, step)
			if err != nil {
				return err
			}
			if released, err = session.Release(g.query(released, noise)); err != nil {
				return err
			}
			for i, v := range released {
				weights[i] -= g.rate() * v
			}
		}
		return nil
	}
}

func (g Recorded) validate(root streams.Root) error {
	if err := root.Validate(); err != nil {
		return fmt.Errorf("game: %w", err)
	}
	f := check.In("game: Recorded.")
	f.That(root.Seeded(), "root", "is secret", "must come from streams.Fixed, since the noise is found by drawing it once more")
	f.Below("Config", g.Config.Validate())
	mustBePrivate(f, g.Config, "check")
	switch g.Config.Sampling.(type) {
	case nil, dpsgd.Poisson, dpsgd.RandomAllocation, dpsgd.FullBatch:
	default:
		f.That(false, "Config.Sampling", g.Config.Sampling, "must be Poisson, RandomAllocation or FullBatch (of fixed batches, what a step spends depends on the example)")
	}
	mustNotSave(f, g.Performance)
	size := g.Model.Size()
	f.That(size >= 1 && size <= mostRecorded, "Model", fmt.Sprintf("has %d parameters", size), fmt.Sprintf("must have from 1 to %d", mostRecorded))
	return f.Err()
}

// step returns the noisy sum of one step, coordinate by coordinate.
func (g Recorded) step(ctx context.Context, train data.Dataset, weights []float64, root streams.Root) ([]float64, error) {
	g.Config.Steps = 1
	result, err := g.run(ctx, train, g.plan(weights), root)
	if err != nil {
		return nil, err
	}
	return result.Probes[0], nil
}

// plan returns the plan of the config's steps from weights on, with a probe of every coordinate of
// the noisy sums.
func (g Recorded) plan(weights []float64) dpsgd.Plan {
	plan := g.Config.Plan()
	plan.Initial = &dpsgd.Parameters{Tensors: g.Model.Tensors(), Values: [][]float64{weights}}
	for i := range weights {
		unit := make([]float64, len(weights))
		unit[i] = 1
		plan.Probes = append(plan.Probes, unit)
	}
	return plan
}

func (g Recorded) run(ctx context.Context, train data.Dataset, plan dpsgd.Plan, root streams.Root) (*engine.Result, error) {
	trainer, err := engine.NewReplicas(g.Model, train, plan, g.Performance)
	if err != nil {
		return nil, fmt.Errorf("game: %w", err)
	}
	results, err := trainer.Run(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("game: %w", err)
	}
	return results.Model(0), nil
}

// rate returns by how much a step moves the weights for each unit of the noisy sum.
func (g Recorded) rate() float64 { return g.Config.LearningRate / g.Config.ExpectedBatchSize }

// query declares one step. Its spend is the config's own event of a step. If the steps are a random
// allocation, it is the event of all steps.
func (g Recorded) query(released, noise []float64) record.Query {
	q := record.Query{
		Name: "sum of clipped gradients", Sensitivity: g.Config.ClipNorm, NoiseStdDev: g.Config.NoiseStdDev(),
		Spend: g.Config.Event(), Released: released, Value: make([]float64, len(released)),
	}
	if steps, ok := q.Spend.(accounting.SelfComposed); ok {
		q.Spend = steps.Event
	}
	for i := range released {
		q.Value[i] = released[i] - noise[i]
	}
	return q
}
