package tuned

import (
	"math"
	"slices"

	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/papers"
)

// The banks behind Figures 2 to 8. Sampling rates, steps, clip norms and learning rates are those
// of Tables 1 and 2. δ, q and µ come with the price. So the axis of ε is the paper's, whatever the
// number of examples.
//
// By the levels of noise all methods have some ε between 1 and 8. By those of mid, all have one on
// both sides of ε 2 and 4, and of 1 but for IMDB. If γ and T are tuned too, each level has the
// noise that one run needs for ε 0.25, 0.6, 1.4, 3.3 or 8 at δ = 1e-5 (Section 4.1). It is rounded
// up to three digits.

// paperBank tunes only the learning rate on one of the paper's data sets, at the given levels of
// noise.
func paperBank(dataset, data, model, optimizer string, levels []float64) bank.Config {
	p, i := papers.Koskela2023, papers.Koskela2023.Column(dataset)
	c := bank.Config{
		Data: data, Model: model, ClipNorm: p.Table2[i].ClipNorm, Optimizer: optimizer, TuningRate: p.TuningRate,
		Seed: "koskela2023 " + dataset + " " + optimizer,
	}
	for _, power := range p.Table2[i].LearningRatePower {
		c.LearningRates = append(c.LearningRates, math.Pow(10, -power))
	}
	slices.Sort(c.LearningRates)
	fixed := p.Table1[i]
	steps := int(math.Round(float64(fixed.Epochs) / fixed.SamplingRate.Number))
	c.Trainings = []bank.Training{{SamplingRate: fixed.SamplingRate.Number, Steps: steps, NoiseMultipliers: levels}}
	return c
}

// sized returns a bank with so many examples, repeats, and runs of each point in each.
func sized(c bank.Config, examples, repeats, runs int) bank.Config {
	c.Examples, c.Repeats, c.Runs = examples, repeats, runs
	return c
}

var (
	midLevels  = []float64{1.1, 2.4, 5, 10.5}
	manyLevels = []float64{0.8, 1.2, 1.7, 2.5, 3.7, 5.5, 8, 12}
	fewLevels  = []float64{0.9, 1.4, 2.2, 4, 8}

	cifarMidLevels = []float64{1.2, 2.6, 5.5, 11.5} // of mid, for another γ and T
	imdbMidLevels  = []float64{2, 4.4, 10}          // none for the baseline at ε 1: these take long enough
)

func fashionBank(optimizer string, levels []float64) bank.Config {
	return paperBank("FashionMNIST", "fashion-mnist", "mlp", optimizer, levels)
}

// everySecond keeps every second learning rate of a bank, the least among them: they are a factor
// of 10 apart.
func everySecond(c bank.Config) bank.Config {
	var kept []float64
	for i := 0; i < len(c.LearningRates); i += 2 {
		kept = append(kept, c.LearningRates[i])
	}
	c.LearningRates = kept
	return c
}

func mnistBank(optimizer string, levels []float64) bank.Config {
	return paperBank("MNIST", "mnist", "mnist-cnn", optimizer, levels)
}

// mnistStandInBank has Fashion-MNIST's network in the place of a convolutional one, whose steps
// take more than ten times as long.
func mnistStandInBank(optimizer string) bank.Config {
	c := mnistBank(optimizer, midLevels)
	c.Model = "mlp"
	c.Seed += ", 784-120-120-10"
	return c
}

// cifarBank is the last layer on features of a public network: the paper's ResNet20, or a ConvNet.
func cifarBank(optimizer string, levels []float64) bank.Config {
	return paperBank("CIFAR-10", "cifar-10-features", "last-64", optimizer, levels)
}

func cifarConvNetBank(optimizer string, levels []float64) bank.Config {
	return paperBank("CIFAR-10", "cifar-10-convnet-features", "last-84", optimizer, levels)
}

func imdbBank(optimizer string) bank.Config {
	return paperBank("IMDB", "imdb", "imdb", optimizer, fewLevels)
}

// imdbWordsBank is the paper's network for only the 5,000 most frequent words.
func imdbWordsBank(optimizer string) bank.Config {
	return paperBank("IMDB", "imdb-5000", "imdb-5000", optimizer, imdbMidLevels)
}

