// Package items lists what the notebook ding2023 shows: the figures, tables and worked examples
// of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

// Paper is the paper with its items, in its order.
var Paper = figures.Paper{
	Name: "ding2023", Title: "Constant-overhead DP Hyperparameter Tuning",
	Items: []figures.Item{
		{
			Name: "Figure 1", About: "the elastic step over the iterations", Kind: figures.Simulated,
			Functions: []string{"ding2023.Figure1"},
			Shows:     []string{"ding2023-figure1", "ding2023-figure1-comparison", "ding2023-figure1-ends"},
			Size:      "one run each",
			Ours:      "g, u0, and the scores",
			Because:   "the proof of Lemma 1 omits the last test",
		},
		{
			Name: "Figure 3", About: "fidelity of the winner", Kind: figures.Simulated,
			Functions: []string{"ding2023.Figure3"},
			Shows: []string{
				"ding2023-figure3", "ding2023-figure3-comparison", "ding2023-figure3-final",
				"ding2023-figure3-sweep",
			},
			Size:    "8 runs as in the paper, and the mean of 600",
			Ours:    "g and u0",
			Because: "at kε = 5 scores in [0, 1] get Laplace noise of scale 0.8",
		},
		{
			Name: "Figure 4", About: "how many tests it makes", Kind: figures.Simulated,
			Functions: []string{"ding2023.Figure4"},
			Shows:     []string{"ding2023-figure4", "ding2023-figure4-comparison", "ding2023-figure4-spread"},
			Size:      "10 repeats as in the paper, multipliers from 100",
			Because:   "T is near 3 log2 n only at kε = 100; less noise varies less",
		},
		{
			Name: "Table 1", About: "methods, with what they cost and find", Kind: figures.Closed,
			Functions: []string{"ding2023.Table1"},
			Shows:     []string{"ding2023-table1", "ding2023-table1-comparison"},
			Size:      "600 searches",
		},
		{
			Name: "Section 4.1", About: "a search as an interactive machine", Kind: figures.Simulated,
			Functions: []string{"ding2023.Machine"},
			Shows:     []string{"ding2023-machine", "ding2023-machine-runs"},
			Size:      "15 searches on synthetic scores",
		},
	},
	Beyond: []figures.Item{
		{
			About:     "Theorem 3 with its constants put in",
			Functions: []string{"ding2023.Theorem3"},
			Shows:     []string{"ding2023-theorem3-delta", "ding2023-theorem3-pass"},
		},
		{
			About:     "a price that may be printed, with a public cap",
			Functions: []string{"ding2023.HonestPrice"},
			Shows:     []string{"ding2023-price", "ding2023-price-table"},
		},
		{
			About:     "what a budget buys",
			Functions: []string{"ding2023.Utility"},
			Shows:     []string{"ding2023-utility", "ding2023-utility-comparison", "ding2023-utility-least"},
		},
		{
			About:     "searches among trained models",
			Functions: []string{"ding2023.OnDigits"},
			Shows:     []string{"ding2023-digits", "ding2023-digits-accuracies"},
		},
	},
}
