package xiang2024

import (
	"fmt"

	"github.com/dplab/dplab/accounting/selection/law"
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
	if profile != "quick" && profile != "full" {
		return Configs{}, fmt.Errorf("xiang2024: profile %q: must be quick or full", profile)
	}
	p := papers.Xiang2024
	return Configs{
		Table4: Table4Config{Delta: p.Delta, Steps: p.Steps, Cells: p.Table4},
		Figure6: Figure6Config{
			Delta: p.Delta, Steps: p.Steps, SamplingRates: []float64{1, 0.5, 0.1},
			Laws:         []law.TNB{{Eta: 0, Gamma: 0.01}, {Eta: 1, Gamma: 0.01}},
			BaseEpsilons: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4},
			Games:        p.Figure6.Games, Trials: 3, Confidence: 0.95, Seed: 1,
		},
	}, nil
}
