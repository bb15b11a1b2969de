package game

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// baseRuns are the runs of all games, one game after the other, members first.
type baseRuns struct {
	Tuning
	counts         []int // K of each game
	roots          []streams.Root
	initial, final [][]float64
	proxies        [][]float64 // [run][proxy]
	warnings       []error
}

// draw draws K and the initial weights.
func (g Tuning) draw(root streams.Root) (*baseRuns, error) {
	b := &baseRuns{Tuning: g}
	k := g.Law.Distribution()
	for i := range g.Members + g.NonMembers {
		world, number := "member", g.First+i
		if i >= g.Members {
			world, number = "non-member", number-g.Members
		}
		game := root.Child(fmt.Sprintf("%s game %d", world, number))
		count, err := k.Rand(game.Rand("runs"))
		if err != nil {
			return nil, err
		}
		b.counts = append(b.counts, count)
		for j := range count {
			run := game.Child(fmt.Sprintf("run %d", j))
			b.roots = append(b.roots, run)
			b.initial = append(b.initial, g.Model.Init(run.Rand("initial weights")))
		}
	}
	return b, nil
}

// train trains all runs as replicas of one program. The noisy sum of a step is its move of the
// weights times -B/η.
func (b *baseRuns) train(ctx context.Context) error {
	before, gradient := make([][]float64, len(b.roots)), make([]float64, b.Model.Size())
	b.proxies = make([][]float64, len(b.roots))
	shared := !b.Config.Sampling.Secret() // secret batches are each run's own
	plan := dpsgd.Plan{SharedBatches: shared, Initial: &dpsgd.Parameters{Tensors: b.Model.Tensors(), Values: b.initial}}
	canary := b.Canary
	canary.In = make([]bool, 0, len(b.roots))
	for game, count := range b.counts {
		for range count {
			canary.In = append(canary.In, game < b.Members)
			plan.Replicas = append(plan.Replicas, b.Config)
		}
	}
	plan.Canary = &canary
	for r, w := range b.initial {
		before[r] = append([]float64{}, w...)
		b.proxies[r] = make([]float64, len(b.Proxies))
	}
	plan.Weights = func(step, r int, weights []float64) {
		c := b.Config.At(step)
		scale := -c.ExpectedBatchSize / c.LearningRate / (float64(b.Config.Steps) * c.ClipNorm * c.ClipNorm)
		for i, proxy := range b.Proxies {
			proxy(before[r], gradient)
			for j, w := range weights {
				b.proxies[r][i] += scale * gradient[j] * (w - before[r][j])
			}
		}
		copy(before[r], weights)
	}
	if b.Progress != nil {
		plan.Progress = func(p dpsgd.Progress) { b.Progress(p.Step, p.Steps) }
	}
	trainer, err := engine.NewReplicas(b.Model, b.Data, plan, b.Performance)
	if err != nil {
		return err
	}
	result, err := trainer.RunEach(ctx, b.roots)
	if err != nil {
		return err
	}
	for r, diverged := range result.Diverged {
		if diverged {
			return fmt.Errorf("run %d of %d diverged: Config.LearningRate %g must be less", r+1, len(b.roots), b.Config.LearningRate)
		}
	}
	b.final, b.warnings = result.Parameters.Values, result.Warnings
	return nil
}

// release selects a run of each game by each score.
func (b *baseRuns) release(ctx context.Context) ([]TunedGame, error) {
	scores := make([][]float64, len(b.Scores))
	for i, score := range b.Scores {
		var err error
		if scores[i], err = score(ctx, b.initial, b.final); err != nil {
			return nil, fmt.Errorf("Scores[%d]: %w", i, err)
		}
		if len(scores[i]) != len(b.final) {
			return nil, fmt.Errorf("Scores[%d] has %d values: must have %d, one for each run", i, len(scores[i]), len(b.final))
		}
	}
	games, first := make([]TunedGame, len(b.counts)), 0
	for i, count := range b.counts {
		games[i] = TunedGame{Runs: count, First: b.proxies[first]}
		for _, s := range scores {
			best := first
			for r := first; r < first+count; r++ {
				if s[r] != s[r] {
					return nil, errors.New("the score of a run is NaN: must be a number")
				}
				if s[r] > s[best] {
					best = r
				}
			}
			games[i].Released = append(games[i].Released, Released{s[best], b.proxies[best]})
		}
		first += count
	}
	return games, nil
}
