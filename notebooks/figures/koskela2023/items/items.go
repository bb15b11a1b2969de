// Package items lists what the notebook koskela2023 shows: the figures, tables and worked examples of the paper,
// and what goes beyond it.
package items

import "github.com/dplab/dplab/notebooks/figures"

// What the notebook trains behind Figures 2 to 8.
const (
	missing = "the paper's sizes, its network on CIFAR-10, and its 28,996 words"
	others  = "MNIST, CIFAR-10 and IMDB"
	fashion = "Fashion-MNIST, 6,000 of 60,000 examples, 5 of 10 learning rates, 2 repeats of one run"
	cifar   = "CIFAR-10, 10,000 of 50,000 examples, a last layer on features of a public ConvNet, 2 repeats of one run"
	digits  = "the embedded digits, 2 repeats of 2 runs"
	mnist   = "MNIST with 784-120-120-10, 6,000 of 60,000 examples, 5 of 9 learning rates, 2 repeats of one run"
	conv    = "MNIST with the paper's network, 3,000 of 60,000 examples, 5 of 9 learning rates, 2 repeats of one run"
	imdb    = "IMDB, 5,000 of 25,000 examples in 5,000 words, 5 of 9 learning rates, 2 repeats of one run"
	joint   = "Fashion-MNIST, 6,000 of 60,000 examples, 5 of 10 learning rates, 4 of 8 pairs of γ and epochs, 2 repeats of one run; the embedded digits, 2 repeats of one run; the larger µ is that of Figure 1"
)

