package koskela2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/notebooks/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure1 Figure1Config
	Figure9 Figure9Config
	Noise   NoiseConfig
	Advice  AdviceConfig
}

// Defaults returns the configs of a profile. Both have the paper's setup:
//
//	quick    50 sampling rates a curve, 5 final ε: seven seconds of one core for Figure 1
//	full     100 sampling rates, 9 final ε
//
// The rates are spaced geometrically. A line between two of 50 is nowhere more than half a
// percent below the bound that it stands for.
func Defaults(profile string) (Configs, error) {
	switch profile {
	case "quick":
		return configs(50, 5), nil
	case "full":
		return configs(100, 9), nil
	}
	return Configs{}, fmt.Errorf("koskela2023: profile %q: must be quick or full", profile)
}

func configs(rates, epsilons int) Configs {
	p := papers.Koskela2023
	one := Figure1Config{
		SamplingRate:    p.Figure1.SamplingRate,
		NoiseMultiplier: p.Figure1.NoiseMultiplier,
		Steps:           papersSteps(),
		Delta:           p.Delta,
		MaxOrder:        p.Figure1.MaxOrder,
		MeanRepeats:     []float64{15, 45},
	}
	for i := range rates {
		one.TuningRates = append(one.TuningRates, 0.5*math.Pow(100, float64(i)/float64(rates-1)-1)) // 0.005 to 0.5
	}
	noise := NoiseConfig{
		Trainings: papersTrainings(), Delta: p.Delta, MeanRepeats: p.MeanRepeats, TuningRate: p.TuningRate, MaxOrder: p.Figure1.MaxOrder,
	}
	for i := range epsilons {
		noise.Epsilons = append(noise.Epsilons, 0.5*math.Pow(16, float64(i)/float64(epsilons-1))) // 0.5 to 8
	}
	return Configs{
		Figure1: one,
		Noise:   noise,
		Advice:  papersAdvice(),
		Figure9: Figure9Config{
			SamplingRates:    p.Figure9.SamplingRates,
			NoiseMultipliers: []float64{2, 3, 4},
			Steps:            1000,
			MaxOrder:         p.Figure9.MaxOrder,
		},
	}
}

// papersAdvice asks about the paper's tuning of the learning rate on Fashion-MNIST, at ε = 2 and
// for the cost of its baseline.
func papersAdvice() AdviceConfig {
	p, i := papers.Koskela2023, columnOf("FashionMNIST")
	training := papersTrainings()[0] // of MNIST and Fashion-MNIST
	return AdviceConfig{
		Question: advise.Question{
			Epsilon: 2, Delta: p.Delta, Examples: p.Table2[i].Train, SamplingRate: training.SamplingRate, Steps: training.Steps,
			Candidates: len(p.Table2[i].LearningRatePower), MeanCost: p.MeanRepeats, TuningRate: p.TuningRate,
		},
		Quantiles: []float64{0.7, 0.8, 0.9, 0.97},
	}
}

// papersSteps is T of the runs in Figure 1.
func papersSteps() int {
	p := papers.Koskela2023.Figure1
	return int(math.Round(float64(p.Epochs) / p.SamplingRate))
}
