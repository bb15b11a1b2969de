package hidden

import (
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/papers"
)

// Experiment is what the audits of a network are to notebooks/train.
type Experiment = experiments.Experiment[Config, Shard, Result]

func experiment(name, title string, profiles map[string]Config) Experiment {
	return Experiment{
		Name: "cebere2024/" + name, Title: title, Version: 1, Profiles: profiles,
		Shards: Config.Shards, ModelSteps: Config.ModelSteps, Run: Run, Merge: Merge,
	}
}

// The adversaries by the paper's names.
const (
	random, simulated, loss, cosine = "A_GC-R", "A_GC-S", "A_L", "A_CotS"
	noisyStep                       = "A_GC-S (noisy, per step)"
	noisyFinal                      = "A_GC-S (noisy, final model)"
	noiselessFinal                  = "A_GC-S (noiseless, final model)"
	coordinates                     = random + " by coordinates"
)

// everyWay are all adversaries that the paper plays on the FCNN.
var everyWay = []string{random, simulated, loss, noiselessFinal, noisyStep, noisyFinal, cosine}

// often are numbers of steps to look at when the canary takes part in every step.
var often = []int{1, 5, 10, 25, 50, 75, 100, 125, 150, 175, 200, 225, 250}

// FCNN is the network of 68 weights with the canary at every step: Figures 1c, 4 and 7. At the
// learning rate of the text all adversaries play, at that of Table 2 those of Figure 1c.
var FCNN = experiment("fcnn", "Figures 1c, 4 and 7: the FCNN, a canary at every step", map[string]Config{
	"quick": fcnnQuick(everyWay, 1, []int{1, 10, 25, 50, 75, 100}),
	"mid":   fcnn(func(c *Config) { c.Games, c.Block, c.Repetitions = 1000, 1000, 1 }),
	"full":  fcnn(func(*Config) {}),
})

// FCNNPeriod is the FCNN with the canary at every fifth and every 25th step: Figures 2 and 11,
// which the paper shows of larger networks.
var FCNNPeriod = experiment("fcnn-period", "Figures 2 and 11: the FCNN, a canary every k steps", map[string]Config{
	"quick": fcnnQuick([]string{random, simulated, loss}, 5, []int{5, 50, 100, 150, 200, 250}),
	"mid":   fcnnPeriod(func(c *Config) { c.Games, c.Block, c.Repetitions = 500, 500, 1 }),
	"full":  fcnnPeriod(func(*Config) {}),
})

// ConvNet is the network of 62,006 weights with the canary at every step: Figures 1a and 5.
var ConvNet = experiment("convnet", "Figures 1a and 5: the ConvNet, a canary at every step", map[string]Config{
	"quick": smallConvNetQuick(
		Setting{Every: 1, ClipNorm: 1, Adversaries: []string{random, loss, simulated}},
		Setting{Every: 1, ClipNorm: 4, Adversaries: []string{random, loss}}),
	"mid":  convNetEvery(250, 25),
	"full": convNetEvery(2500, 1250),
})

// ResNet is the network of 11,173,962 weights with the canary at every step: Figure 1b. What is not
// the paper's size is a demonstration on a network as deep, of 16 channels.
var ResNet = experiment("resnet18", "Figure 1b: ResNet18, a canary at every step", map[string]Config{
	"quick": narrowResNet(6, 6, 10),
	"mid":   narrowResNet(40, 10, 25),
	"full":  resNet(2500, 25),
})

// ConvNetUnknown is the ConvNet whose initial weights the adversary does not know: Figure 12.
var ConvNetUnknown = experiment("convnet-unknown", "Figure 12: the ConvNet, unknown initial weights", map[string]Config{
	"quick": smallConvNetQuick(Setting{Every: 1, ClipNorm: 1, UnknownInitial: true, Adversaries: []string{random}}),
	"mid":   convNetUnknown(250, 25),
	"full":  convNetUnknown(2500, 1250),
})

// ConvNetPeriod is the ConvNet with the canary at every fifth step: Figures 2a, 5, 6a and 11.
var ConvNetPeriod = experiment("convnet-period", "Figures 2a, 5, 6a and 11: the ConvNet, a canary every 5 steps", map[string]Config{
	"quick": smallConvNetQuick(Setting{Every: 5, ClipNorm: 1, Adversaries: []string{random, loss}}),
	"mid":   convNetPeriod(100, 10),
	"full":  convNetPeriod(2500, 500),
})

// LastLayer is a linear layer on features of a network that public images trained: Figure 13.
var LastLayer = experiment("lastlayer", "Figure 13: a last layer on public features", map[string]Config{
	"quick": lastLayerQuick(),
	"mid":   lastLayer(250, 250),
	"full":  lastLayer(2500, 2500),
})

// base is what all of the paper's audits share.
func base(model papers.Cebere2024Model) Config {
	return Config{
		BatchSize: model.BatchSize, NoiseMultiplier: model.NoiseMultiplier, Games: model.Runs / 2, Block: model.Runs / 2, Repetitions: 1,
		Delta: model.Delta, Confidence: model.Confidence,
	}
}

// fcnn is the paper's setup, with the learning rates of its text and of its Table 2.
func fcnn(change func(*Config)) Config {
	m := papers.Cebere2024.Models[0]
	c := base(m)
	c.Network, c.Data, c.Batches, c.Repetitions, c.Ranks, c.Seed = "fcnn", "housing", 51, 5, true, "cebere2024 figure 1c"
	c.Settings = []Setting{
		{LearningRate: m.TextRate, ClipNorm: m.ClipNorms[0], Every: 1, Adversaries: everyWay, Observe: often},
		{LearningRate: m.LearningRate, ClipNorm: m.ClipNorms[0], Every: 1, Adversaries: []string{random, simulated, loss}, Observe: often},
	}
	change(&c)
	return c
}

