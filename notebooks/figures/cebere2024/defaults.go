package cebere2024

import (
	"fmt"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/papers"
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

// Defaults returns the configs of a profile. Both have the paper's setup, with audits of all steps:
//
//	quick    9 seeds, 5 in the search as in the paper: some 10 seconds in all
//	full     50 seeds: about half a minute
func Defaults(profile string) (Configs, error) {
	switch profile {
	case "quick":
		return configs(9, 5), nil
	case "full":
		return configs(50, 50), nil
	}
	return Configs{}, fmt.Errorf("cebere2024: profile %q: must be quick or full", profile)
}

func configs(repeats, searches int) Configs {
	paper := papers.Cebere2024
	fcnn := paper.Models[0]
	every := make([]int, paper.Steps)
	for i := range every {
		every[i] = i + 1
	}
	land := LandscapeConfig{
		NoiseMultipliers: paper.NoiseMultipliers, BatchSizes: paper.BatchSizes,
		Steps: every, Audited: every, Repeats: repeats,
		Delta: fcnn.Delta, Confidence: fcnn.Confidence, Games: fcnn.Runs,
		Drift: exact.Away, Seed: 1,
	}
	return Configs{
		Figure3:  land,
		Figure14: land,
		Figure6: Figure6Config{
			NoiseMultiplier: paper.Figure6NoiseMultiplier, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps,
			Delta: land.Delta, Drift: exact.Away,
		},
		Search: SearchConfig{
			NoiseMultipliers: paper.NoiseMultipliers, Drawn: []float64{1, 4, 8}, BatchSizes: []int{1, 4, 16}, Thresholds: 49,
			Delta: land.Delta, Confidence: fcnn.Confidence, Games: fcnn.Runs, Repeats: searches, Seed: 1,
		},
		Signs:    SignsConfig{NoiseMultiplier: 1, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps},
		Figure10: Figure10Config{BatchSize: 1, Low: -2, High: 3},
	}
}
