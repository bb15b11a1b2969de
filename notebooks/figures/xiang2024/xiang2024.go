// Package xiang2024 reproduces Example 1, Figure 6 and Table 4 of Xiang, Wang and Wang, "How Does
// Selection Leak Privacy" (arXiv 2402.13087). They have the price of the best of K runs if the base
// is treated as one Gaussian and the score is monotone. Package audits has the other figures and
// Table 3.
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
// Table 4 is read in the way that gives the printed values, which are not bounds. The tables have
// certified bounds too. Line 4 of Algorithm 3 takes the larger direction at each order. Each
// direction by itself, with its own best order, is a bound too and a lower one. Figure 6 uses line
// 4.
//
// It promises nothing to other modules.
package xiang2024

import (
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
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
