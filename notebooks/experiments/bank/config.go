package bank

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures"
)

// Config determines the runs of a bank, up to rounding.
type Config struct {
	Data      string  // one of Tasks
	Examples  int     `rule:">= 0"` // N of the training data, drawn without replacement; 0 means all
	Model     string  // one of Models
	ClipNorm  float64 `rule:"any"`
	Optimizer string  // "sgd" or "adam"

	// TuningRate is q in (0, 1). The bank then also has the runs of a tuning on a sample, and of
	// trainings on the rest. With 0 the bank has only runs on all data.
	TuningRate float64 `rule:"in [0, 1)"`

	Trainings     []Training // all with the same number of levels
	LearningRates []float64  `rule:"any"` // of the grid, increasing

	Repeats int `rule:">= 1"` // S >= 1, each with its own sample
	Runs    int `rule:">= 1"` // V >= 1 of each point in each repeat
	Seed    string

	// PerRate makes one shard for each learning rate, for shards that end in minutes. Without it a
	// shard trains all rates as replicas. TuningRate must then be 0.
	PerRate bool `json:",omitempty"`
}

// Training describes how long and with how much noise a model is trained.
type Training struct {
	SamplingRate     float64 // γ in (0, 1]
	Steps            int     // T >= 1
	NoiseMultipliers []float64
}

// Levels returns the number of noise multipliers of each training.
func (c Config) Levels() int {
	if len(c.Trainings) == 0 {
		return 0
	}
	return len(c.Trainings[0].NoiseMultipliers)
}

// Points returns the number of points of the grid: trainings x learning rates.
func (c Config) Points() int { return len(c.Trainings) * len(c.LearningRates) }

// Point returns the training and the learning rate of a point of the grid.
func (c Config) Point(i int) (Training, float64) {
	return c.Trainings[i/len(c.LearningRates)], c.LearningRates[i%len(c.LearningRates)]
}

// Validate returns every fault, joined.
func (c Config) Validate() error {
	f := figures.Faults(c)
	_, known := taskOf(c.Data)
	f.That(known, "Data", fmt.Sprintf("%q", c.Data), "must be one of "+taskNames())
	_, known = networks[c.Model]
	f.That(known, "Model", fmt.Sprintf("%q", c.Model), "must be one of "+names(networks))
	f.That(c.Optimizer == "sgd" || c.Optimizer == "adam", "Optimizer", fmt.Sprintf("%q", c.Optimizer), `must be "sgd" or "adam"`)
	f.That(len(c.Trainings) > 0, "Trainings", c.Trainings, "must not be empty")
	f.That(len(c.LearningRates) > 0 && slices.IsSorted(c.LearningRates), "LearningRates", c.LearningRates, "must be at least one, increasing")
	f.That(!c.PerRate || c.TuningRate == 0, "PerRate", c.PerRate, "must be false with a TuningRate")
	for i, t := range c.Trainings {
		f.That(len(t.NoiseMultipliers) > 0 && len(t.NoiseMultipliers) == c.Levels(), fmt.Sprintf("Trainings[%d].NoiseMultipliers", i), t.NoiseMultipliers,
			"must be at least one, and as many in all trainings")
	}
	if f.Err() == nil { // then of every run on all data, as if the public size were 1
		for i, t := range c.Trainings {
			for level := range t.NoiseMultipliers {
				for _, rate := range c.LearningRates {
					f.Below(fmt.Sprintf("Trainings[%d]", i), c.run(t, level, rate, 1).Validate())
				}
			}
		}
	}
	return f.Err()
}

// run returns the config of one run on data of a public size.
func (c Config) run(t Training, level int, rate, size float64) dpsgd.Config {
	run := dpsgd.Config{
		ClipNorm: c.ClipNorm, NoiseMultiplier: t.NoiseMultipliers[level], Sampling: dpsgd.Poisson{Rate: t.SamplingRate}, Steps: t.Steps,
		ExpectedBatchSize: t.SamplingRate * size, LearningRate: rate,
	}
	if c.Optimizer == "adam" {
		run.Optimizer = dpsgd.Adam{}
	}
	return run
}

// Part names the data that a run was trained on.
type Part string

// The parts.
const (
	All    Part = "all"
	Sample Part = "sample" // a Poisson sample of rate TuningRate
	Rest   Part = "rest"   // all records that the sample left
)

// parts returns the parts that the bank holds.
func (c Config) parts() []Part {
	if c.TuningRate == 0 {
		return []Part{All}
	}
	return []Part{Sample, Rest, All}
}

// share returns the public share of the data that a part has.
func (c Config) share(p Part) float64 {
	switch p {
	case Sample:
		return c.TuningRate
	case Rest:
		return 1 - c.TuningRate
	}
	return 1
}

// Scaled returns the learning rate for a part, from a rate tuned on the sample. With SGD the rate
// grows with the size of the data, with Adam it stays (Koskela and Kulkarni, 2023, Section 3.2).
func (c Config) Scaled(rate float64, to Part) float64 {
	if c.Optimizer == "adam" {
		return rate
	}
	return rate * c.share(to) / c.TuningRate
}

// rates returns the learning rates of the runs on a part, increasing. They are those of the grid,
// scaled if a tuning on the sample needs that.
func (c Config) rates(p Part) []float64 {
	var all []float64
	if p != Rest {
		all = append(all, c.LearningRates...)
	}
	if p != Sample && c.TuningRate > 0 {
		for _, rate := range c.LearningRates {
			all = append(all, c.Scaled(rate, p))
		}
	}
	slices.Sort(all)
	return slices.CompactFunc(all, same)
}

// same reports whether two learning rates are equal, up to the rounding of a factor.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }
