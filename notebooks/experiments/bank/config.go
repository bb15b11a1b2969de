package bank

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// Config determines the runs of a bank, up to rounding.
type Config struct {
	Data      string // one of Tasks
	Examples  int    // N of the training data, drawn without replacement; 0 means all
	Model     string // one of Models
	ClipNorm  float64
	Optimizer string // "sgd" or "adam"

	// TuningRate is q in (0, 1). The bank then also has the runs of a tuning on a sample, and of
	// trainings on the rest. With 0 the bank has only runs on all data.
	TuningRate float64

	Trainings     []Training // all with the same number of levels
	LearningRates []float64  // of the grid, increasing

	Repeats int // S >= 1, each with its own sample
	Runs    int // V >= 1 of each point in each repeat
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
	var errs []error
	unless := func(ok bool, field string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("bank: Config.%s %v: %s", field, value, rule))
		}
	}
	_, known := taskOf(c.Data)
	unless(known, "Data", fmt.Sprintf("%q", c.Data), "must be one of "+taskNames())
	_, known = networks[c.Model]
	unless(known, "Model", fmt.Sprintf("%q", c.Model), "must be one of "+names(networks))
	unless(c.Examples >= 0, "Examples", c.Examples, "must be >= 0 (0 is all)")
	unless(c.Optimizer == "sgd" || c.Optimizer == "adam", "Optimizer", fmt.Sprintf("%q", c.Optimizer), `must be "sgd" or "adam"`)
	unless(c.TuningRate >= 0 && c.TuningRate < 1, "TuningRate", c.TuningRate, "must be in [0, 1)")
	unless(len(c.Trainings) > 0, "Trainings", c.Trainings, "must not be empty")
	unless(len(c.LearningRates) > 0 && slices.IsSorted(c.LearningRates), "LearningRates", c.LearningRates, "must be at least one, increasing")
	unless(c.Repeats >= 1, "Repeats", c.Repeats, "must be >= 1")
	unless(c.Runs >= 1, "Runs", c.Runs, "must be >= 1")
	unless(!c.PerRate || c.TuningRate == 0, "PerRate", c.PerRate, "must be false with a TuningRate")
	for i, t := range c.Trainings {
		unless(len(t.NoiseMultipliers) > 0 && len(t.NoiseMultipliers) == c.Levels(), fmt.Sprintf("Trainings[%d].NoiseMultipliers", i), t.NoiseMultipliers,
			"must be at least one, and as many in all trainings")
	}
	if len(errs) == 0 {
		errs = append(errs, c.validateRuns())
	}
	return errors.Join(errs...)
}

// validateRuns checks the config of every run on all data, as if the public size were 1.
func (c Config) validateRuns() error {
	var errs []error
	for i, t := range c.Trainings {
		for level := range t.NoiseMultipliers {
			for _, rate := range c.LearningRates {
				if err := c.run(t, level, rate, 1).Validate(); err != nil {
					errs = append(errs, fmt.Errorf("bank: Config.Trainings[%d]: %w", i, err))
				}
			}
		}
	}
	return errors.Join(errs...)
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
