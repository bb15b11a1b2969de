package papernot2022

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/figures/papernot2022/leak"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/search"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure1          leak.Figure1Config
	Figure2, Figure3 RenyiConfig
	Figure4          PriceConfig
	Figure5          PriceConfig
	Figure6          PriceConfig
	Figure7          search.Figure7Config
	Figure8          Figure8Config
	HowLow           HowLowConfig
	LeastNoise       NoiseLeftConfig
}

// Defaults returns the configs of a profile. Both have the paper's setup:
//
//	quick    100 draws of Figure 1's data, some 25 points a curve: about 10 seconds in all
//	full     1,000 draws, 80 points a curve: about a minute
func Defaults(profile string) (Configs, error) {
	switch profile {
	case "quick":
		return configs(100, 24, 16, 5), nil
	case "full":
		return configs(1000, 80, 40, 9), nil
	}
	return Configs{}, fmt.Errorf("papernot2022: profile %q: must be quick or full", profile)
}

func configs(repeats, points, searched, targets int) Configs {
	return Configs{
		Figure1: leak.DefaultFigure1(repeats),
		Figure2: defaultFigure2(),
		Figure3: defaultFigure3(),
		Figure4: defaultFigure4(points),
		Figure5: defaultFigure5(points),
		Figure6: defaultFigure6(points),
		Figure7: search.DefaultFigure7(searched),
		Figure8: defaultFigure8(),

		HowLow:     defaultHowLow(points / 2),
		LeastNoise: defaultNoiseLeft(targets),
	}
}
