package fcnn

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// Config describes the panel. It decides the result, up to rounding.
type Config struct {
	Data            string    // "housing", or "digits" for 8 features of the embedded digits
	BatchSize       int       // B
	Batches         int       // how many there are; they follow each other in a circle
	Models          int       // of one audit, both worlds together, as the paper counts
	Repetitions     int       // audits with other initial weights, orders, canaries and noise
	LearningRates   []float64 // one panel each
	Adversaries     []string  // of A_GC-R, A_GC-S, A_L
	ClipNorm        float64
	NoiseMultiplier float64
	Observe         []int // numbers of steps, increasing; runs take the last
	Delta           float64
	Confidence      float64
	Seed            string // names the root of all draws
}

// adversaries are those of the paper, by its names.
var adversaries = map[string]game.Adversary{
	"A_GC-R": game.RandomDimension{}, "A_GC-S": game.SimulatedDimension{}, "A_L": game.FlippedLabel{},
}

// Full is the paper's setup, with both of its learning rates.
func Full() Config {
	m := papers.Cebere2024.Models[0]
	return Config{
		Data: "housing", BatchSize: m.BatchSize, Batches: 51, Models: m.Runs, Repetitions: 5,
		LearningRates: []float64{m.TextRate, m.LearningRate}, Adversaries: []string{"A_GC-R", "A_GC-S", "A_L"},
		ClipNorm: m.ClipNorms[0], NoiseMultiplier: m.NoiseMultiplier,
		Observe: []int{1, 5, 10, 25, 50, 75, 100, 125, 150, 175, 200, 225, 250},
		Delta:   m.Delta, Confidence: m.Confidence, Seed: "cebere2024 figure 1c",
	}
}

// Quick is 500 models, once, at the learning rate of the text, with batches of 100 from the
// embedded digits.
func Quick() Config {
	c := Full()
	c.Data, c.BatchSize, c.Batches, c.Models, c.Repetitions = "digits", 100, 14, 500, 1
	c.LearningRates, c.Observe = c.LearningRates[:1], []int{1, 25, 50, 100, 150, 200, 250}
	return c
}

// Validate returns every fault, joined.
func (c Config) Validate() error {
	f := check.In("fcnn: Config.")
	rows, known := rowsOf[c.Data]
	f.That(known, "Data", fmt.Sprintf("%q", c.Data), `must be "housing" or "digits"`)
	f.That(c.BatchSize >= 1 && c.Batches >= 1 && (!known || c.BatchSize*c.Batches <= rows), "Batches",
		fmt.Sprintf("%d of %d", c.Batches, c.BatchSize), fmt.Sprintf("must be at least 1 of 1, and have at most the %d rows of the data", rows))
	f.That(c.Models >= 4 && c.Models%2 == 0 && c.Models <= 1_000_000, "Models", c.Models, "must be an even number in [4, 1000000]")
	f.That(c.Repetitions >= 1 && c.Repetitions <= 1000, "Repetitions", c.Repetitions, "must be in [1, 1000]")
	f.That(len(c.LearningRates) > 0, "LearningRates", c.LearningRates, "must hold at least one")
	f.That(len(c.Adversaries) > 0, "Adversaries", c.Adversaries, "must hold at least one")
	for i, name := range c.Adversaries {
		_, ok := adversaries[name]
		f.That(ok && slices.Index(c.Adversaries, name) == i, "Adversaries", fmt.Sprintf("%q", name), "must be A_GC-R, A_GC-S or A_L, each once")
	}
	grow := len(c.Observe) > 1
	for i, t := range c.Observe {
		grow = grow && (i == 0 && t >= 1 || i > 0 && t > c.Observe[i-1])
	}
	f.That(grow, "Observe", c.Observe, "must be at least two numbers of steps, increasing, from 1")
	if grow {
		for _, rate := range c.LearningRates {
			f.Add(c.training(rate).Validate())
		}
	}
	f.Add(audit.Level{Delta: c.Delta, Confidence: c.Confidence}.Validate())
	return f.Err()
}

// training returns the config of one run.
func (c Config) training(rate float64) dpsgd.Config {
	return dpsgd.Config{
		ClipNorm: c.ClipNorm, NoiseMultiplier: c.NoiseMultiplier, Steps: c.Observe[len(c.Observe)-1],
		ExpectedBatchSize: float64(c.BatchSize), LearningRate: rate,
		Sampling: dpsgd.Sampling{Scheme: dpsgd.FixedBatches, Period: c.Batches},
	}
}
