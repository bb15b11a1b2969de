// Package quickstart holds the experiments of the quickstart notebook: a small network is
// tuned privately on the embedded digits, its guarantee is printed, its accuracy is set
// beside that of models that were tuned in other ways, and one step of it is audited.
//
// Everything is drawn from fixed roots, so that the notebook reproduces; a release would
// take streams.Secret. Test accuracies are for research on the method: they are computed
// on data that the guarantee does not cover.
package quickstart

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// Config is one setting of the whole notebook.
type Config struct {
	Epsilon float64 // of one run, in nats
	Delta   float64

	Eta         float64 // shape of the law of the number of runs; 0 is logarithmic
	MeanRepeats float64 // E[K]

	Hidden       int // units of the hidden layer
	Steps        int
	SamplingRate float64
	PublicSize   float64 // public guess of the number of training examples: SamplingRate times it divides the noisy sum

	LearningRates []float64 // the grid that is searched, with ClipNorms
	ClipNorms     []float64

	ValidationShare float64 // chance that an example validates instead of training
	ScoreNoise      float64 // noise multiplier of the score, in validation examples

	Seeds int    // repeats behind the spread of accuracies
	Root  string // name of the fixed root

	CNNEpochs int // passes over MNIST of the convolutional network, in the mean

	Games      int // of the audit, half of them with the canary
	Confidence float64
}

// Defaults returns the setting of a profile, "quick" or "full", which differ in the numbers of
// seeds and games.
func Defaults(profile string) Config {
	c := Config{
		Epsilon: 3, Delta: 1e-5,
		Eta: 0, MeanRepeats: 10,
		Hidden: 32, Steps: 100, SamplingRate: 0.1, PublicSize: 1150,
		LearningRates: []float64{0.25, 0.5, 1, 2, 4}, ClipNorms: []float64{0.3, 1, 3},
		ValidationShare: 0.2, ScoreNoise: 4,
		Seeds: 25, Root: "quickstart",
		CNNEpochs: 2,
		Games:     2000, Confidence: 0.95,
	}
	if profile == "full" {
		c.Seeds, c.CNNEpochs, c.Games = 100, 20, 20000
	}
	return c
}

// Validate returns every fault that the parts below would not name by these fields.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, field string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("quickstart: %s %v: %s", field, value, rule))
		}
	}
	check(c.Epsilon > 0, "Epsilon", c.Epsilon, "must be > 0")
	check(c.Hidden >= 1, "Hidden", c.Hidden, "must be >= 1")
	check(c.PublicSize > 0, "PublicSize", c.PublicSize, "must be > 0")
	check(c.Seeds >= 2, "Seeds", c.Seeds, "must be >= 2, to have a spread")
	check(c.CNNEpochs >= 1, "CNNEpochs", c.CNNEpochs, "must be >= 1")
	check(len(c.LearningRates) > 0, "LearningRates", c.LearningRates, "must not be empty")
	check(len(c.ClipNorms) > 0, "ClipNorms", c.ClipNorms, "must not be empty")
	return errors.Join(append(errs, accounting.ValidateDelta(c.Delta))...)
}

// Hyperparameters are what the search chooses.
type Hyperparameters struct {
	LearningRate float64
	ClipNorm     float64
}

// String names both, for tables.
func (h Hyperparameters) String() string {
	return fmt.Sprintf("learning rate %g, clip norm %g", h.LearningRate, h.ClipNorm)
}

func (c Config) root() streams.Root { return streams.Fixed(c.Root) }

func (c Config) law() (selection.TNB, error) {
	return selection.TNBFromMean(c.Eta, c.MeanRepeats)
}

func (c Config) prior() dptune.Grid[Hyperparameters] {
	return dptune.Cross(c.LearningRates, c.ClipNorms, func(rate, clip float64) Hyperparameters {
		return Hyperparameters{LearningRate: rate, ClipNorm: clip}
	})
}

// run returns the config of one DP-SGD run.
func (c Config) run(noiseMultiplier float64, h Hyperparameters) dpsgd.Config {
	return dpsgd.Config{
		ClipNorm: h.ClipNorm, NoiseMultiplier: noiseMultiplier,
		SamplingRate: c.SamplingRate, Steps: c.Steps,
		ExpectedBatchSize: c.SamplingRate * c.PublicSize, LearningRate: h.LearningRate,
	}
}

// parts are the data of one experiment.
type parts struct {
	model                   dpsgd.Model
	train, validation, test data.Dataset
}

// load returns the network and the data, the training part split by coins from the fixed root.
func (c Config) load() (parts, error) {
	if err := c.Validate(); err != nil {
		return parts{}, err
	}
	train, test, err := digits.Load()
	if err != nil {
		return parts{}, err
	}
	p := parts{test: test}
	if p.train, p.validation, err = data.SplitCoins(train, c.ValidationShare, c.root().Rand("split")); err != nil {
		return parts{}, err
	}
	p.model, err = models.MLP(train.Width(), c.Hidden, train.Classes)
	return p, err
}