// fcnnQuick takes batches of 100 from the embedded digits, and 400 models.
func fcnnQuick(adversaries []string, every int, observe []int) Config {
	c := fcnn(func(*Config) {})
	c.Data, c.BatchSize, c.Batches, c.Games, c.Block, c.Repetitions = "digit-columns", 100, 14, 200, 200, 1
	c.Settings = []Setting{{LearningRate: 0.1, ClipNorm: 1, Every: every, Adversaries: adversaries, Observe: observe}}
	return c
}

// fcnnPeriod has as many insertions as Figure 1c: 1,250 and 6,250 steps.
func fcnnPeriod(change func(*Config)) Config {
	c := fcnn(func(*Config) {})
	c.Seed, c.Settings = "cebere2024 figure 2, FCNN", nil
	for _, every := range []int{5, 25} {
		s := Setting{LearningRate: papers.Cebere2024.Models[0].TextRate, ClipNorm: 1, Every: every, Adversaries: []string{random, simulated, loss}}
		for _, insertions := range []int{1, 25, 50, 100, 150, 200, 250} {
			s.Observe = append(s.Observe, every*insertions)
		}
		c.Settings = append(c.Settings, s)
	}
	change(&c)
	return c
}

// convNet takes its batches from the first two training files of CIFAR-10: 156 batches of 128,
// which follow each other in a circle. The paper does not print which batches it takes.
func convNet(games, block int) Config {
	c := base(papers.Cebere2024.Models[1])
	c.Network, c.Data, c.Files, c.Batches, c.Games, c.Block, c.Seed = "convnet", "cifar-10", 2, 156, games, block, "cebere2024 ConvNet"
	return c
}

// seldom are numbers of insertions to look at where that takes time: a loss needs all weights.
var seldom = []int{1, 25, 50, 100, 150, 200, 250}

func convNetEvery(games, block int) Config {
	c, m := convNet(games, block), papers.Cebere2024.Models[1]
	for _, clip := range m.ClipNorms {
		s := Setting{LearningRate: m.LearningRate, ClipNorm: clip, Every: 1, Adversaries: []string{random, loss}, Observe: seldom}
		if clip == m.ClipNorms[0] {
			s.Adversaries = []string{random, loss, simulated}
		}
		c.Settings = append(c.Settings, s)
	}
	return c
}

func resNet(games, block int) Config {
	c, m := convNet(games, block), papers.Cebere2024.Models[2]
	c.Network, c.Seed = "resnet18", "cebere2024 ResNet18"
	for _, clip := range m.ClipNorms {
		c.Settings = append(c.Settings, Setting{LearningRate: m.LearningRate, ClipNorm: clip, Every: 1, Adversaries: []string{random, loss}, Observe: seldom})
	}
	return c
}

// narrowResNet takes batches of 32 from the embedded digits.
func narrowResNet(games, block, steps int) Config {
	c := resNet(games, block)
	c.Network, c.Data, c.Files, c.BatchSize, c.Batches, c.Settings = "narrow-resnet", "digits", 0, 32, 20, c.Settings[:1]
	c.Settings[0].Observe = []int{1, steps / 2, steps}
	return c
}

func convNetUnknown(games, block int) Config {
	c, m := convNet(games, block), papers.Cebere2024.Models[1]
	c.Settings = []Setting{{LearningRate: m.LearningRate, ClipNorm: m.ClipNorms[0], Every: 1, UnknownInitial: true, Adversaries: []string{random}, Observe: seldom}}
	return c
}

func convNetPeriod(games, block int) Config {
	c, m := convNet(games, block), papers.Cebere2024.Models[1]
	s := Setting{LearningRate: m.LearningRate, ClipNorm: m.ClipNorms[0], Every: 5, Adversaries: []string{random, loss}}
	for _, insertions := range []int{1, 25, 50, 100, 150, 200, 250} {
		s.Observe = append(s.Observe, 5*insertions)
	}
	c.Settings = []Setting{s}
	return c
}

// smallConvNetQuick takes batches of 32 from the embedded digits, and 60 models of 30 steps.
func smallConvNetQuick(settings ...Setting) Config {
	c := convNet(30, 30)
	c.Network, c.Data, c.Files, c.BatchSize, c.Batches = "small-convnet", "digits", 0, 32, 20
	for i := range settings {
		settings[i].LearningRate, settings[i].Observe = papers.Cebere2024.Models[1].LearningRate, []int{5, 15, 30}
	}
	c.Settings = settings
	return c
}

func lastLayer(games, block int) Config {
	c, m := convNet(games, block), papers.Cebere2024.Models[1]
	c.Network, c.Data, c.Seed = "last-layer", "features", "cebere2024 figure 13"
	c.Settings = []Setting{{LearningRate: m.LearningRate, ClipNorm: m.ClipNorms[0], Every: 1, Adversaries: []string{random}, Observe: often}}
	return c
}

// lastLayerQuick is a linear layer on the pixels of the embedded digits.
func lastLayerQuick() Config {
	c := smallConvNetQuick(Setting{Every: 1, ClipNorm: 1, Adversaries: []string{random}})
	c.Network, c.Games, c.Block = "linear-digits", 200, 200
	return c
}
