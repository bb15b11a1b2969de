package cebere2024

import (
	"fmt"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/data/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure3  LandscapeConfig
	Figure6  Figure6Config
	Search   SearchConfig
	Signs    SignsConfig
	Figure10 Figure10Config
	Figure14 LandscapeConfig
}

// Defaults returns the configs of a profile. Both have the paper's setup:
//
//	quick    audits at 4 steps in Figure 3, at 2 in Figure 14: about 10 seconds in all
//	full     audits at every step, 9 seeds: some minutes
func Defaults(profile string) (Configs, error) {
	switch profile {
	case "quick":
		return configs([]int{1, 2, 3, 5, 8, 12, 18, 25}, []int{1, 5, 12, 25}, 1), nil
	case "full":
		every := make([]int, papers.Cebere2024.Steps)
		for i := range every {
			every[i] = i + 1
		}
		return configs(every, every, 9), nil
	}
	return Configs{}, fmt.Errorf("cebere2024: profile %q: must be quick or full", profile)
}

func configs(steps, audited []int, repeats int) Configs {
	paper := papers.Cebere2024
	land := LandscapeConfig{
		NoiseMultipliers: paper.NoiseMultipliers, BatchSizes: paper.BatchSizes,
		Steps: steps, Audited: audited, Repeats: repeats,
		Delta: paper.Models[0].Delta, Confidence: paper.Models[0].Confidence, Games: paper.Models[0].Runs,
		Drift: exact.Away, Seed: 1,
	}
	all := land
	if repeats == 1 {
		all.Audited = []int{1, papers.Cebere2024.Steps}
		land.Repeats = 2
	}
	return Configs{
		Figure3:  land,
		Figure14: all,
		Figure6: Figure6Config{
			NoiseMultiplier: paper.Figure6NoiseMultiplier, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps,
			Delta: land.Delta, Drift: exact.Away,
		},
		Search:   SearchConfig{NoiseMultipliers: []float64{1, 4, 8}, BatchSizes: []int{1, 4, 16}, Thresholds: 49, Delta: land.Delta},
		Signs:    SignsConfig{NoiseMultiplier: 1, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps},
		Figure10: Figure10Config{BatchSize: 1, Low: -2, High: 3},
	}
}
