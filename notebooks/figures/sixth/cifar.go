// Package sixth trains the method of De et al. (2022), which is not one of the five papers. It has
// what notebooks/sixth.ipynb shows of stored trainings.
//
// [CIFAR] trains a wide residual network on CIFAR-10 at ε = 8. Each image has 1 to 16 augmented
// views, whose gradients are averaged before they are clipped. The last weights and an average over
// the steps are evaluated next to each other.
//
// It promises nothing to other modules.
package sixth

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/papers"
)

// Config describes trainings with several numbers of views, at one ε.
type Config struct {
	Data              string // "cifar-10", or "digits": the embedded ones
	Tested            int    // test images, the first ones
	Network           Network
	Views             []int // K
	Epsilon, Delta    float64
	ExpectedBatchSize float64
	Steps             int
	LearningRate      float64
	ClipNorm          float64
	Repeats           int    // of each K
	Microbatch        int    `json:",omitempty"` // views in one call; 0 leaves it to the engine
	Root              string // name of the fixed root
}

// Training has the test accuracies of one training.
type Training struct {
	Views, Repeat   int
	NoiseMultiplier float64
	Last, Averaged  float64 // of the last weights, and of their average over the steps
}

// CIFAR is the method of De et al. (2022) on CIFAR-10.
//
// The profile full has the settings that the authors published with their code for WRN-16-4: batch,
// learning rate, clip norm, views and crops. The number of steps is ours, and σ follows from ε. The
// profile mid has the same learning rate, clip norm and crops, but a small network and few steps.
// The profile quick takes the embedded digits, and shows that the code runs.
var CIFAR = experiments.Experiment[Config, Training, Result]{
	Name: "sixth/cifar", Title: "views and averaged weights on CIFAR-10", Version: 1,
	Profiles: map[string]Config{
		"quick": {
			Data: "digits", Tested: 300, Network: Network{Channels: 4, Width: 1, Blocks: 1, Groups: 2, Pool: 1, Padding: 1}, Views: []int{1, 2},
			Epsilon: 8, Delta: 1e-5, ExpectedBatchSize: 72, Steps: 8, LearningRate: 2, ClipNorm: 1, Repeats: 2, Root: "sixth cifar",
		},
		"mid": {
			Data: "cifar-10", Tested: 2000, Network: Network{Channels: 8, Width: 1, Blocks: 1, Groups: 4, Pool: 2, Padding: 4, Flip: true}, Views: []int{1, 2, 4, 8},
			Epsilon: papers.De2022.Epsilon, Delta: papers.De2022.Delta, ExpectedBatchSize: 256, Steps: 60, LearningRate: 2, ClipNorm: 1, Repeats: 16,
			Microbatch: 64, Root: "sixth cifar",
		},
		"full": {
			Data: "cifar-10", Tested: cifarTest, Network: Network{Channels: 16, Width: 4, Blocks: 2, Groups: 16, Pool: 1, Padding: 4, Flip: true}, Views: []int{1, 2, 4, 8, 16},
			Epsilon: papers.De2022.Epsilon, Delta: papers.De2022.Delta, ExpectedBatchSize: 4096, Steps: 2500, LearningRate: 2, ClipNorm: 1, Repeats: 3, Root: "sixth cifar",
		},
	},
	Shards:     func(c Config) int { return len(c.Views) * c.Repeats },
	ModelSteps: func(c Config) float64 { return float64(c.Steps) },
	Run:        train,
	Merge:      merge,
}

const (
	cifarFiles = 5      // of training images
	cifarTest  = 10_000 // test images
)

// train trains one repeat with one number of views. All numbers of views come before the next
// repeat. Repeat i draws the same initial weights, batches and noise for each of them.
func train(ctx context.Context, c Config, shard int, env experiments.Env) (Training, error) {
	t := Training{Views: c.Views[shard%len(c.Views)], Repeat: shard / len(c.Views)}
	images, err := experiments.Keep(env, "images", func() (sets, error) { return c.load(env) })
	if err != nil {
		return t, err
	}
	model, err := c.Network.model(images.train.Shape, images.train.Classes, t.Views)
	if err != nil {
		return t, err
	}
	if env.Performance.Microbatch == 0 && c.Microbatch > 0 {
		env.Performance.Microbatch = max(1, c.Microbatch/t.Views)
	}
	trainer, err := experiments.Keep(env, fmt.Sprint("trainer ", t.Views), func() (*engine.Replicas, error) {
		return c.trainer(model, images.train, env)
	})
	if err != nil {
		return t, err
	}
	result, err := trainer.RunEach(ctx, []streams.Root{streams.Fixed(c.Root).Child(fmt.Sprint("repeat ", t.Repeat))})
	if err != nil {
		return t, err
	}
	t.NoiseMultiplier = result.Configs[0].NoiseMultiplier
	evaluator, err := experiments.Keep(env, fmt.Sprint("evaluator ", t.Views), func() (*engine.Evaluator, error) {
		return engine.NewEvaluator(model, images.test, env.Performance)
	})
	if err != nil {
		return t, err
	}
	for _, of := range []struct {
		weights  dpsgd.Parameters
		accuracy *float64
	}{{result.Parameters, &t.Last}, {result.Averaged, &t.Averaged}} {
		accuracy, err := evaluator.Accuracy(ctx, of.weights)
		if err != nil {
			return t, err
		}
		*of.accuracy = accuracy[0]
	}
	return t, nil
}

// trainer calibrates the noise and compiles.
func (c Config) trainer(model dpsgd.Model, train data.Dataset, env experiments.Env) (*engine.Replicas, error) {
	config, err := dpsgd.Config{
		ClipNorm: c.ClipNorm, Sampling: dpsgd.Poisson{Rate: c.ExpectedBatchSize / float64(train.Len())}, Steps: c.Steps,
		ExpectedBatchSize: c.ExpectedBatchSize, LearningRate: c.LearningRate,
	}.Calibrate(model, accounting.Target{Epsilon: c.Epsilon, Delta: c.Delta})
	if err != nil {
		return nil, err
	}
	plan := config.Plan()
	plan.Average = c.average()
	plan.Progress = func(p dpsgd.Progress) { env.Report(p.Step, p.Steps, p.Detail()) }
	return engine.NewReplicas(model, train, plan, env.Performance)
}

// average returns the decay of the averaged weights, (1+T)/(10+T). It is the last one of the
// authors' rule, min(0.9999, (1+t)/(10+t)) at step t, if T is below 90,000.
func (c Config) average() float64 { return float64(1+c.Steps) / float64(10+c.Steps) }

// sets are the images to train on and to test with.
type sets struct{ train, test data.Dataset }

func (c Config) load(env experiments.Env) (s sets, err error) {
	switch c.Data {
	case "digits":
		s.train, s.test, err = digits.Load()
	case "cifar-10":
		s.train, s.test, err = cifar.Load(env.Data)
	default:
		err = fmt.Errorf("sixth: Config.Data %q: must be \"cifar-10\" or \"digits\"", c.Data)
	}
	if err != nil {
		return sets{}, err
	}
	if c.Tested < 1 || c.Tested > s.test.Len() {
		return sets{}, fmt.Errorf("sixth: Config.Tested %d: must be in [1, %d]", c.Tested, s.test.Len())
	}
	first := make([]int, c.Tested)
	for i := range first {
		first[i] = i
	}
	s.test = s.test.Subset(s.test.Name, first)
	return s, nil
}
