package hidden

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// Shard holds the scores of some games of one setting and repetition.
type Shard struct {
	Adversaries [][]Scores // [of the setting][observed]
}

// Scores are those of models after a number of steps: themselves, or their order.
type Scores struct {
	Member, NonMember experiments.Floats `json:",omitempty"`
	Order             *Order             `json:",omitempty"`
}

// place says what a shard trains.
type place struct{ setting, repetition, block int }

// Shards returns how many shards a config has.
func (c Config) Shards() int { return len(c.Settings) * c.Repetitions * c.Games / c.Block }

// place returns that of a shard. Settings come one after the other, then repetitions, then further games of them all, so that
// what is done first is some of everything.
func (c Config) place(shard int) place {
	settings, repetitions := len(c.Settings), c.Repetitions
	return place{shard % settings, shard / settings % repetitions, shard / settings / repetitions}
}

// ModelSteps returns the mean over the shards of the steps of all models.
func (c Config) ModelSteps() float64 {
	sum := 0
	for _, s := range c.Settings {
		sum += (1 + len(s.Adversaries)) * s.Steps()
	}
	return float64(sum) * float64(c.Block) / float64(len(c.Settings))
}

// root is of one repetition. All settings share it: their order of the data, initial weights and noise of game by game.
func (c Config) root(repetition int) streams.Root {
	return streams.Fixed(fmt.Sprintf("%s, repetition %d", c.Seed, repetition))
}

// Run trains and scores the models of a shard.
func Run(ctx context.Context, c Config, shard int, env experiments.Env) (Shard, error) {
	if err := c.Validate(); err != nil {
		return Shard{}, err
	}
	p := c.place(shard)
	root := c.root(p.repetition)
	play, err := c.game(ctx, p, env)
	if err != nil {
		return Shard{}, err
	}
	var names []game.Adversary
	for _, name := range c.Settings[p.setting].Adversaries {
		names = append(names, adversaries[name])
	}
	results, err := play.RunEach(ctx, root, names)
	if err != nil {
		return Shard{}, fmt.Errorf("hidden: setting %d, repetition %d: %w", p.setting+1, p.repetition+1, err)
	}
	var out Shard
	for _, r := range results {
		var list []Scores
		for i, o := range r.Observed {
			list = append(list, c.pack(o.Scores, root, i < len(r.Observed)-1))
		}
		out.Adversaries = append(out.Adversaries, list)
	}
	return out, nil
}

// game returns what a shard plays.
func (c Config) game(ctx context.Context, p place, env experiments.Env) (game.HiddenState, error) {
	s := c.Settings[p.setting]
	model, err := networks[c.Network]()
	if err != nil {
		return game.HiddenState{}, err
	}
	rows, err := c.rows(ctx, c.root(p.repetition), env)
	return game.HiddenState{
		Model: model, Data: rows, Config: c.training(s), Games: c.Block, First: p.block * c.Block, Observe: s.Observe, At: s.at(),
		UnknownInitial: s.UnknownInitial, Performance: env.Performance,
		Progress: func(g game.Progress) { env.Report(g.Games, g.Total, "") },
	}, err
}

// pack returns scores as they are stored.
func (c Config) pack(scores audit.Scores, root streams.Root, early bool) Scores {
	if c.Ranks && early {
		order := newOrder(scores, root.Rand("ties"))
		return Scores{Order: &order}
	}
	return Scores{Member: floats(scores.Member), NonMember: floats(scores.NonMember)}
}

func floats(values []float64) experiments.Floats {
	out := make(experiments.Floats, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
