package game

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// HiddenState is the game of whole runs in the hidden-state model: the adversary sees only the
// final weights. It knows the data, the initial weights, the batches and all parameters, and
// decides on the canary before training. The canary takes part in every step (periodicity 1), or in
// those of At.
//
// A run is observed after each of Observe steps, as if it had ended there. The scores after one
// number of steps are independent games; those after different numbers are not.
//
// Reference: Cebere, Bellet, Papernot (2024), arXiv:2405.14457, Section 4 and Algorithm 4.
type HiddenState struct {
	Model dpsgd.Model
	Data  data.Dataset // the examples next to the canary

	// Config is of every run. Its batches must not be secret: FullBatch or FixedBatches.
	Config dpsgd.Config

	Adversary Adversary
	Games     int                 // n >= 1, runs of each world: n with the canary and n without
	First     int                 // >= 0, the number of the first game: parts of many games may be played apart
	Observe   []int               // numbers of steps, ascending, in [1, Config.Steps]; empty for only the last
	At        func(step int) bool // the steps that the canary takes part in; nil for all

	// UnknownInitial gives every run its own initial weights, which the adversary does not know. It
	// scores without them, and simulates from weights that it draws.
	UnknownInitial bool

	Performance engine.Performance
	Progress    func(Progress) // called now and then; nil for none
}

// HiddenResult is the outcome of the games.
type HiddenResult struct {
	Adversary string
	Config    dpsgd.Config
	Observed  []Observation
	Seeded    bool // from a fixed root
	Warnings  []error
}

// Observation holds the scores of runs that end after a number of steps.
type Observation struct {
	Steps  int
	Scores audit.Scores
	Event  accounting.Event // what these steps did to the canary: the claim under audit
}

// Validate returns every fault of the game, joined. Run finds the faults of the data, before any
// work starts.
func (g HiddenState) Validate() error {
	f := check.In("game: HiddenState.")
	invalid := g.Config.Validate()
	f.Below("Config", invalid)
	mustBePrivate(f, g.Config, "audit")
	if invalid == nil { // only then is Sampling known to be a scheme
		s := g.Config.Sampling
		f.That(!s.Secret(), "Config.Sampling", s, "must be FullBatch or FixedBatches, which the adversary may know")
	}
	f.Count("Games", g.Games, 1)
	f.Count("First", g.First, 0)
	f.That(g.Adversary != nil, "Adversary", "is nil", "must be one, for instance RandomDimension")
	mustNotSave(f, g.Performance)
	f.Below("Model", g.Model.Validate())
	mustObserve(f, g.Observe, g.Config.Steps, g.At)
	return f.Err()
}

// mustBePrivate adds a fault if a config makes no claim. to names the purpose of a claim.
func mustBePrivate(f *check.Faults, config dpsgd.Config, to string) {
	f.That(!config.NonPrivate, "Config.NonPrivate", true, "must be false: without noise there is no claim to "+to)
	f.That(config.Noise == nil, "Config.Noise", config.Noise, "must be nil: games score runs of independent noise")
	f.That(len(config.Phases) == 0, "Config.Phases", config.Phases, "must be nil: games score runs of equal steps")
}

// mustObserve adds the faults of numbers of steps that are observed, and of the steps that a canary
// takes part in.
func mustObserve(f *check.Faults, observe []int, steps int, at func(step int) bool) {
	before := 0
	for i, t := range observe {
		f.That(t > before && t <= steps, fmt.Sprintf("Observe[%d]", i), t,
			fmt.Sprintf("must be above %d and at most %d, the number of steps", before, steps))
		before = t
	}
	first := steps
	if len(observe) > 0 {
		first = observe[0]
	}
	f.That(f.Err() != nil || joins(at, first) > 0, "At", "leaves out all", fmt.Sprintf("must let the canary join one of the first %d steps, which come before the first observation", first))
}

// joins returns how many of the first steps a canary takes part in.
func joins(at func(step int) bool, steps int) (count int) {
	for t := range steps {
		if at == nil || at(t) {
			count++
		}
	}
	return count
}

// mustNotSave adds a fault if the engine is to save runs. A resumed run does not show the weights
// of the steps before, and other games of the same folder have other roots.
func mustNotSave(f *check.Faults, perf engine.Performance) {
	f.That(perf.Checkpoint == engine.Checkpoint{}, "Performance.Checkpoint.Dir", fmt.Sprintf("%q", perf.Checkpoint.Dir), "must be empty: games cannot be resumed")
}

// observe returns the numbers of steps after which runs are observed.
func (g HiddenState) observe() []int {
	if len(g.Observe) == 0 {
		return []int{g.Config.Steps}
	}
	return g.Observe
}

// at reports whether the canary takes part in a step.
func (g HiddenState) at(step int) bool { return g.At == nil || g.At(step) }

// event returns the event of the first steps on the canary. A step releases a sum of clipped
// gradients. So the event has the exact price of a replaced canary too, which moves a sum twice as
// far as one that is left out.
func (g HiddenState) event(steps int) accounting.Event {
	return accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: g.Config.NoiseMultiplier}, Count: joins(g.At, steps)}
}

// Run plays the games. Game i draws from its own children of root. Its scores do not depend on the
// number of games, and on Performance only by rounding.
func (g HiddenState) Run(ctx context.Context, root streams.Root) (HiddenResult, error) {
	results, err := g.RunEach(ctx, root, []Adversary{g.Adversary})
	if err != nil {
		return HiddenResult{}, err
	}
	return results[0], nil
}

// RunEach plays the games of several adversaries, in place of Adversary, with one result for each.
// All share the runs without a canary, which saves nearly half of the training. Each result by
// itself equals that of Run, up to rounding, but two results are not independent.
func (g HiddenState) RunEach(ctx context.Context, root streams.Root, adversaries []Adversary) ([]HiddenResult, error) {
	setup, err := g.setup(root, adversaries)
	if err != nil {
		return nil, err
	}
	attacks, results := make([]Attack, len(adversaries)), make([]HiddenResult, len(adversaries))
	for i, adversary := range adversaries {
		if attacks[i], err = setup.prepare(ctx, adversary); err != nil {
			return nil, fmt.Errorf("game: %v: %w", adversary, err)
		}
		results[i] = HiddenResult{Adversary: adversary.String(), Config: g.Config, Seeded: root.Seeded()}
		for _, t := range g.observe() {
			results[i].Observed = append(results[i].Observed, Observation{Steps: t, Event: g.event(t)})
		}
	}
	if err := setup.run(ctx, attacks, results); err != nil {
		return nil, fmt.Errorf("game: %w", err)
	}
	for _, result := range results {
		for _, o := range result.Observed {
			if err := o.Scores.Validate(); err != nil {
				return nil, fmt.Errorf("game: %s: no usable scores after %d steps: %w", result.Adversary, o.Steps, err)
			}
		}
	}
	return results, nil
}

// setup checks the game and draws the initial weights.
func (g HiddenState) setup(root streams.Root, adversaries []Adversary) (hidden, error) {
	if len(adversaries) == 0 {
		return hidden{}, errors.New("game: HiddenState: adversaries are empty: must be at least one, for instance RandomDimension")
	}
	for _, g.Adversary = range adversaries {
		if err := g.Validate(); err != nil {
			return hidden{}, err
		}
	}
	if err := root.Validate(); err != nil {
		return hidden{}, fmt.Errorf("game: %w", err)
	}
	initial := dpsgd.Parameters{Tensors: g.Model.Tensors(), Values: [][]float64{g.Model.Init(root.Rand("initial weights"))}}
	return hidden{HiddenState: g, root: root, initial: initial}, nil
}
