package game

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// OneRun audits one training, or a few: m canaries are each put into its data or left out by a fair
// coin, and each gets a score from the final weights. One training gives m scores, where a game
// gives one. The scores are for package onerun:
//
//	result, err := game.OneRun{Model: model, Data: train, Config: config, Coordinates: 1000}.Run(ctx, root)
//	if err != nil { ... }
//	report, err := onerun.Bounds(result.Scores, audit.Config{Delta: 1e-5, Guesses: 100}) // beside the ε of result.Event
//
// The adversary knows the data, the initial weights and all parameters, and sees the final
// weights. Of plain SGD they are the sum of all noisy sums, so that along a crafted gradient
// it would learn no more from seeing every step. The score along a gradient u of norm C is
//
//	( <w, u/C> of a training without canaries - <w, u/C> ) / (η/B σC √T)
//
// of which noise and canary alone, sampled with rate q, make N(q√T/σ, 1) with it and N(0, 1)
// without. That of an example is by how much less its loss is.
//
// Canaries are in each other's way: what one adds moves the weights at which later gradients are
// taken. That makes a bound smaller and never wrong, for the bounds of package onerun ask nothing of
// the scores but that the coins are fair and independent: whatever the others are, one coin
// decides whether one example is there, which is what the training's guarantee is about.
// Several trainings are one mechanism with all their coins, each of which decides about one training.
//
// Reference: Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1, Algorithm 1 and Section 6.
type OneRun struct {
	Model  dpsgd.Model
	Data   data.Dataset // the examples beside the canaries; may be empty
	Config dpsgd.Config // of every training; it must be private

	// The canaries: one of the three. All trainings have the same, and coins of their own.
	Coordinates int          // so many gradients of norm ClipNorm, each along a weight of its own, drawn at random
	Directions  int          // so many gradients of norm ClipNorm in directions drawn at random
	Examples    data.Dataset // examples, whose gradients are clipped as those of Data

	Trainings int // R >= 1, whose scores are pooled; 0 is 1

	// Simulations are trainings without canaries by the adversary, whose mean the scores are
	// measured from: what the data do to the weights is then no noise of the scores. Along
	// gradients they have no noise, and one is enough unless batches are sampled. 0 is to measure
	// from the initial weights.
	Simulations int

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// OneRunResult is what was trained and what came of it.
type OneRunResult struct {
	Scores    audit.Scores     // of all canaries of all trainings: those that were in, and those that were not
	Event     accounting.Event // what a training does to any example, canaries too: the claim that the audit is about
	Config    dpsgd.Config
	Canaries  int // of each training
	Trainings int
	Seeded    bool    // from a fixed root
	Warnings  []error // of the engine
}

// Validate returns every fault of the audit, joined. Faults of the model and the data are found by
// Run, before any work starts.
func (g OneRun) Validate() error {
	f := check.In("game: OneRun.")
	f.Below("Config", g.Config.Validate())
	mustBePrivate(f, g.Config, "audit")
	given := 0
	for _, count := range []int{g.Coordinates, g.Directions, g.Examples.Len()} {
		if count != 0 {
			given++
		}
	}
	if given != 1 {
		f.Add(fmt.Errorf("game: OneRun has %d of Coordinates, Directions, Examples: must have exactly one", given))
	}
	f.Count("Coordinates", g.Coordinates, 0)
	f.Count("Directions", g.Directions, 0)
	f.Count("Trainings", g.Trainings, 0)
	f.Count("Simulations", g.Simulations, 0)
	mustNotSave(f, g.Performance)
	if err := g.Model.Validate(); err != nil {
		f.Below("Model", err)
	} else {
		f.That(g.Coordinates <= g.Model.Size(), "Coordinates", g.Coordinates, fmt.Sprintf("must be at most %d, the number of weights", g.Model.Size()))
	}
	return f.Err()
}

// trainings returns R.
func (g OneRun) trainings() int { return max(1, g.Trainings) }

// Run trains and scores. Training i draws from a child of root of its own, so that its scores do
// not depend on how many there are.
func (g OneRun) Run(ctx context.Context, root streams.Root) (OneRunResult, error) {
	if err := g.Validate(); err != nil {
		return OneRunResult{}, err
	}
	if err := root.Validate(); err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	set, err := g.prepare(root)
	if err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	result := OneRunResult{Event: g.Config.Event(), Config: g.Config, Canaries: set.canaries.Len(), Trainings: g.trainings(), Seeded: root.Seeded()}
	if err := set.run(ctx, &result); err != nil {
		return OneRunResult{}, fmt.Errorf("game: %w", err)
	}
	if len(result.Scores.Member) == 0 || len(result.Scores.NonMember) == 0 {
		return OneRunResult{}, fmt.Errorf("game: all coins of %d canaries fell alike: must be more canaries to compare", result.Canaries*result.Trainings)
	}
	if err := result.Scores.Validate(); err != nil {
		return OneRunResult{}, fmt.Errorf("game: the training gave no usable scores: %w", err)
	}
	return result, nil
}
