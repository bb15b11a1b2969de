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

// OneStep is the game of one DP-SGD step in the white box. The adversary knows the background data
// and the weights before the step. It chooses the canary's clipped gradient (the worst one: a
// vector u of length C), and sees the noisy sum of gradients.
//
//	score = ( <noisy sum, u/C> - q <Σ clipped background gradients, u/C> ) / σC
//
// The subtracted term is the same in all games and known to the adversary; it only puts the scores
// on a scale. With q = 1 an honest step gives N(1/σ, 1) for members and N(0, 1) for non-members.
// With q < 1 the canary joins with chance q, and the background adds the variance of its own
// sampling.
//
// Reference: Nasr et al. (2023), arXiv:2302.07956: the white-box attack with a crafted gradient,
// here for one step.
type OneStep struct {
	Model      dpsgd.Model
	Background data.Dataset // the examples next to the canary; may be empty
	Config     dpsgd.Config // Steps must be 1, and it must be private
	Games      int          // n >= 1, games of each world: n with the canary and n without

	// Direction is the direction of the canary's gradient, of length Model.Size(), not zero.
	// Nil is the coordinate on which the background's clipped gradients sum to the least.
	Direction []float64

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// Result is the outcome of the games.
type Result struct {
	Scores audit.Scores     // Games scores of each class
	Event  accounting.Event // what one game did to the data: the claim under audit
	Config dpsgd.Config     // of the engine; zero if the game is Worlds
	Seeded bool             // from a fixed root
}

// Validate returns every fault of the game, joined. Run finds the faults of the model and the data,
// before any work starts.
func (g OneStep) Validate() error {
	f := check.In("game: OneStep.")
	f.Below("Config", g.Config.Validate())
	f.That(g.Config.Steps == 1, "Config.Steps", g.Config.Steps, "must be 1")
	_, poisson := g.Config.Sampling.(dpsgd.Poisson)
	f.That(poisson || g.Config.Sampling == nil, "Config.Sampling", g.Config.Sampling, "must be Poisson (with rate 1 for the whole background)")
	mustBePrivate(f, g.Config, "audit")
	f.Count("Games", g.Games, 1)
	mustNotSave(f, g.Performance)
	mustPoint(f, g.Model, g.Direction)
	return f.Err()
}

// mustPoint adds the faults of a model and of a canary's direction, if one is given.
func mustPoint(f *check.Faults, model dpsgd.Model, direction []float64) {
	if err := model.Validate(); err != nil {
		f.Below("Model", err)
	} else if direction != nil {
		length, size := len(direction), model.Size()
		f.That(length == size, "Direction", fmt.Sprintf("has length %d", length), fmt.Sprintf("must be %d, the number of weights", size))
		f.Number("Direction has norm", norm(direction), check.Positive)
	}
}

// Event returns the event of one game on the data.
func (g OneStep) Event() accounting.Event { return g.Config.Event() }

// Run plays the games. Game i draws from its own children of root. Its scores do not depend on the
// number of games, and on Performance only by rounding.
func (g OneStep) Run(ctx context.Context, root streams.Root) (Result, error) {
	if err := g.Validate(); err != nil {
		return Result{}, err
	}
	return g.play(ctx, root, func(t *table) { t.score = func(sums []float64) float64 { return sums[0] } })
}

// play plays the games on a table that set changes first.
func (g OneStep) play(ctx context.Context, root streams.Root, set func(t *table)) (Result, error) {
	if err := root.Validate(); err != nil {
		return Result{}, fmt.Errorf("game: %w", err)
	}
	table, err := g.lay(ctx, root)
	if err != nil {
		return Result{}, fmt.Errorf("game: %w", err)
	}
	set(&table)
	scores, err := table.run(ctx, root)
	if err != nil {
		return Result{}, fmt.Errorf("game: %w", err)
	}
	result := Result{Scores: scores, Event: g.Event(), Config: g.Config, Seeded: root.Seeded()}
	if err := scores.Validate(); err != nil {
		return Result{}, fmt.Errorf("game: the engine gave no usable scores: %w", err)
	}
	return result, nil
}
