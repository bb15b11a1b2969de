// Package ding2023 reproduces Ding, Wu, Xu and Pan, "Constant-overhead Differentially Private
// Hyperparameter Tuning" (2023): Figures 1, 3 and 4, Table 1 and the machine of Section 4.1. It
// adds what the paper leaves out: a price that may be printed.
//
// The paper's Algorithm 1 is simulated as it is printed. Theorem 3's price has hidden constants and
// depends on the best score, which is private. Next to it are two other prices: of the same tests
// with a public cap, by accounting/selection, and of dptune.ThresholdSearch.
//
//	configs, err := ding2023.Defaults("quick")
//	if err != nil { ... }
//	result, err := ding2023.Figure4(configs.Figure4)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// Data sets are neighbors if one has one example more than the other.
//
// It promises nothing to other modules.
package ding2023

import (
	"math"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure1     Figure1Config
	Figure3     Figure3Config
	Figure4     Figure4Config
	Theorem3    Theorem3Config
	HonestPrice PriceConfig
	Utility     UtilityConfig
	Table1      Table1Config
	Machine     MachineConfig
	RealTask    RealTaskConfig
}

// Defaults returns the configs of a profile. Both have the paper's setup where it is known;
// its g and u0 are not, and are 0.01 and 0 here.
//
//	quick    repeats for errors of about 1 %: some seconds
//	full     ten times as many repeats behind means
func Defaults(profile string) (Configs, error) {
	return figures.ByProfile("ding2023", profile, configs(1), configs(10))
}

func configs(factor int) Configs {
	p := papers.Ding2023
	return Configs{
		Figure1: Figure1Config{Best: 0.805, Candidates: p.Candidates, Granularity: 0.01, KEpsilons: []float64{math.Inf(1), 50, 10}, Seed: "ding2023 figure 1"},
		Figure3: Figure3Config{KEpsilons: p.Fidelity.PrivacyTimesParts, Seeds: p.Fidelity.Seeds, Repeats: 600 * factor,
			Candidates: p.Candidates, Granularity: 0.01, Sweep: []float64{0.5, 1, 2, 5, 10, 20, 30, 40, 60, 100, 200, 500}, Seed: "ding2023 figure 3"},
		Figure4: Figure4Config{KEpsilons: []float64{5, 10, 100}, Ns: []float64{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
			Candidates: p.Candidates, Repeats: p.Iterations.Repeats, ManyRepeats: 100 * factor, Sizes: []int{1, 10, 100, 1000, 10000}, Seed: "ding2023 figure 4"},
		Theorem3: Theorem3Config{KEpsilons: []float64{5, 10, 100, 1000}, N: 100, Candidates: []int{1, 2, 3, 10, 100}, Repeats: 4000 * factor, Seed: "ding2023 theorem 3"},
		HonestPrice: PriceConfig{KEpsilon: 10, Parts: 100, Granularity: 0.01, Candidates: p.Candidates, Delta: 1e-5,
			Caps: []int{5, 9, 13, 17, 21, 25, 29, 33, 37, 41}, Repeats: 500 * factor, Seed: "ding2023 price"},
		Utility: UtilityConfig{Epsilons: []float64{0.25, 0.5, 1, 2}, Parts: []int{20, 50, 100, 200, 500}, Delta: 1e-5, Granularity: 0.05,
			Candidates: p.Candidates, MaxTests: 13, Repeats: 300 * factor, Seed: "ding2023 utility"},
		Table1: Table1Config{Epsilon: 1, Delta: 1e-5, Candidates: p.Candidates, Parts: 100, Overhead: 1, MaxTests: 13, Granularity: 0.05,
			MeanRepeats: 10, Repeats: 600 * factor, Seed: "ding2023 table 1"},
		Machine:  MachineConfig{Batch: 8, GridSize: 128, Parts: 200, Epsilon: 2, Delta: 1e-5, Granularity: 0.05, MaxTests: 13, Repeats: 15 * factor, Seed: "ding2023 machine"},
		RealTask: RealTaskConfig{Epsilons: []float64{0.25, 0.5, 1, 2, 4, 8}, Delta: 1e-5, Granularity: 0.1, MaxTests: 9, Searches: 300 * factor, Seed: "ding2023 real task"},
	}
}
