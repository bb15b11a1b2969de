package bank

import (
	"context"

	"github.com/dplab/dplab/notebooks/experiments"
)

// Experiment is a bank that notebooks/train can fill.
type Experiment = experiments.Experiment[Config, Shard, Bank]

// Stored is the stored part of a bank.
type Stored = experiments.Stored[Config, Bank]

// NewExperiment returns the experiment of a bank with the configs of its profiles.
func NewExperiment(name, title string, profiles map[string]Config) Experiment {
	return Experiment{
		Name: name, Title: title, Version: 1, Profiles: profiles,
		Shards: Config.Shards,
		ModelSteps: func(c Config) (mean float64) {
			for i := range c.Shards() {
				mean += float64(c.steps(i)) / float64(c.Shards())
			}
			return mean
		},
		Smaller: func(c Config) (all []Config) { // shards are sorted by repeat
			for c.Repeats--; c.Repeats >= 1; c.Repeats-- {
				all = append(all, c)
			}
			return all
		},
		Run: func(ctx context.Context, c Config, shard int, env experiments.Env) (Shard, error) {
			return Train(ctx, c, shard, env)
		},
		Merge: func(c Config, parts []experiments.Part[Shard]) (Bank, error) {
			shards := make([]Shard, len(parts))
			for i, p := range parts {
				shards[i] = p.Result
			}
			return New(c, shards)
		},
	}
}

// Largest returns what is stored of the profile full, or else of mid: the first that has a complete
// repeat. If none has, the error wraps experiments.ErrNotStored.
func Largest(e Experiment) (Stored, error) {
	return e.Largest(func(s Stored) bool { return s.Result.Repeats > 0 })
}

// AccountOf describes the runs behind a figure.
func AccountOf(stored Stored) string {
	return "Profile " + stored.Profile + ": " + stored.Account.String()
}
