package quickstart

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// Comparison repeats a private search over many seeds, and beside it, ways to do without one: hyper-parameters guessed, and drawn
// from the prior, at the ε of one run; drawn from the prior at the ε of the whole search; and no privacy.
type Comparison[H any] struct {
	Search   dptune.Search[H, dpsgd.Parameters] // its Candidate must be a candidate.DPSGD[H]
	Guess    H                                  // chosen without looking at the data
	Test     data.Dataset                       // outside of the guarantee
	Seeds    int                                // at least 2, to have a spread
	Root     streams.Root                       // seed i draws from its child "seed i"
	Progress func(done, of int)                 // steps; a search counts as one run, whatever it draws. Nil for none
}

// Validate returns every fault that the search does not name itself.
func (c Comparison[H]) Validate() error {
	f := check.In("quickstart: Comparison.")
	_, ok := c.Search.Candidate.(candidate.DPSGD[H])
	f.That(ok, "Search.Candidate", fmt.Sprintf("is a %T", c.Search.Candidate), fmt.Sprintf("must be a %T", candidate.DPSGD[H]{}))
	f.That(c.Test.Len() > 0, "Test", "is empty", "must hold at least one example")
	f.That(c.Seeds >= 2, "Seeds", c.Seeds, "must be >= 2, to have a spread")
	f.Add(c.Root.Validate())
	return f.Err()
}

// Arm is one way to choose the hyper-parameters, and the test accuracies it reached.
type Arm struct {
	Name       string
	Epsilon    float64   // of all that was done, at Accuracies.Delta; +Inf if not private
	Accuracies []float64 // one for each seed
}

// Accuracies compares ways to choose the hyper-parameters.
type Accuracies struct {
	Delta float64
	Arms  []Arm // with as many accuracies each
}

const tunedArm = "tuned privately"

// Run searches and trains, for each seed.
func (c Comparison[H]) Run(ctx context.Context) (Accuracies, error) {
	e, err := c.experiment()
	if err != nil {
		return Accuracies{}, err
	}
	arms := []Arm{
		{Name: tunedArm, Epsilon: e.tuned},
		{Name: "guessed", Epsilon: e.single},
		{Name: "drawn from the grid", Epsilon: e.single},
		{Name: "drawn from the grid, the search's ε", Epsilon: e.tuned},
		{Name: "not private", Epsilon: math.Inf(1)},
	}
	for i := range c.Seeds {
		accuracies, err := e.run(ctx, c.Root.Child(fmt.Sprintf("seed %d", i)))
		if err != nil {
			return Accuracies{}, err
		}
		for a, accuracy := range accuracies {
			arms[a].Accuracies = append(arms[a].Accuracies, accuracy)
		}
	}
	return Accuracies{Delta: c.Search.Delta, Arms: arms}, nil
}

// experiment holds what all seeds share.
type experiment[H any] struct {
	Comparison[H]
	sgd           candidate.DPSGD[H]
	single, tuned float64 // ε of one run, and of the search
	tunedNoise    float64 // noise multiplier of one run with the search's
	counter       counter
}

// stages is how many trainings follow each other for one seed: the search, the private arms, the open one.
const stages = 3

func (c Comparison[H]) experiment() (*experiment[H], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	price, err := c.Search.Price()
	if err != nil {
		return nil, err
	}
	e := &experiment[H]{Comparison: c, sgd: c.Search.Candidate.(candidate.DPSGD[H]), single: price.OneRun.Epsilon.Upper, tuned: price.Guarantee.Epsilon.Upper}
	guess := e.sgd.Configure(c.Guess)
	calibrated, err := guess.Calibrate(e.sgd.Model, accounting.Target{Epsilon: e.tuned, Delta: c.Search.Delta})
	if err != nil {
		return nil, err
	}
	e.tunedNoise = calibrated.NoiseMultiplier
	e.counter = counter{of: stages * guess.Steps * c.Seeds, report: c.Progress}
	e.sgd.Progress = e.counter.at
	e.Search.Candidate = e.sgd
	return e, nil
}

// run returns the test accuracy of each arm for one seed.
func (e *experiment[H]) run(ctx context.Context, root streams.Root) ([]float64, error) {
	release, err := e.Search.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	guess, drawn := e.sgd.Configure(e.Guess), e.sgd.Configure(e.Search.Prior.Draw(root.Rand("drawn from the grid")))
	e.counter.next(guess.Steps)
	tuned, err := engine.Accuracy(ctx, e.sgd.Model, release.Output, e.Test)
	if err != nil {
		return nil, err
	}
	dear := drawn
	dear.NoiseMultiplier = e.tunedNoise
	private, err := e.train(ctx, root.Child("one run"), guess, drawn, dear)
	if err != nil {
		return nil, err
	}
	open := guess
	open.NonPrivate, open.NoiseMultiplier, open.ClipNorm = true, 0, 0
	free, err := e.train(ctx, root.Child("not private"), open)
	return append(append(tuned, private...), free...), err
}

func (e *experiment[H]) train(ctx context.Context, root streams.Root, configs ...dpsgd.Config) ([]float64, error) {
	trainer, err := engine.NewReplicas(e.sgd.Model, e.sgd.Train, dpsgd.Plan{Replicas: configs, Progress: e.counter.at})
	if err != nil {
		return nil, err
	}
	result, err := trainer.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	e.counter.next(configs[0].Steps)
	return result.Accuracy(ctx, e.Test)
}

// counter adds up the steps of trainings that follow each other.
type counter struct {
	base, of int // steps of the trainings that are done, and of all
	report   func(done, of int)
}

// at reports the progress of the present training.
func (k *counter) at(p dpsgd.Progress) {
	if k.report != nil {
		k.report(k.base+p.Step, k.of)
	}
}

// next ends the present training, which had so many steps.
func (k *counter) next(steps int) { k.base += steps }
