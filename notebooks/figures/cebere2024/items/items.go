// Package items lists what the notebook cebere2024 shows: the figures, tables and worked examples
// of the paper, and what goes beyond it.
//
// It promises nothing to other modules.
package items

import "github.com/dplab/dplab/notebooks/figures"

// Paper is the paper with its items, in its order.
var Paper = figures.Paper{
	Name: "cebere2024", Title: "Privacy Auditing in the Hidden State Threat Model",
	Items: []figures.Item{
		{
			Name: "Figure 1", About: "three adversaries against the accountant", Kind: figures.Trained,
			Experiments: []string{"cebere2024/fcnn", "cebere2024/convnet", "cebere2024/resnet18"},
			Functions: []string{
				"cebere2024/hidden.Figure1a", "cebere2024/hidden.Figure1b", "cebere2024/hidden.Figure1c",
			},
			Shows: []string{
				"cebere2024-figure1a", "cebere2024-figure1a-comparison", "cebere2024-figure1a-bounds",
				"cebere2024-figure1b-comparison", "cebere2024-figure1b-bounds",
				"cebere2024-figure1c-housing", "cebere2024-figure1c-housing-comparison",
				"cebere2024-figure1c-housing-bounds",
			},
			Missing: "1b at the paper's size, most games of 1a at C = 2 and 4",
			Size: "1a: 2,500 of 5,000 models, 500 at C = 2 and 4; 1b: 80 models of a small ResNet18 on the embedded " +
				"digits; 1c: as in the paper",
			Because: "with Table 2's learning rate, a tenth of the text's, A_GC-R matches A_GC-S",
		},
		{
			Name: "Figure 2", About: "a canary every k steps", Kind: figures.Trained,
			Experiments: []string{"cebere2024/fcnn-period", "cebere2024/convnet-period"},
			Functions:   []string{"cebere2024/hidden.Figure2"},
			Shows:       []string{"cebere2024-figure2", "cebere2024-figure2-comparison", "cebere2024-figure2-bounds"},
			Missing:     "ResNet18, the ConvNet at k = 25, most games at k = 5",
			Size:        "ConvNet, k = 5: 200 of 5,000 models; FCNN, not in the paper: 5,000 models, 5 audits",
		},
		{
			Name: "Figure 3", About: "a crafted gradient, a crafted loss: ε over 25 steps", Kind: figures.Simulated,
			Functions: []string{"cebere2024.Figure3"},
			Shows: []string{
				"cebere2024-figure3", "cebere2024-figure3-comparison", "cebere2024-figure3-ratio",
				"cebere2024-figure3-bounds",
			},
			Size:    "5,000 games as in the paper, 9 seeds",
			Because: "the ratio falls with σ only at B = 1; Gaussian readings exceed ε",
		},
		{
			Name: "Figure 4", About: "four ways to choose the canary's coordinate", Kind: figures.Trained,
			Experiments: []string{"cebere2024/fcnn"},
			Functions:   []string{"cebere2024/hidden.Figure4"},
			Shows:       []string{"cebere2024-figure4", "cebere2024-figure4-comparison", "cebere2024-figure4-bounds"},
			Size:        "5,000 models, 5 audits as in the paper",
		},
		{
			Name: "Figure 5", About: "a chosen and a random coordinate", Kind: figures.Trained,
			Experiments: []string{"cebere2024/convnet", "cebere2024/convnet-period"},
			Functions:   []string{"cebere2024/hidden.Figure5"},
			Shows:       []string{"cebere2024-figure5", "cebere2024-figure5-comparison", "cebere2024-figure5-bounds"},
			Missing:     "ResNet18; A_GC-S at k = 5",
			Size:        "2,500 of 5,000 models; A_GC-R at k = 5: 200",
		},
		{
			Name: "Figure 6", About: "is the trade-off curve Gaussian; the search for the best threshold", Kind: figures.Simulated,
			Experiments: []string{"cebere2024/convnet-period"},
			Functions:   []string{"cebere2024.Figure6", "cebere2024.Search", "cebere2024/hidden.Figure6a"},
			Shows: []string{
				"cebere2024-figure6", "cebere2024-figure6-comparison", "cebere2024-search-best",
				"cebere2024-search", "cebere2024-figure6a", "cebere2024-figure6a-comparison",
				"cebere2024-figure6-distances", "cebere2024-search-comparison", "cebere2024-search-places",
			},
			Missing: "most games of 6a",
			Size:    "exact curves; 5,000 games, 5 repeats as in the paper; 6a: 200 of 5,000 models",
			Because: "curves are 0.018 apart at B = 4; h* suits the total variation, not ε",
		},
		{
			Name: "Figure 7", About: "a random direction with a cosine score", Kind: figures.Trained,
			Experiments: []string{"cebere2024/fcnn"},
			Functions:   []string{"cebere2024/hidden.Figure7"},
			Shows:       []string{"cebere2024-figure7", "cebere2024-figure7-comparison", "cebere2024-figure7-bounds"},
			Size:        "5,000 models, 5 audits as in the paper",
		},
		{
			Name: "Figure 8", About: "norms of the canary's gradient", Kind: figures.Trained,
			Experiments: []string{"cebere2024/norms"},
			Functions:   []string{"cebere2024/hidden.Figure8"},
			Shows:       []string{"cebere2024-figure8", "cebere2024-figure8-norms"},
			Missing:     "ResNet18",
			Size:        "30 runs of 250 steps, as in the paper",
		},
		{
			Name: "Figure 10", About: "the crafted loss landscape", Kind: figures.Closed,
			Functions: []string{"cebere2024.Figure10"},
			Shows:     []string{"cebere2024-figure10"},
		},
		{
			Name: "Figure 11", About: "privacy profiles", Kind: figures.Trained,
			Experiments: []string{"cebere2024/fcnn-period", "cebere2024/convnet-period", "cebere2024/convnet"},
			Functions:   []string{"cebere2024/hidden.Figure11"},
			Shows:       []string{"cebere2024-figure11", "cebere2024-figure11-mu"},
			Missing:     "the ConvNet at k = 25",
			Size:        "FCNN: 5,000 models, 5 audits; ConvNet: 2,500 of 5,000 models at k = 1, 200 at k = 5",
		},
		{
			Name: "Figure 12", About: "unknown initial weights", Kind: figures.Trained,
			Experiments: []string{"cebere2024/convnet-unknown"},
			Functions:   []string{"cebere2024/hidden.Figure12"},
			Shows:       []string{"cebere2024-figure12", "cebere2024-figure12-comparison", "cebere2024-figure12-bounds"},
			Missing:     "half of the games with known weights",
			Size:        "5,000 models as in the paper; 2,500 with known weights",
		},
		{
			Name: "Figure 13", About: "fine-tuning of a last layer", Kind: figures.Trained,
			Experiments: []string{"cebere2024/lastlayer"},
			Functions:   []string{"cebere2024/hidden.Figure13"},
			Shows:       []string{"cebere2024-figure13", "cebere2024-figure13-comparison", "cebere2024-figure13-bounds"},
			Missing:     "AlexNet and ImageNet; the features are of our own network",
			Size:        "5,000 models as in the paper; 2,500 of the ConvNet",
		},
		{
			Name: "Figure 14", About: "Figure 3 for all noise multipliers", Kind: figures.Simulated,
			Functions: []string{"cebere2024.Figure14"},
			Shows:     []string{"cebere2024-figure14", "cebere2024-figure14-audits", "cebere2024-figure14-comparison"},
			Size:      "5,000 games as in the paper, 9 seeds",
			Because:   "about 5 % is lost at B = 16; only the Gaussian reading is tight",
		},
		{
			Name: "Table 1", About: "a survey of adversaries", Kind: figures.Setting,
			Functions: []string{"cebere2024.Table1"},
			Shows:     []string{"cebere2024-table1"},
			Ours:      "the marks of two columns, which the text lacks",
		},
		{
			Name: "Table 2", About: "settings of the experiments", Kind: figures.Setting,
			Functions: []string{"cebere2024.Table2"},
			Shows:     []string{"cebere2024-table2"},
		},
	},
	Beyond: []figures.Item{
		{
			About:       "Figures 1a and 2a by coordinates instead of games: as many scores as in the paper",
			Kind:        figures.Trained,
			Experiments: []string{"cebere2024/convnet-coordinates"},
			Functions:   []string{"cebere2024/hidden.ByCoordinates"},
			Shows:       []string{"cebere2024-coordinates", "cebere2024-coordinates-bounds"},
			Missing:     "k = 5 and 25",
		},
		{
			About:     "both signs of equation (3)",
			Because:   "as printed, the loss does not keep the first step",
			Functions: []string{"cebere2024.Signs"},
			Shows:     []string{"cebere2024-signs", "cebere2024-signs-comparison", "cebere2024-signs-left"},
		},
		{
			About:     "the first step divided by B",
			Functions: []string{"cebere2024.Figure3"},
			Shows:     []string{"cebere2024-averaged-ratio"},
		},
		{
			About:     "what the last model can leak on convex losses, next to the exact ε of linear losses",
			Functions: []string{"cebere2024.LastModel"},
			Shows:     []string{"cebere2024-last-model-curves", "cebere2024-last-model"},
		},
	},
}
