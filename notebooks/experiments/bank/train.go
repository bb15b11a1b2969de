package bank

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// Shard holds the runs of one training on one part in one repeat. They are replicas of one trainer.
type Shard struct {
	Training int
	Part     Part
	Repeat   int
	Rate     int `json:",omitempty"` // place of its only learning rate, with Config.PerRate; otherwise 0
	Examples int // that they were trained on

	// Public is the share of public test examples that the network of the features gets right; 0
	// without features.
	Public float64 `json:",omitempty"`

	// Scores and Accuracies are shares of the validation and of the test examples that a run
	// gets right, [level][learning rate of the shard][run] in one list.
	Scores, Accuracies experiments.Floats
}

// Shards returns the number of shards. Their order is by repeat, training, part, learning rate.
func (c Config) Shards() int { return c.Repeats * len(c.Trainings) * len(c.parts()) * c.rateShards() }

// rateShards returns the number of shards that share the learning rates of a part.
func (c Config) rateShards() int {
	if c.PerRate {
		return len(c.rates(All))
	}
	return 1
}

// shard returns shard i without its runs.
func (c Config) shard(i int) Shard {
	rate, i := i%c.rateShards(), i/c.rateShards()
	parts := c.parts()
	return Shard{Part: parts[i%len(parts)], Training: i / len(parts) % len(c.Trainings), Repeat: i / len(parts) / len(c.Trainings), Rate: rate}
}

// shardRates returns the learning rates of a shard. They are those of its part, or one of them.
func (c Config) shardRates(s Shard) []float64 {
	if c.PerRate {
		return c.rates(s.Part)[s.Rate : s.Rate+1]
	}
	return c.rates(s.Part)
}

// steps returns the steps of all models of shard i together.
func (c Config) steps(i int) int {
	s := c.shard(i)
	return c.Trainings[s.Training].Steps * c.Levels() * len(c.shardRates(s)) * c.Runs
}

// Train trains the runs of shard i, in [0, Shards). A run that diverged counts with the accuracy of
// its zeros.
func Train(ctx context.Context, c Config, i int, env experiments.Env) (Shard, error) {
	if err := c.Validate(); err != nil {
		return Shard{}, err
	}
	if i < 0 || i >= c.Shards() {
		return Shard{}, fmt.Errorf("bank: shard %d: must be in [0, %d)", i, c.Shards())
	}
	s := c.shard(i)
	r, err := c.rows(ctx, env, s.Part, s.Repeat)
	if err != nil {
		return Shard{}, err
	}
	model, err := networks[c.Model]()
	if err != nil {
		return Shard{}, err
	}
	plan, roots := c.plan(s, r.size)
	plan.Progress = func(p dpsgd.Progress) { env.Report(p.Step, p.Steps, p.Detail()) }
	trainer, err := engine.NewReplicas(model, r.train, plan, env.Performance)
	if err != nil {
		return Shard{}, err
	}
	result, err := trainer.RunEach(ctx, roots)
	if err != nil {
		return Shard{}, err
	}
	return s.with(ctx, result, r)
}

// plan lists the runs of a shard. The name of a run's root comes from what the run is, not from its
// place.
func (c Config) plan(s Shard, size float64) (plan dpsgd.Plan, roots []streams.Root) {
	root := streams.Fixed(c.Seed).Child(fmt.Sprintf("repeat %d", s.Repeat))
	for level := range c.Levels() {
		for _, rate := range c.shardRates(s) {
			for run := range c.Runs {
				plan.Replicas = append(plan.Replicas, c.run(c.Trainings[s.Training], level, rate, size))
				roots = append(roots, root.Child(fmt.Sprintf("%s, training %d, level %d, rate %.6g, run %d", s.Part, s.Training, level, rate, run)))
			}
		}
	}
	return plan, roots
}

// with returns the shard with the accuracies of trained models.
func (s Shard) with(ctx context.Context, result *engine.Results, r rows) (Shard, error) {
	s.Examples, s.Public = r.train.Len(), r.public
	scores, errScores := result.Accuracy(ctx, r.validation)
	accuracies, err := result.Accuracy(ctx, r.test)
	if err := errors.Join(errScores, err); err != nil {
		return Shard{}, err
	}
	for i := range scores {
		s.Scores, s.Accuracies = append(s.Scores, float32(scores[i])), append(s.Accuracies, float32(accuracies[i]))
	}
	return s, nil
}