// The trainings of Table 2 on 60,000 examples (MNIST and Fashion-MNIST), on CIFAR-10 and on IMDB:
// all batches, and all numbers of epochs.
var (
	jointOn60000 = []bank.Training{
		{SamplingRate: 0.0213, Steps: 469, NoiseMultipliers: []float64{6.25, 2.91, 1.52, 0.939, 0.663}},
		{SamplingRate: 0.0213, Steps: 939, NoiseMultipliers: []float64{8.76, 4, 1.98, 1.12, 0.744}},
		{SamplingRate: 0.0213, Steps: 1408, NoiseMultipliers: []float64{10.7, 4.86, 2.35, 1.27, 0.807}},
		{SamplingRate: 0.0213, Steps: 1878, NoiseMultipliers: []float64{12.4, 5.58, 2.67, 1.4, 0.861}},
		{SamplingRate: 0.0427, Steps: 234, NoiseMultipliers: []float64{8.81, 4.06, 2.03, 1.16, 0.76}},
		{SamplingRate: 0.0427, Steps: 468, NoiseMultipliers: []float64{12.4, 5.62, 2.71, 1.43, 0.878}},
		{SamplingRate: 0.0427, Steps: 703, NoiseMultipliers: []float64{15.2, 6.84, 3.25, 1.66, 0.972}},
		{SamplingRate: 0.0427, Steps: 937, NoiseMultipliers: []float64{17.5, 7.87, 3.72, 1.86, 1.06}},
	}
	jointOnCIFAR = []bank.Training{
		{SamplingRate: 0.0128, Steps: 1563, NoiseMultipliers: []float64{6.81, 3.14, 1.6, 0.954, 0.673}},
		{SamplingRate: 0.0128, Steps: 2344, NoiseMultipliers: []float64{8.3, 3.79, 1.88, 1.07, 0.72}},
		{SamplingRate: 0.0128, Steps: 3125, NoiseMultipliers: []float64{9.57, 4.35, 2.12, 1.16, 0.761}},
		{SamplingRate: 0.0256, Steps: 781, NoiseMultipliers: []float64{9.59, 4.38, 2.15, 1.19, 0.775}},
		{SamplingRate: 0.0256, Steps: 1172, NoiseMultipliers: []float64{11.8, 5.31, 2.56, 1.36, 0.844}},
		{SamplingRate: 0.0256, Steps: 1563, NoiseMultipliers: []float64{13.6, 6.11, 2.91, 1.51, 0.905}},
	}
	jointOnIMDB = []bank.Training{
		{SamplingRate: 0.0256, Steps: 2734, NoiseMultipliers: []float64{17.9, 8.03, 3.78, 1.88, 1.06}},
		{SamplingRate: 0.0256, Steps: 3516, NoiseMultipliers: []float64{20.3, 9.09, 4.26, 2.09, 1.15}},
		{SamplingRate: 0.0256, Steps: 4297, NoiseMultipliers: []float64{22.4, 10.1, 4.7, 2.28, 1.23}},
		{SamplingRate: 0.0512, Steps: 1367, NoiseMultipliers: []float64{25.3, 11.4, 5.3, 2.56, 1.35}},
		{SamplingRate: 0.0512, Steps: 1758, NoiseMultipliers: []float64{28.6, 12.9, 5.98, 2.87, 1.49}},
		{SamplingRate: 0.0512, Steps: 2148, NoiseMultipliers: []float64{31.6, 14.2, 6.6, 3.15, 1.61}},
	}
)

// joint tunes batches and epochs too.
func joint(c bank.Config, trainings []bank.Training) bank.Config {
	c.Seed += ", γ and epochs"
	c.Trainings = slices.Clone(trainings)
	return c
}

// shorter keeps so many least numbers of epochs of a joint bank with each batch, at the three lower
// ε of one run, and every second learning rate.
func shorter(c bank.Config, epochs int) bank.Config {
	c = everySecond(c)
	var kept []bank.Training
	for _, t := range c.Trainings {
		fewer := 0
		for _, other := range c.Trainings {
			if other.SamplingRate == t.SamplingRate && other.Steps < t.Steps {
				fewer++
			}
		}
		if fewer < epochs {
			t.NoiseMultipliers = t.NoiseMultipliers[:3]
			kept = append(kept, t)
		}
	}
	c.Trainings = kept
	return c
}

// digitsBank is for a minute: the embedded digits, and settings of ours.
func digitsBank(optimizer string) bank.Config {
	c := bank.Config{
		Data: "digits", Model: "digits-mlp", ClipNorm: 1, Optimizer: optimizer, TuningRate: papers.Koskela2023.TuningRate,
		Trainings: []bank.Training{{SamplingRate: 0.1, Steps: 100, NoiseMultipliers: []float64{0.936, 1.57, 2.98, 6.14}}},
		Repeats:   2, Runs: 2, Seed: "koskela2023 digits " + optimizer,
	}
	first := -1.5
	if optimizer == "adam" {
		first = -3.5
	}
	for i := range 5 {
		c.LearningRates = append(c.LearningRates, math.Pow(10, first+float64(i)/2))
	}
	return c
}

// digitsFeaturesBank is the last layer for the digits 0 to 4, on features of a network that knows 5
// to 9.
func digitsFeaturesBank(optimizer string) bank.Config {
	c := digitsBank(optimizer)
	c.Data, c.Model, c.Seed = "digits-features", "last-32", c.Seed+", features"
	return c
}

func digitsJointBank(optimizer string) bank.Config {
	c := digitsBank(optimizer)
	c.Runs = 1
	c.Seed += ", γ and epochs"
	c.Trainings = []bank.Training{
		{SamplingRate: 0.05, Steps: 100, NoiseMultipliers: []float64{3.21, 1.69, 1.03, 0.696}},
		{SamplingRate: 0.1, Steps: 50, NoiseMultipliers: []float64{4.47, 2.26, 1.28, 0.803}},
		{SamplingRate: 0.1, Steps: 100, NoiseMultipliers: []float64{6.14, 2.98, 1.57, 0.936}},
	}
	return c
}
