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

// OneRun audits one training, or a few. Each of m canaries is put into its data or left out by a
// fair coin, and gets a score from the final weights. One training gives m scores, while a game
// gives one. The scores are for package onerun:
//
//	g := game.OneRun{Model: model, Data: train, Config: config, Coordinates: 1000}
//	result, err := g.Run(ctx, root)
//	if err != nil { ... }
//	report, err := onerun.Bounds(result.Scores, audit.Config{Delta: 1e-5, Guesses: 100})
//	// compare with the ε of result.Event
//
// The adversary knows the data, the initial weights and all parameters, and sees the final weights.
// With plain SGD these are the sum of all noisy sums. Along a crafted gradient, seeing every step
// would therefore reveal no more. The score along a gradient u of norm C is
//
//	( <w, u/C> of a training without canaries - <w, u/C> ) / (η/B σC √T)
//
// With sampling rate q, noise and canary by themselves make it N(q√T/σ, 1) with the canary and N(0,
// 1) without. The score of an example is the decrease of its loss.
//
// Canaries disturb each other: each moves the weights at which later gradients are taken. That
// makes a bound smaller and never wrong. The bounds of package onerun need only fair and
// independent coins. Whatever the others are, one coin decides whether one example is there, and
// the training's guarantee is about that. Several trainings are one mechanism with all their coins,
// and each coin decides about one training.
//
// Reference: Steinke, Nasr, Jagielski (2023), arXiv:2305.08846v1, Algorithm 1 and Section 6.
type OneRun struct {
	Model  dpsgd.Model
	Data   data.Dataset // the examples next to the canaries; may be empty
	Config dpsgd.Config // of every training; it must be private

	// The canaries: one of the three. All trainings have the same canaries, each with its own coins.
	Coordinates int          // so many gradients of norm ClipNorm, each along its own weight, drawn at random
	Directions  int          // so many gradients of norm ClipNorm in directions drawn at random
	Examples    data.Dataset // examples, whose gradients are clipped as those of Data

	Trainings int // R >= 1, whose scores are pooled; 0 is 1

	// Simulations are trainings without canaries by the adversary. Scores are measured from their
	// mean. The effect of the data on the weights is then not noise of the scores. Along gradients the
	// simulations have no noise, and one is enough unless batches are sampled. 0 measures from the
	// initial weights.
	Simulations int

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// OneRunResult is the outcome of the trainings.
type OneRunResult struct {
	Scores    audit.Scores     // of all canaries of all trainings: those that were in, and those that were not
	Event     accounting.Event // what a training does to any example, canaries too: the claim under audit
	Config    dpsgd.Config
	Canaries  int // of each training
	Trainings int
	Seeded    bool    // from a fixed root
	Warnings  []error // of the engine
}

// Validate returns every fault of the audit, joined. Run finds the faults of the model and the
// data, before any work starts.
func (g OneRun) Validate() error {
	f := check.In("game: OneRun.")
	f.Below("Config", g.Config.Validate())
	mustBePrivate(f, g.Config, "audit")
	f.OneOf("", "Coordinates, Directions, Examples", g.Coordinates != 0, g.Directions != 0, g.Examples.Len() != 0)
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

// Run trains and scores. Training i draws from its own child of root. Its scores do not depend on
// the number of trainings.
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
		return OneRunResult{}, fmt.Errorf("game: all coins of %d canaries fell on the same side: must be more canaries, to have both members and non-members", result.Canaries*result.Trainings)
	}
	if err := result.Scores.Validate(); err != nil {
		return OneRunResult{}, fmt.Errorf("game: the training gave no usable scores: %w", err)
	}
	return result, nil
}
