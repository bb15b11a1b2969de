// Package papernot2022 reproduces the figures of Papernot and Steinke, "Hyperparameter Tuning with
// Rényi Differential Privacy" (ICLR 2022). Figure 1 is in package leak, Figure 7 in package search,
// the others here, one file for each; package laws has what they share.
//
// A figure is a pure function from a config to a typed result. The result draws itself
// (Panels), sets its numbers and the paper's claims next to the paper's (Compare), and lists what
// follows from them (Table). Formulas are not here: every bound comes from accounting/selection and
// accounting/rdp, every published number from notebooks/papers.
//
//	configs, err := papernot2022.Defaults("quick")
//	if err != nil { ... }
//	result, err := papernot2022.Figure4(configs.Figure4)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//	fmt.Println(result.Compare().Tally()) // what agrees and what differs
//
// If a better bound than the paper's is known, the figure shows both. It has an exact value as a
// lower limit if there is one. Data sets are neighbors if one has one example more than the other.
//
// It promises nothing to other modules.
package papernot2022

import (
	"github.com/dplab/dplab/notebooks/figures"
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
	return figures.ByProfile("papernot2022", profile, configs(100, 24, 16, 5), configs(1000, 80, 40, 9))
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
