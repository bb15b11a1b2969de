package koskela2023

import (
	"fmt"

	"github.com/dplab/dplab/data/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure1 Figure1Config
	Figure9 Figure9Config
}

// Defaults returns the configs of a profile. Both have the paper's setup:
//
//	quick    10 sampling rates a curve: a few seconds
//	full     40 sampling rates
func Defaults(profile string) (Configs, error) {
	switch profile {
	case "quick":
		return configs(10), nil
	case "full":
		return configs(40), nil
	}
	return Configs{}, fmt.Errorf("koskela2023: profile %q: must be quick or full", profile)
}

func configs(rates int) Configs {
	p := papers.Koskela2023
	one := Figure1Config{
		SamplingRate:    p.Figure1.SamplingRate,
		NoiseMultiplier: p.Figure1.NoiseMultiplier,
		Steps:           int(float64(p.Figure1.Epochs)/p.Figure1.SamplingRate + 0.5),
		Delta:           p.Delta,
		MaxOrder:        p.Figure1.MaxOrder,
		MeanRepeats:     []float64{15, 45},
	}
	for i := range rates {
		one.TuningRates = append(one.TuningRates, 0.005+0.495*float64(i)/float64(rates-1))
	}
	return Configs{
		Figure1: one,
		Figure9: Figure9Config{
			SamplingRates:    p.Figure9.SamplingRates,
			NoiseMultipliers: []float64{2, 3, 4},
			Steps:            1000,
			MaxOrder:         p.Figure9.MaxOrder,
		},
	}
}
