// Package items lists what the notebook xiang2024 shows: the figures, tables and worked examples
// of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

const (
	runs  = "perceptrons on 1,000 examples: 4,600 single runs of each world on Fashion-MNIST and on CIFAR-10"
	games = runs + "; embedded digits, three trials of 1,000 games"
)

// missing is what of Figures 1 to 3 and 7 to 9 is not shown.
const missing = "SVHN, and the networks, which the paper does not print"

// experiments train for them.
var experiments = []string{"xiang2024/fashion", "xiang2024/cifar", "xiang2024/tuning"}

// audits is an item of audits, and scores one of histograms.
func audits(name, about string) figures.Item {
	return figures.Item{
		Name: name, About: about, Kind: figures.Trained, Experiments: experiments, Functions: []string{"xiang2024/audits.BankFigures1to3", "xiang2024/audits.Figures1to4"},
		Shows: []string{"xiang2024-bank-figures1to3", "xiang2024-bank-table3", "xiang2024-figures1to4", "xiang2024-table3"}, Missing: missing, Size: games,
	}
}

func scores(name string) figures.Item {
	return figures.Item{
		Name: name, About: "histograms of scores with and without z", Kind: figures.Trained, Experiments: experiments[:2],
		Functions: []string{"xiang2024/audits.Figures7to9"},
		Shows:     []string{"xiang2024-bank-figures7to9", "xiang2024-bank-figures7to9-distances"},
		Missing:   missing, Size: runs,
	}
}

// Paper is the paper with its items, in its order.
var Paper = figures.Paper{
	Name: "xiang2024", Title: "How Does Selection Leak Privacy",
	Items: []figures.Item{
		{
			Name: "Example 1", About: "the generic price is tight", Kind: figures.Closed,
			Functions: []string{"xiang2024.Example1"},
			Shows:     []string{"xiang2024-example1-comparison"},
			Because:   "2.92 is printed for 2.925; the printed 3.11 exceeds the bound at δ = 0",
		},
		audits("Figure 1", "audits of tuning, NTNV"),
		audits("Figure 2", "audits of tuning, NTCV"),
		audits("Figure 3", "audits of tuning, ETCV"),
		{
			Name: "Figure 4", About: "audits of tuning, ETCV with the Dirac gradient", Kind: figures.Simulated,
			Functions: []string{"xiang2024/audits.Figures1to4"},
			Shows:     []string{"xiang2024-figures1to4", "xiang2024-table3"},
			Size:      "1,000 games of each world, three trials",
		},
		{
			Name: "Figure 6", About: "bounds, approximations and an audit", Kind: figures.Simulated,
			Functions: []string{"xiang2024.Figure6"},
			Shows:     []string{"xiang2024-figure6", "xiang2024-figure6-comparison", "xiang2024-figure6-values"},
			Size:      "10⁶ games an audit as in the paper, three times",
			Ours:      "base ε and laws",
			Because:   "game and gap hardly depend on τ; our audit is not exactly the paper's",
		},
		scores("Figure 7"),
		scores("Figure 8"),
		scores("Figure 9"),
		{
			Name: "Table 3", About: "audits of tuning on three data sets", Kind: figures.Trained,
			Experiments: experiments,
			Functions:   []string{"xiang2024/audits.BankFigures1to3", "xiang2024/audits.Figures1to4"},
			Shows:       []string{"xiang2024-bank-table3", "xiang2024-table3", "xiang2024-table3-etcv-comparison"},
			Missing:     missing,
			Size:        "ETCV with the Dirac gradient at full size; else the sizes of Figure 1",
			Because:     "four of six printed means are above the exact ε of the game",
		},
		{
			Name: "Table 4", About: "the two-point law", Kind: figures.Closed,
			Functions: []string{"xiang2024.Table4"},
			Shows:     []string{"xiang2024-table4-possible-comparison", "xiang2024-table4-comparison", "xiang2024-table4-exact", "xiang2024-table4-readings"},
			Because:   "87 of 90 are of a cut integral; 36 are too small for bounds",
		},
	},
	Beyond: []figures.Item{
		{
			About: "single runs weighted by rank, against real searches", Kind: figures.Trained, Functions: []string{"xiang2024/audits.BankLaw"},
			Shows: []string{"xiang2024-bank-law"}, Size: "1,000 single runs and 2,000 searches of each world, at each ε",
		},
	},
}
