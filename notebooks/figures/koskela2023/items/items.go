// Package items lists what the notebook koskela2023 shows: the figures, tables and worked
// examples of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

// What the notebook trains behind Figures 2 to 8.
const (
	missing = "the paper's sizes except on CIFAR-10, most images of CIFAR-100, and its 28,996 words"
	others  = "the paper's sizes, its networks on MNIST and CIFAR-10, and its 28,996 words"
	single  = "CIFAR-10's last layer at the paper's size; of the others 3,000 to 6,000 examples and mostly half of the learning rates; 3 repeats; the embedded digits"
	joint   = "5,000 to 10,000 examples of each data set, half of each grid (IMDB: one number of epochs), 3 repeats; the embedded digits; the larger µ is that of Figure 1"
)

var noise = []string{
	"koskela2023-noise", "koskela2023-noise-comparison", "koskela2023-noise-multipliers",
	"koskela2023-chosen", "koskela2023-times", "koskela2023-times-comparison",
}

// otherMachines is why two ratios of times differ.
const otherMachines = "the paper's times are of GPUs of two kinds, ours of one processor"

// The data sets of Figures 2 and 3 as their figures are named, and of the other figures. MNIST with
// the paper's network has tables only: its accuracies are too far off each other for a figure.
var (
	apart    = []string{"fashion", "cifar", "imdb", "mnist-mlp"}
	together = []string{"fashion", "mnist", "cifar", "imdb"}
)

// experiments are those of a kind: sgd and adam tune the learning rate, all-sgd and all-adam tune γ
// and the epochs too.
func experiments(kind string) []string {
	return figures.Map(together, func(data string) string { return "koskela2023/" + data + "-" + kind })
}

// drawn are the names of what is shown of a kind: of each data set, and of the digits, with each
// suffix.
func drawn(kind string, sets []string, suffixes ...string) (names []string) {
	for _, figure := range append(figures.Map(sets, func(data string) string { return data + "-" + kind }), "fashion-"+kind+"-digits") {
		for _, suffix := range suffixes {
			names = append(names, "koskela2023-"+figure+suffix)
		}
	}
	return names
}

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
			Experiments: experiments("sgd"),
			Functions:   []string{"koskela2023/tuned.Tuning", "koskela2023/tuned.Accuracy"},
			Shows:       append(drawn("sgd", apart, "", "-table"), "koskela2023-mnist-sgd-table", "koskela2023-mnist-sgd-choices", "koskela2023-accuracy"),
			Missing:     missing,
			Size:        single,
		},
		{
			Name: "Figure 3", About: "the same with DP-Adam", Kind: figures.Trained,
			Experiments: experiments("adam"),
			Functions:   []string{"koskela2023/tuned.Tuning", "koskela2023/tuned.Accuracy"},
			Shows:       append(drawn("adam", apart, "", "-table"), "koskela2023-mnist-adam-table", "koskela2023-accuracy"),
			Missing:     missing,
			Size:        single,
		},
		{
			Name: "Figure 4", About: "tuning γ, epochs and η together", Kind: figures.Trained,
			Experiments: experiments("all-sgd"),
			Functions:   []string{"koskela2023/tuned.Tuning"},
			Shows:       append(drawn("all-sgd", together, "", "-table"), "koskela2023-accuracy"),
			Missing:     others,
			Size:        joint,
		},
		{
			Name: "Figure 5", About: "Figure 2 with σ and the chosen η", Kind: figures.Trained,
			Experiments: experiments("sgd"),
			Functions:   []string{"koskela2023.NoiseMultipliers", "koskela2023/tuned.Tuning", "koskela2023/tuned.Chosen", "koskela2023.Times"},
			Shows:       append(drawn("sgd", apart, ""), noise...),
			Missing:     missing,
			Size:        "σ and time at the paper's settings; accuracy and η as in Figure 2",
			Because:     otherMachines,
		},
		{
			Name: "Figure 6", About: "Figure 3 with σ and the chosen η", Kind: figures.Trained,
			Experiments: experiments("adam"),
			Functions:   []string{"koskela2023.NoiseMultipliers", "koskela2023/tuned.Tuning", "koskela2023/tuned.Chosen", "koskela2023.Times"},
			Shows:       append(drawn("adam", apart, ""), noise...),
			Missing:     missing,
			Size:        "σ and time at the paper's settings; accuracy and η as in Figure 3",
			Because:     otherMachines,
		},
		{
			Name: "Figure 7", About: "Figure 4 with σ and the chosen settings", Kind: figures.Trained,
			Experiments: experiments("all-sgd"),
			Functions:   []string{"koskela2023/tuned.Tuning", "koskela2023/tuned.Chosen", "koskela2023.Times"},
			Shows:       append(drawn("all-sgd", together, "", "-table"), "koskela2023-chosen", "koskela2023-times"),
			Missing:     others,
			Size:        joint,
		},
		{
			Name: "Figure 8", About: "Figure 7 with DP-Adam", Kind: figures.Trained,
			Experiments: experiments("all-adam"),
			Functions:   []string{"koskela2023/tuned.Tuning", "koskela2023/tuned.Chosen", "koskela2023.Times"},
			Shows:       append(drawn("all-adam", together, "", "-table"), "koskela2023-accuracy", "koskela2023-chosen", "koskela2023-times"),
			Missing:     others,
			Size:        joint,
		},
		{
			Name: "Figure 9", About: "Rényi curves and the lines above them", Kind: figures.Closed,
			Functions: []string{"koskela2023.Figure9"},
			Shows:     []string{"koskela2023-figure9", "koskela2023-figure9-comparison", "koskela2023-figure9-lines"},
			Ours:      "σ 2, 3, 4 and T 1,000; our copy of the text lacks the legend",
		},
		{
			Name: "Table 1", About: "settings, one hyper-parameter", Kind: figures.Setting,
			Functions: []string{"koskela2023.Table1"},
			Shows:     []string{"koskela2023-table1", "koskela2023-table1-comparison"},
			Because:   "the header is B/N; the printed rates are B/(qN)",
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
			Functions: []string{"koskela2023/tuned.Trained.Again"},
			Shows:     []string{"koskela2023-again"},
		},
		{
			About:     "other laws of the number of runs",
			Functions: []string{"koskela2023.OtherLaws"},
			Shows:     []string{"koskela2023-laws", "koskela2023-laws-cost"},
		},
		{
			About:     "all protocols at one (ε, δ)",
			Functions: []string{"koskela2023/tuned.Trained.Protocols"},
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
