// Package xiang2024 reproduces Example 1, the figures and Tables 3 and 4 of Xiang, Wang and Wang,
// "How Does Selection Leak Privacy" (arXiv 2402.13087). They have the price of the best of K runs
// if the base is treated as one Gaussian and the score is monotone, and audits of it.
//
// A figure is a pure function from a config to a typed result. The result draws itself and compares
// its numbers with the paper's. Formulas are in accounting/selection, published numbers in
// notebooks/papers.
//
//	configs, err := xiang2024.Defaults("quick")
//	if err != nil { ... }
//	result, err := xiang2024.Table4(configs.Table4)
//	if err != nil { ... }
//	fmt.Println(result.Compare().Tally()) // what agrees and what differs
//
// Three kinds of numbers are kept apart. Exact values of the reduced game have certified numerics.
// Bounds hold for every score. Approximations are ε_U-G, by the central limit theorem, and ε_U-O,
// by the law of large numbers. For τ < 1 they are neither exact nor bounds. Data sets are neighbors
// if one has one example more than the other.
//
// Algorithm 3 is computed as it is printed: its line 4 takes the larger direction at each order.
// Each direction by itself, with its own best order, is a bound too and a lower one.
//
// Trained models (Figures 1 to 3 and 7 to 9, Table 3) are audited in two ways. The experiment
// [Tuning] plays games with small networks on digits. [FashionBank] and [CIFARBank] train single
// runs on the paper's data, each weighted by the chance that tuning releases it. What is left out:
// the paper's networks, which it does not print, and SVHN.
//
// It promises nothing to other modules.
package xiang2024

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Table4  Table4Config
	Figure6 Figure6Config
}

// Defaults returns the configs of a profile. Both have the paper's size: a million games an
// audit, three trials. The paper prints neither the base ε of Figure 6 nor its laws.
func Defaults(profile string) (Configs, error) {
	p := papers.Xiang2024
	configs := Configs{
		Table4: Table4Config{Delta: p.Delta, Steps: p.Steps, Cells: p.Table4},
		Figure6: Figure6Config{
			Delta: p.Delta, Steps: p.Steps, SamplingRates: []float64{1, 0.5, 0.1},
			Laws:         []law.TNB{{Eta: 0, Gamma: 0.01}, {Eta: 1, Gamma: 0.01}},
			BaseEpsilons: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4},
			Games:        p.Figure6.Games, Trials: 3, Confidence: 0.95, Seed: 1,
		},
	}
	return figures.ByProfile("xiang2024", profile, configs, configs)
}

// conversion is Theorem 6 of the paper, which is the conversion of Canonne, Kamath and Steinke.
const conversion = rdp.CanonneKamathSteinke

// baseRun is DP-SGD with the least noise for a base ε, and the two values of µ that approximate it.
type baseRun struct {
	event           accounting.Event
	noiseMultiplier float64
	g, o            monotone.ApproximateMu
}

// calibrated returns the run that costs baseEpsilon at delta by the Rényi accountant, as in the
// paper.
func calibrated(baseEpsilon, samplingRate float64, steps int, delta float64) (baseRun, error) {
	event := func(noiseMultiplier float64) accounting.Event {
		step := accounting.PoissonSampled{SamplingRate: samplingRate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}}
		return accounting.SelfComposed{Event: step, Count: steps}
	}
	sigma, err := auto.CalibrateNoiseMultiplier(event, accounting.Target{Epsilon: baseEpsilon, Delta: delta}, rdp.NewAccountant())
	if err != nil {
		return baseRun{}, err
	}
	run := baseRun{event: event(sigma), noiseMultiplier: sigma}
	if run.g, err = monotone.CentralLimitMu(samplingRate, sigma, steps); err != nil {
		return baseRun{}, err
	}
	run.o, err = monotone.LargeNumbersMu(samplingRate, sigma, steps)
	return run, err
}
