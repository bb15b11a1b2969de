package audits

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/mnist"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// BankConfig describes a bank of single runs. Weighted by rank, they are the runs that tuning
// releases: see releasedWeights. A bank so serves the audits of Figures 1 to 3 and 7 to 9 and of
// Table 3.
type BankConfig struct {
	Data         string    // "digits", "fashion-mnist" or "cifar-10"
	BaseEpsilons []float64 `rule:"> 0"` // ε_B of one run, by the Rényi accountant; trained in this order
	Delta        float64   `rule:"in (0, 1)"`
	Law          law.TNB   // of K
	Examples     int       `rule:">= 1"` // in X, the first of the training data; all of them are in every step
	Validation   int       `rule:">= 1"` // the first of the test data; their loss is the score of NTNV
	Hidden       int       `rule:">= 1"` // units of the hidden layer
	Steps        int       `rule:">= 1"` // N of one run
	LearningRate float64   `rule:"> 0"`  // η, for a sum divided by Examples
	ClipNorm     float64   `rule:"> 0"`  // C
	Runs         int       `rule:">= 1"` // of each world, at one ε_B
	Block        int       `rule:">= 1"` // of these, in one shard; must divide Runs
	Trials       int       `rule:">= 1"` // audits that the runs are cut into; must divide Runs
	Root         string    // name of the fixed root
}

// learningRates have the least validation loss among 0.1, 0.3 and 1, in a few runs of mid at ε_B =
// 4. That of the digits is a guess.
var learningRates = map[string]float64{"digits": 1, "fashion-mnist": 1, "cifar-10": 0.3}

func bankOf(name string, runs, block, trials, examples, validation, steps int, epsilons ...float64) BankConfig {
	return BankConfig{
		Data: name, BaseEpsilons: epsilons, Delta: papers.Xiang2024.Delta, Law: law.TNB{Eta: 0, Gamma: 0.01},
		Examples: examples, Validation: validation, Hidden: 16, Steps: steps, LearningRate: learningRates[name], ClipNorm: 1,
		Runs: runs, Block: block, Trials: trials, Root: "xiang2024 bank",
	}
}

// bankExperiment returns the experiment of a data set. A bank of 4,600 runs of each world has the
// power of 1,000 games, and 9,240 runs that of the paper's 2,000. The profile quick is on the
// embedded digits, and needs no download.
func bankExperiment(item, title, name string) experiments.Experiment[BankConfig, BankShard, []BankShard] {
	return experiments.Experiment[BankConfig, BankShard, []BankShard]{
		Name: "xiang2024/" + item, Title: "Figures 1 to 3, 7 to 9 and Table 3: single runs on " + title, Version: 1,
		Profiles: map[string]BankConfig{
			"quick": bankOf("digits", 230, 230, 1, 100, 100, 10, 4),
			"mid":   bankOf(name, 4600, 115, 1, 1000, 1000, 50, 4, 2, 1),
			"full":  bankOf(name, 27720, 924, 3, 5000, 10000, 100, 4, 2, 1),
		},
		Shards: func(c BankConfig) int { return len(c.BaseEpsilons) * c.blocks() },
		ModelSteps: func(c BankConfig) float64 {
			return worldsOfBank * float64(c.Block) * float64(c.Steps)
		},
		Run:   trainBank,
		Merge: mergeBank,
	}
}

// The banks. FashionBank has the paper's first data sets: Fashion-MNIST, and z the first example of
// MNIST. CIFARBank has CIFAR-10, and z the first example of CIFAR-100. The paper takes z from SVHN,
// which is not at hand.
var (
	FashionBank = bankExperiment("fashion", "Fashion-MNIST", "fashion-mnist")
	CIFARBank   = bankExperiment("cifar", "CIFAR-10", "cifar-10")
)

// blocks returns the number of shards of one ε_B.
func (c BankConfig) blocks() int { return c.Runs / c.Block }

// epsilon returns the index of a shard's ε_B: shards are sorted by ε_B, then by block.
func (c BankConfig) epsilon(shard int) int { return shard / c.blocks() }

// Validate returns every fault, joined.
func (c BankConfig) Validate() error {
	f := figures.Faults(c)
	_, known := bankData[c.Data]
	f.That(known, "Data", fmt.Sprintf("%q", c.Data), `must be "digits", "fashion-mnist" or "cifar-10"`)
	if err := f.Err(); err != nil {
		return err
	}
	f.That(c.Runs%c.Block == 0 && c.Runs%c.Trials == 0, "Runs", c.Runs, fmt.Sprintf("must be a multiple of Block %d and of Trials %d", c.Block, c.Trials))
	return errors.Join(f.Err(), bigEnough(c.Law.Distribution(), c.Runs/c.Trials))
}

// source is a data set with the example that differs.
type source struct {
	load    func(dir string) (train, test data.Dataset, err error)
	foreign func(dir string, test data.Dataset) (dpsgd.Example, error)
}

var bankData = map[string]source{
	"digits":        {func(string) (data.Dataset, data.Dataset, error) { return digits.Load() }, negative},
	"fashion-mnist": {mnist.LoadFashion, firstOf(mnist.Load)},
	"cifar-10":      {cifar.Load, firstOf(cifar.LoadSubset100)},
}

// negative returns the first digit of the test data, black where it is white.
func negative(_ string, test data.Dataset) (dpsgd.Example, error) {
	z := dpsgd.Example{Label: test.Labels[0]}
	for _, x := range test.Row(0) {
		z.Features = append(z.Features, 1-x)
	}
	return z, nil
}

// firstOf returns the first training example of another data set: I = 0 in Table 2 of the paper.
func firstOf(load func(dir string) (train, test data.Dataset, err error)) func(string, data.Dataset) (dpsgd.Example, error) {
	return func(dir string, of data.Dataset) (dpsgd.Example, error) {
		other, _, err := load(dir)
		if err != nil {
			return dpsgd.Example{}, err
		}
		if other.Width() != of.Width() {
			return dpsgd.Example{}, fmt.Errorf("xiang2024: %s has %d numbers an example: must have %d, as %s", other.Name, other.Width(), of.Width(), of.Name)
		}
		return dpsgd.Example{Features: other.Row(0), Label: other.Labels[0] % int32(of.Classes)}, nil // CIFAR-100 has more classes
	}
}

// images reads the data.
func (c BankConfig) images(dir string) (images, error) {
	from := bankData[c.Data]
	train, test, err := from.load(dir)
	if err != nil {
		return images{}, fmt.Errorf("xiang2024: %w", err)
	}
	if c.Examples > train.Len() || c.Validation > test.Len() {
		return images{}, fmt.Errorf("xiang2024: BankConfig.Examples %d, Validation %d: must be at most %d and %d, the size of %s", c.Examples, c.Validation, train.Len(), test.Len(), c.Data)
	}
	z, err := from.foreign(dir, test)
	return images{flat(train, c.Examples), flat(test, c.Validation), z}, err
}

// flat returns the first examples, each as one row of numbers.
func flat(d data.Dataset, count int) data.Dataset {
	rows := make([]int, count)
	for i := range rows {
		rows[i] = i
	}
	out := d.Subset(d.Name, rows)
	out.Shape = []int{d.Width()}
	return out
}
