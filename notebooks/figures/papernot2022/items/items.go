// Package items lists what the notebook papernot2022 shows: the figures, tables and worked
// examples of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

// Paper is the paper with its items, in its order.
var Paper = figures.Paper{
	Name: "papernot2022", Title: "Hyperparameter Tuning with Rényi Differential Privacy",
	Items: []figures.Item{
		{
			Name: "Figure 1", About: "the best hinge weight of an SVM reveals outliers", Kind: figures.Simulated,
			Functions: []string{"papernot2022/leak.Figure1"},
			Shows:     []string{"papernot2022-figure1", "papernot2022-figure1-comparison", "papernot2022-figure1-chosen"},
			Size:      "100 draws of the data, one in the paper",
			Ours:      "the descent, and the range of α",
			Because:   "the paper's 8 is of one draw; ours is the median of many",
		},
		{
			Name: "Figure 2", About: "Rényi divergence of the best of K, growing mean", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure2"},
			Shows:     []string{"papernot2022-figure2", "papernot2022-figure2-comparison", "papernot2022-figure2-laws"},
		},
		{
			Name: "Figure 3", About: "four laws of mean 10", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure3"},
			Shows:     []string{"papernot2022-figure3", "papernot2022-figure3-comparison", "papernot2022-figure3-laws"},
		},
		{
			Name: "Figure 4", About: "ε against the mean number of runs", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure4"},
			Shows:     []string{"papernot2022-figure4", "papernot2022-figure4-comparison", "papernot2022-figure4-runs"},
		},
		{
			Name: "Figure 5", About: "expected quantile against ε", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure5"},
			Shows:     []string{"papernot2022-figure5", "papernot2022-figure5-comparison", "papernot2022-figure5-best"},
		},
		{
			Name: "Figure 6", About: "chance to find one candidate in a hundred", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure6"},
			Shows:     []string{"papernot2022-figure6", "papernot2022-figure6-comparison", "papernot2022-figure6-best"},
		},
		{
			Name: "Figure 7", About: "a learning rate for MNIST: budget and accuracy", Kind: figures.Trained,
			Experiments: []string{"papernot2022/figure7-allconv", "papernot2022/figure7-cnn", "papernot2022/figure7-mlp"},
			Functions:   []string{"papernot2022/search.Figure7", "papernot2022/search.Trained7"},
			Shows: []string{
				"papernot2022-figure7", "papernot2022-figure7-comparison", "papernot2022-figure7-axis",
				"papernot2022-figure7-mlp", "papernot2022-figure7-mlp-accuracies",
				"papernot2022-figure7-mlp-leads", "papernot2022-figure7-allconv",
				"papernot2022-figure7-allconv-accuracies", "papernot2022-figure7-allconv-leads",
				"papernot2022-figure7-digits",
				"papernot2022-figure7-digits-accuracies", "papernot2022-figure7-digits-leads",
			},
			Size: "the authors' accuracies; trained here: its feature maps on MNIST, 1 epoch, and a perceptron, 6 epochs, " +
				"3 or 4 runs of each of 9 learning rates; the embedded digits, 6 runs of each of 13",
		},
		{
			Name: "Figure 8", About: "run until the output is good enough", Kind: figures.Closed,
			Functions: []string{"papernot2022.Figure8"},
			Shows:     []string{"papernot2022-figure8", "papernot2022-figure8-comparison", "papernot2022-figure8-distances"},
		},
	},
	Beyond: []figures.Item{
		{
			About:     "Figure 4 for your own base and δ",
			Functions: []string{"papernot2022.Figure4"},
			Shows:     []string{"papernot2022-your-own", "papernot2022-your-own-runs"},
		},
		{
			About:     "how low the price of a selection can be",
			Functions: []string{"papernot2022.HowLow"},
			Shows:     []string{"papernot2022-how-low", "papernot2022-how-low-table"},
		},
		{
			About:     "the noise that is saved",
			Functions: []string{"papernot2022.LeastNoise"},
			Shows:     []string{"papernot2022-least-noise", "papernot2022-least-noise-table"},
		},
	},
}