// Paper is the paper with its items, in its order.
var Paper = figures.Paper{
	Name: "koskela2023", Title: "Practical DP Hyperparameter Tuning with Subsampling",
	Items: []figures.Item{
		{
			Name: "Figure 1", About: "price of tuning on a sample", Kind: figures.Closed,
			Functions: []string{"koskela2023.Figure1"},
			Shows: []string{
				"koskela2023-figure1", "koskela2023-figure1-comparison", "koskela2023-figure1-crossing",
			},
		},
		{
			Name: "Figure 2", About: "tuning the learning rate with DP-SGD: accuracy", Kind: figures.Trained,
			Experiments: []string{
				"koskela2023/fashion-sgd", "koskela2023/mnist-sgd", "koskela2023/cifar-sgd",
				"koskela2023/imdb-sgd",
			},
			Functions: []string{"koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-fashion-sgd", "koskela2023-fashion-sgd-table", "koskela2023-cifar-sgd",
				"koskela2023-cifar-sgd-table", "koskela2023-imdb-sgd", "koskela2023-imdb-sgd-table",
				"koskela2023-mnist-mlp-sgd", "koskela2023-mnist-mlp-sgd-table", "koskela2023-mnist-sgd",
				"koskela2023-mnist-sgd-table", "koskela2023-mnist-sgd-choices",
				"koskela2023-fashion-sgd-digits", "koskela2023-fashion-sgd-digits-table",
			},
			Missing: missing,
			Size: fashion + "; " + cifar + "; " + imdb + "; " + mnist + "; " +
				conv + "; " + digits,
		},
		{
			Name: "Figure 3", About: "the same with DP-Adam", Kind: figures.Trained,
			Experiments: []string{
				"koskela2023/fashion-adam", "koskela2023/mnist-adam", "koskela2023/cifar-adam",
				"koskela2023/imdb-adam",
			},
			Functions: []string{"koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-fashion-adam", "koskela2023-fashion-adam-table", "koskela2023-cifar-adam",
				"koskela2023-cifar-adam-table", "koskela2023-imdb-adam", "koskela2023-imdb-adam-table",
				"koskela2023-mnist-mlp-adam", "koskela2023-mnist-mlp-adam-table", "koskela2023-mnist-adam",
				"koskela2023-mnist-adam-table", "koskela2023-fashion-adam-digits",
				"koskela2023-fashion-adam-digits-table",
			},
			Missing: missing,
			Size: fashion + "; " + cifar + "; " + imdb + "; " + mnist + "; " +
				conv + "; " + digits,
		},
		{
			Name: "Figure 4", About: "tuning γ, epochs and η together", Kind: figures.Trained,
			Experiments: []string{"koskela2023/fashion-all-sgd"},
			Functions:   []string{"koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-fashion-all-sgd", "koskela2023-fashion-all-sgd-table",
				"koskela2023-fashion-all-sgd-digits", "koskela2023-fashion-all-sgd-digits-table",
			},
			Missing: others,
			Size:    joint,
		},
		{
			Name: "Figure 5", About: "Figure 2 with σ and the chosen η", Kind: figures.Trained,
			Experiments: []string{
				"koskela2023/fashion-sgd", "koskela2023/mnist-sgd", "koskela2023/cifar-sgd",
				"koskela2023/imdb-sgd",
			},
			Functions: []string{"koskela2023.NoiseMultipliers", "koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-noise", "koskela2023-noise-comparison", "koskela2023-noise-multipliers",
				"koskela2023-fashion-sgd", "koskela2023-cifar-sgd", "koskela2023-imdb-sgd",
				"koskela2023-mnist-mlp-sgd", "koskela2023-mnist-sgd", "koskela2023-fashion-sgd-digits",
			},
			Missing: missing + "; time",
			Size: "σ at the paper's settings, for all four data sets; accuracy and learning rate on " +
				fashion + "; " + cifar + "; " + imdb + "; " + mnist + "; " +
				conv + "; " + digits,
		},
		{
			Name: "Figure 6", About: "Figure 3 with σ and the chosen η", Kind: figures.Trained,
			Experiments: []string{
				"koskela2023/fashion-adam", "koskela2023/mnist-adam", "koskela2023/cifar-adam",
				"koskela2023/imdb-adam",
			},
			Functions: []string{"koskela2023.NoiseMultipliers", "koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-noise", "koskela2023-noise-comparison", "koskela2023-noise-multipliers",
				"koskela2023-fashion-adam", "koskela2023-cifar-adam", "koskela2023-imdb-adam",
				"koskela2023-mnist-mlp-adam", "koskela2023-mnist-adam", "koskela2023-fashion-adam-digits",
			},
			Missing: missing + "; time",
			Size: "σ at the paper's settings, for all four data sets; accuracy and learning rate on " +
				fashion + "; " + cifar + "; " + imdb + "; " + mnist + "; " +
				conv + "; " + digits,
		},
		{
			Name: "Figure 7", About: "Figure 4 with σ and the chosen settings", Kind: figures.Trained,
			Experiments: []string{"koskela2023/fashion-all-sgd"},
			Functions:   []string{"koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-fashion-all-sgd", "koskela2023-fashion-all-sgd-table",
				"koskela2023-fashion-all-sgd-digits", "koskela2023-fashion-all-sgd-digits-table",
			},
			Missing: others + "; time",
			Size:    joint,
		},
		{
			Name: "Figure 8", About: "Figure 7 with DP-Adam", Kind: figures.Trained,
			Experiments: []string{"koskela2023/fashion-all-adam"},
			Functions:   []string{"koskela2023.Tuning"},
			Shows: []string{
				"koskela2023-fashion-all-adam", "koskela2023-fashion-all-adam-table",
				"koskela2023-fashion-all-adam-digits", "koskela2023-fashion-all-adam-digits-table",
			},
			Missing: others + "; time",
			Size:    joint,
		},
		{
			Name: "Figure 9", About: "Rényi curves and the lines above them", Kind: figures.Closed,
			Functions: []string{"koskela2023.Figure9"},
			Shows:     []string{"koskela2023-figure9", "koskela2023-figure9-comparison", "koskela2023-figure9-lines"},
			Size:      "σ 2, 3, 4 and T 1,000 are ours: the legend is not in our text",
		},
		{
			Name: "Table 1", About: "settings, one hyper-parameter", Kind: figures.Setting,
			Functions: []string{"koskela2023.Table1"},
			Shows:     []string{"koskela2023-table1", "koskela2023-table1-comparison"},
			Because:   "the header says B/N, and the printed rates are B/(qN)",
		},
		{
			Name: "Table 2", About: "data sets and grids", Kind: figures.Setting,
			Functions: []string{"koskela2023.Table2"},
			Shows:     []string{"koskela2023-table2", "koskela2023-table2-comparison"},
		},
	},
	Beyond: []figures.Item{
		{
			About:     "stored runs, trained once more",
			Functions: []string{"koskela2023.Trained.Again"},
			Shows:     []string{"koskela2023-again"},
		},
		{
			About:     "other laws of the number of runs",
			Functions: []string{"koskela2023.OtherLaws"},
			Shows:     []string{"koskela2023-laws", "koskela2023-laws-cost"},
		},
		{
			About:     "all protocols at one (ε, δ)",
			Functions: []string{"koskela2023.Trained.Protocols"},
			Shows: []string{
				"koskela2023-fashion-sgd-protocols", "koskela2023-fashion-sgd-protocols-accuracies",
				"koskela2023-cifar-sgd-protocols", "koskela2023-cifar-sgd-protocols-accuracies",
				"koskela2023-fashion-sgd-digits-protocols",
				"koskela2023-fashion-sgd-digits-protocols-accuracies",
			},
		},
		{
			About:     "a plan before the run",
			Functions: []string{"koskela2023.Advice"},
			Shows:     []string{"koskela2023-advice", "koskela2023-advice-ways", "koskela2023-advice-recommended"},
		},
	},
}
