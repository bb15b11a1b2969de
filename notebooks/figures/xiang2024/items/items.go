// Package items lists what the notebook xiang2024 shows: the figures, tables and worked examples
// of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

const games = "small networks on the embedded digits; three trials of 1,000 games of each world"

// trained is an item of those games.
func trained(name, about, function string, shows ...string) figures.Item {
	return figures.Item{
		Name: name, About: about, Kind: figures.Trained, Experiments: []string{"xiang2024/tuning"}, Functions: []string{function},
		Shows: shows, Missing: "the paper's networks and data sets", Size: games,
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
		trained("Figure 1", "audits of tuning, NTNV", "xiang2024.Figures1to4", "xiang2024-figures1to4", "xiang2024-table3"),
		trained("Figure 2", "audits of tuning, NTCV", "xiang2024.Figures1to4", "xiang2024-figures1to4", "xiang2024-table3"),
		trained("Figure 3", "audits of tuning, ETCV", "xiang2024.Figures1to4", "xiang2024-figures1to4", "xiang2024-table3"),
		{
			Name: "Figure 4", About: "audits of tuning, ETCV with the Dirac gradient", Kind: figures.Simulated,
			Functions: []string{"xiang2024.Figures1to4"},
			Shows:     []string{"xiang2024-figures1to4", "xiang2024-table3"},
			Size:      "1,000 games of each world, three trials",
		},
		{
			Name: "Figure 6", About: "bounds, approximations and an audit", Kind: figures.Simulated,
			Functions: []string{"xiang2024.Figure6"},
			Shows:     []string{"xiang2024-figure6", "xiang2024-figure6-comparison", "xiang2024-figure6-values"},
			Size:      "10⁶ games an audit as in the paper, three times; base ε and laws are ours",
			Because:   "game and gap hardly depend on τ; our audit is not exactly the paper's",
		},
		trained("Figure 7", "histograms of scores with and without z", "xiang2024.Figures7to9", "xiang2024-figures7to9", "xiang2024-figures7to9-distances"),
		trained("Figure 8", "histograms of scores with and without z", "xiang2024.Figures7to9", "xiang2024-figures7to9", "xiang2024-figures7to9-distances"),
		trained("Figure 9", "histograms of scores with and without z", "xiang2024.Figures7to9", "xiang2024-figures7to9", "xiang2024-figures7to9-distances"),
		{
			Name: "Table 3", About: "audits of tuning on three data sets", Kind: figures.Trained,
			Experiments: []string{"xiang2024/tuning"},
			Functions:   []string{"xiang2024.Figures1to4"},
			Shows:       []string{"xiang2024-table3", "xiang2024-table3-etcv-comparison"},
			Missing:     "Fashion-MNIST, CIFAR-10 and SVHN",
			Size:        "ETCV with the Dirac gradient at full size; else " + games,
			Because:     "four of six printed means are above the exact ε of the game",
		},
		{
			Name: "Table 4", About: "the two-point law", Kind: figures.Closed,
			Functions: []string{"xiang2024.Table4"},
			Shows:     []string{"xiang2024-table4-possible-comparison", "xiang2024-table4-comparison", "xiang2024-table4-exact", "xiang2024-table4-readings"},
			Because:   "some printed ε_U-O are too small; none of four readings gives the printed values",
		},
	},
}
