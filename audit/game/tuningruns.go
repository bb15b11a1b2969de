package game

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/data"
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

// train trains all runs. Those of both worlds are replicas of one program, in which the engine adds
// the canary to those of members. With [dpsgd.TruncatedPoisson] the canary is a row of the members'
// data, because it takes the place of others. Then each world is a program.
func (b *baseRuns) train(ctx context.Context) error {
	b.proxies, b.final = make([][]float64, len(b.roots)), make([][]float64, len(b.roots))
	if _, cut := b.Config.Sampling.(dpsgd.TruncatedPoisson); !cut {
		canary := b.Canary
		return b.trainPart(ctx, part{data: b.Data, canary: &canary, to: len(b.roots), of: 1})
	}
	members := 0 // runs
	for _, count := range b.counts[:b.Members] {
		members += count
	}
	var parts []part
	for _, p := range []part{{data: withCanary(b.Data, *b.Canary.Example), to: members}, {data: b.Data, from: members, to: len(b.roots)}} {
		if p.from < p.to {
			parts = append(parts, p)
		}
	}
	for i, p := range parts {
		p.number, p.of = i, len(parts)
		if err := b.trainPart(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// part is the runs [from, to), trained on the same data.
type part struct {
	data       data.Dataset
	canary     *dpsgd.Canary // that the engine adds to the runs of members; nil for none
	from, to   int
	number, of int // of all parts, for Progress
}

// trainPart trains runs as replicas of one program. The noisy sum of a step is its move of the
// weights times -B/η.
func (b *baseRuns) trainPart(ctx context.Context, p part) error {
	before, gradient, moved := make([][]float64, p.to-p.from), make([]float64, b.Model.Size()), make([]float64, b.Model.Size())
	shared := !b.Config.Sampling.Secret() // secret batches are each run's own
	initial := b.initial[p.from:p.to]
	plan := dpsgd.Plan{SharedBatches: shared, Initial: &dpsgd.Parameters{Tensors: b.Model.Tensors(), Values: initial}, Canary: p.canary}
	for r, w := range initial {
		plan.Replicas = append(plan.Replicas, b.Config)
		before[r] = append([]float64{}, w...)
		b.proxies[p.from+r] = make([]float64, len(b.Proxies))
	}
	if p.canary != nil {
		p.canary.In = make([]bool, 0, len(b.roots))
		for game, count := range b.counts {
			for range count {
				p.canary.In = append(p.canary.In, game < b.Members)
			}
		}
	}
	plan.Weights = func(step, r int, weights []float64) {
		c, proxies := b.Config.At(step), b.proxies[p.from+r]
		scale := -c.ExpectedBatchSize / c.LearningRate / (float64(b.Config.Steps) * c.ClipNorm * c.ClipNorm)
		floats.SubTo(moved, weights, before[r])
		for i, proxy := range b.Proxies {
			proxy(before[r], gradient)
			proxies[i] += scale * floats.Dot(gradient, moved)
		}
		copy(before[r], weights)
	}
	if b.Progress != nil {
		plan.Progress = func(q dpsgd.Progress) { b.Progress(p.number*q.Steps+q.Step, p.of*q.Steps) }
	}
	trainer, err := engine.NewReplicas(b.Model, p.data, plan, b.Performance)
	if err != nil {
		return err
	}
	result, err := trainer.RunEach(ctx, b.roots[p.from:p.to])
	if err != nil {
		return err
	}
	for r, diverged := range result.Diverged {
		if diverged {
			return fmt.Errorf("run %d of %d diverged: Config.LearningRate %g must be less", p.from+r+1, len(b.roots), b.Config.LearningRate)
		}
	}
	copy(b.final[p.from:p.to], result.Parameters.Values)
	b.warnings = append(b.warnings, result.Warnings...)
	return nil
}

// withCanary returns the data with the canary as one more row.
func withCanary(d data.Dataset, x dpsgd.Example) data.Dataset {
	d.Features, d.Labels = slices.Concat(d.Features, x.Features), append(slices.Clone(d.Labels), x.Label)
	d.Targets = slices.Concat(d.Targets, x.Targets)
	return d
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
