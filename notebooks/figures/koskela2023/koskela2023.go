// Package koskela2023 reproduces Koskela and Kulkarni, "Practical Differentially Private
// Hyperparameter Tuning with Subsampling" (NeurIPS 2023). It has Figures 1 and 9, the noise and the
// times of Figures 2 to 8, and Tables 1 and 2. Package tuned has the accuracies. The method tunes
// on a Poisson sample of the data and trains once more, on the rest (variant 1) or on all (variant
// 2). The package adds what the paper leaves out: other laws, and a plan before the run.
//
// A figure is a pure function from a config to a typed result. The result draws itself (Figure) and
// compares its numbers with the paper's (Compare). The bounds come from accounting/selection,
// published numbers from notebooks/papers.
//
//	configs, err := koskela2023.Defaults("quick")
//	if err != nil { ... }
//	result, err := koskela2023.Figure1(configs.Figure1)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// Data sets are neighbors if one has one example more than the other.
//
// It promises nothing to other modules.
package koskela2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
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
// The rates are spaced geometrically. A line between two of 50 is at most half a percent below the
// bound.
func Defaults(profile string) (Configs, error) {
	return figures.ByProfile("koskela2023", profile, configs(50, 5), configs(100, 9))
}

func configs(rates, epsilons int) Configs {
	p := papers.Koskela2023
	one := Figure1Config{
		SamplingRate:    p.Figure1.SamplingRate,
		NoiseMultiplier: p.Figure1.NoiseMultiplier,
		Steps:           p.Figure1.Steps(),
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
	p, i := papers.Koskela2023, papers.Koskela2023.Column("FashionMNIST")
	training := papersTrainings()[0] // of MNIST and Fashion-MNIST
	return AdviceConfig{
		Question: advise.Question{
			Epsilon: 2, Delta: p.Delta, Examples: p.Table2[i].Train, SamplingRate: training.SamplingRate, Steps: training.Steps,
			Candidates: len(p.Table2[i].LearningRatePower), MeanCost: p.MeanRepeats, TuningRate: p.TuningRate,
		},
		Quantiles: []float64{0.7, 0.8, 0.9, 0.97},
	}
}

// countAbove returns at how many points a lies above b by more than rounding.
func countAbove(a, b []float64) (n int) {
	for i := range a {
		if a[i] > b[i]*(1+1e-9) {
			n++
		}
	}
	return n
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// below writes by how much ratios lie below 1.
func below(ratios []float64) string {
	least, most := 1-slices.Max(ratios), 1-slices.Min(ratios)
	if least >= 0 {
		return fmt.Sprintf("%s to %s below", percent(least), percent(most))
	}
	return fmt.Sprintf("between %s above and %s below", percent(-least), percent(most))
}

func percent(x float64) string {
	return chart.Format(chart.Round(100*x, 2), 0) + " %"
}

// epsilonAt is the label of an axis.
func epsilonAt(delta float64) string { return "ε at δ = " + chart.Scientific(delta) }
