// Package hidden plays the audits of cebere2024 that train models. Thousands are trained in each of
// two worlds, with and without a canary. The adversary sees only the final weights.
//
// A [Config] names a network, its data, and [Setting]s that differ in learning rate, clip norm and
// how often the canary takes part. One shard trains models of one setting and repetition for all
// adversaries. They share the models without a canary. So each audit is valid, but two audits are
// not independent. A shard stores scores, and any bound can be computed from them later.
//
// The experiments themselves are in experiments.go, one for each network and question; figures of
// several items read one.
//
// It promises nothing to other modules.
package hidden

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures"
)

// Config describes audits of one network. It decides their scores, up to rounding.
type Config struct {
	Network         string    // "fcnn", "convnet", "resnet18", "narrow-resnet", "small-convnet", "last-layer" or "linear-digits"
	Data            string    // "housing", "digit-columns", "cifar-10", "digits" or "features": see rowsOf
	Files           int       `json:",omitempty" rule:"any"` // training files of CIFAR-10 that are read, of 10,000 images each; 0 for other data
	BatchSize       int       `rule:">= 1"`                  // B
	Batches         int       `rule:">= 1"`                  // how many there are; they follow each other in a circle
	NoiseMultiplier float64   `rule:"any"`                   // σ
	Settings        []Setting // one panel each
	Games           int       `rule:"in [2, 1000000]"` // of each world, in one audit; the paper counts both worlds
	Block           int       `rule:">= 1"`            // games of each world in one shard, a divisor of Games
	Repetitions     int       `rule:"in [1, 1000]"`    // audits with other initial weights, orders of the data, canaries and noise
	Ranks           bool      // of all but the last observed step only the order of the scores is stored; needs Block = Games
	Delta           float64   `rule:"any"`
	Confidence      float64   `rule:"any"`
	Seed            string    // names the root of all draws
}

// Setting is what the audits of one panel share.
type Setting struct {
	LearningRate   float64
	ClipNorm       float64
	Every          int  // k: the canary takes part in steps k, 2k, ...
	UnknownInitial bool `json:",omitempty"` // each model has its own initial weights, which the adversary does not know
	Adversaries    []string
	Observe        []int // numbers of steps, increasing; runs take the last

	// Instead of games: so many canaries, each along its own coordinate, in each of so many trainings,
	// and simulations without one. Then Adversaries is "A_GC-R by coordinates", and Config.Games scores
	// of each world are kept.
	Canaries    int `json:",omitempty"`
	Trainings   int `json:",omitempty"`
	Simulations int `json:",omitempty"`
}

// adversaries are those of the paper, by its names.
var adversaries = func() map[string]game.Adversary {
	named := map[string]game.Adversary{}
	for _, a := range []game.Adversary{
		game.RandomDimension{}, game.FlippedLabel{}, game.RandomDirection{}, game.SimulatedDimension{}, game.SimulatedDimension{FinalModel: true},
		game.SimulatedDimension{Noisy: true}, game.SimulatedDimension{Noisy: true, FinalModel: true},
	} {
		named[a.String()] = a
	}
	return named
}()

// Steps returns T, the length of a run.
func (s Setting) Steps() int { return s.Observe[len(s.Observe)-1] }

// at returns which steps, counted from 0, the canary takes part in: those of Algorithm 4, which
// counts from 1. Nil is all.
func (s Setting) at() func(step int) bool {
	if s.Every == 1 {
		return nil
	}
	return func(step int) bool { return (step+1)%s.Every == 0 }
}

// Insertions returns how often the canary takes part in so many steps.
func (s Setting) Insertions(steps int) int { return steps / s.Every }

// Validate returns every fault, joined.
func (c Config) Validate() error {
	f := figures.Faults(c)
	_, known := networks[c.Network]
	f.That(known, "Network", fmt.Sprintf("%q", c.Network), names(networks))
	from, known := datasets[c.Data]
	rows := from.rows * max(1, c.Files)
	f.That(known, "Data", fmt.Sprintf("%q", c.Data), names(datasets))
	f.That(c.onCIFAR() == (c.Files >= 1 && c.Files <= 5), "Files", c.Files, "must be in [1, 5] for CIFAR-10, and 0 for other data")
	f.That(!known || c.BatchSize*c.Batches <= rows, "Batches", fmt.Sprintf("%d of %d", c.Batches, c.BatchSize), fmt.Sprintf("must have at most the %d rows of the data", rows))
	f.That(c.Games%max(c.Block, 1) == 0, "Block", c.Block, fmt.Sprintf("must divide the %d games", c.Games))
	f.That(!c.Ranks || c.Block == c.Games, "Ranks", c.Ranks, "must be false where an audit has several shards, whose scores are put together")
	f.That(len(c.Settings) > 0, "Settings", "[]", "must hold at least one")
	for i, s := range c.Settings {
		f.Add(c.validateSetting(fmt.Sprintf("Settings[%d].", i), s))
	}
	f.Add(audit.Config{Delta: c.Delta, Confidence: c.Confidence}.Validate())
	return f.Err()
}

func (c Config) validateSetting(name string, s Setting) error {
	f := check.In("hidden: Config." + name)
	if s.Canaries != 0 {
		f.That(slices.Equal(s.Adversaries, []string{coordinates}), "Adversaries", s.Adversaries, "must be "+coordinates+" with Canaries")
		f.That(s.Canaries*s.Trainings > 2*c.Games && c.Block == c.Games, "Canaries", fmt.Sprintf("%d in %d trainings", s.Canaries, s.Trainings),
			fmt.Sprintf("must be more than the %d scores in all, of one shard", 2*c.Games))
		f.Count("Simulations", s.Simulations, 2)
		f.That(!s.UnknownInitial, "UnknownInitial", true, "must be false with Canaries")
	}
	f.That(len(s.Adversaries) > 0, "Adversaries", "[]", "must hold at least one")
	for i, a := range s.Adversaries {
		_, ok := adversaries[a]
		f.That(s.Canaries != 0 || ok && slices.Index(s.Adversaries, a) == i, "Adversaries", fmt.Sprintf("%q", a), "must be an adversary of package game, each once")
	}
	f.That(s.Every >= 1, "Every", s.Every, "must be at least 1")
	grow := len(s.Observe) > 0
	for i, t := range s.Observe {
		grow = grow && t >= max(s.Every, 1) && (i == 0 || t > s.Observe[i-1])
	}
	f.That(grow, "Observe", s.Observe, "must be numbers of steps, increasing, from the first that the canary takes part in")
	if grow {
		f.Add(c.training(s).Validate())
	}
	return f.Err()
}

// training returns the config of one run.
func (c Config) training(s Setting) dpsgd.Config {
	return dpsgd.Config{
		ClipNorm: s.ClipNorm, NoiseMultiplier: c.NoiseMultiplier, Steps: s.Steps(),
		ExpectedBatchSize: float64(c.BatchSize), LearningRate: s.LearningRate,
		Sampling: dpsgd.FixedBatches{Period: c.Batches},
	}
}
