package quickstart

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// SeedsConfig trains Shards times PerShard models, each by itself at ε Epsilon and δ Delta,
// PerShard as one program.
type SeedsConfig struct {
	Epsilon, Delta         float64
	Hidden                 int // units of the hidden layer
	Steps                  int
	SamplingRate           float64
	ExpectedBatchSize      float64
	LearningRate, ClipNorm float64
	Root                   string // name of the fixed root
	Shards, PerShard       int
}

func seeds(shards, perShard int) SeedsConfig {
	return SeedsConfig{
		Epsilon: 3, Delta: 1e-5, Hidden: 32, Steps: 100, SamplingRate: 0.1, ExpectedBatchSize: 144, LearningRate: 1, ClipNorm: 1,
		Root: "quickstart seeds", Shards: shards, PerShard: perShard,
	}
}

// SeedsResult has the test accuracies of the runs that are done, and their mean and standard
// deviation.
type SeedsResult struct {
	Accuracies    experiments.Floats
	Mean, StdDev  float64
	StandardError float64 // of the mean
}

// Seeds is how much the test accuracy of one private run differs from seed to seed.
var Seeds = experiments.Experiment[SeedsConfig, experiments.Floats, SeedsResult]{
	Name: "quickstart/seeds", Title: "test accuracy of one private run, many seeds", Version: 1,
	Profiles: map[string]SeedsConfig{
		"quick": seeds(2, 8),
		"mid":   seeds(20, 50),
		"full":  seeds(100, 100),
	},
	Shards:     func(c SeedsConfig) int { return c.Shards },
	ModelSteps: func(c SeedsConfig) float64 { return float64(c.PerShard * c.Steps) },
	Run:        trainSeeds,
	Merge: func(_ SeedsConfig, parts []experiments.Part[experiments.Floats]) (r SeedsResult, _ error) {
		for _, p := range parts {
			r.Accuracies = append(r.Accuracies, p.Result...)
		}
		e := figures.EstimateOf(figures.Floats(r.Accuracies))
		r.Mean, r.StdDev, r.StandardError = e.Mean, e.StdDev, e.StdErr()
		return r, nil
	},
}

// trainSeeds trains the runs from index*PerShard on. A run depends only on its own number.
func trainSeeds(ctx context.Context, c SeedsConfig, index int, env experiments.Env) (experiments.Floats, error) {
	train, test, err := digits.Load()
	if err != nil {
		return nil, err
	}
	model, err := models.MLP(train.Width(), c.Hidden, train.Classes)
	if err != nil {
		return nil, err
	}
	config, err := dpsgd.Config{
		ClipNorm: c.ClipNorm, Sampling: dpsgd.Poisson{Rate: c.SamplingRate}, Steps: c.Steps, ExpectedBatchSize: c.ExpectedBatchSize, LearningRate: c.LearningRate,
	}.Calibrate(model, accounting.Target{Epsilon: c.Epsilon, Delta: c.Delta})
	if err != nil {
		return nil, err
	}
	plan := dpsgd.Plan{Progress: func(p dpsgd.Progress) { env.Report(p.Step, p.Steps, p.Detail()) }}
	var roots []streams.Root
	for i := range c.PerShard {
		plan.Replicas = append(plan.Replicas, config)
		roots = append(roots, streams.Fixed(c.Root).Child(fmt.Sprint(index*c.PerShard+i)))
	}
	trainer, err := experiments.Keep(env, "trainer", func() (*engine.Replicas, error) { return engine.NewReplicas(model, train, plan, env.Performance) })
	if err != nil {
		return nil, err
	}
	result, err := trainer.RunEach(ctx, roots)
	if err != nil {
		return nil, err
	}
	accuracies, err := result.Accuracy(ctx, test)
	return experiments.FloatsOf(accuracies), err
}
