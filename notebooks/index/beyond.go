package index

import (
	"fmt"
	"strings"
)

// Extra is what a paper's notebook shows beyond the paper's figures and tables.
type Extra struct {
	Paper     string
	About     string
	Functions []string
	Shows     []string
}

// Beyond lists what the notebooks add.
var Beyond = []Extra{
	{"papernot2022", "Figure 4 for a base and δ of your own", []string{"papernot2022.Figure4"}, []string{"papernot2022-your-own"}},
	{"papernot2022", "how low the price of a selection can be", []string{"papernot2022.HowLow"}, []string{"papernot2022-how-low", "papernot2022-how-low-table"}},
	{"papernot2022", "the noise that is saved", []string{"papernot2022.LeastNoise"}, []string{"papernot2022-least-noise", "papernot2022-least-noise-table"}},
	{"koskela2023", "other laws of the number of runs", []string{"koskela2023.OtherLaws"}, []string{"koskela2023-laws"}},
	{"koskela2023", "all protocols at one (ε, δ)", []string{"koskela2023.Trained.Protocols"}, []string{
		"koskela2023-fashion-sgd-protocols", "koskela2023-fashion-sgd-protocols-accuracies", "koskela2023-cifar-sgd-protocols", "koskela2023-cifar-sgd-protocols-accuracies",
		"koskela2023-fashion-sgd-digits-protocols", "koskela2023-fashion-sgd-digits-protocols-accuracies"}},
	{"koskela2023", "a plan before the run", []string{"koskela2023.Advice"}, []string{"koskela2023-advice", "koskela2023-advice-ways"}},
	{"cebere2024", "both signs of equation (3)", []string{"cebere2024.Signs"}, []string{"cebere2024-signs"}},
	{"cebere2024", "the first step divided by B", []string{"cebere2024.Figure3"}, []string{"cebere2024-averaged-ratio"}},
	{"ding2023", "Theorem 3 with its constants put in", []string{"ding2023.Theorem3"}, []string{"ding2023-theorem3-delta", "ding2023-theorem3-pass"}},
	{"ding2023", "a price that may be printed, with a public cap", []string{"ding2023.HonestPrice"}, []string{"ding2023-price", "ding2023-price-table"}},
	{"ding2023", "what a budget buys", []string{"ding2023.Utility"}, []string{"ding2023-utility"}},
	{"ding2023", "searches among trained models", []string{"ding2023.OnDigits"}, []string{"ding2023-digits", "ding2023-digits-accuracies"}},
}

// BeyondListing returns Beyond as a Markdown list.
func BeyondListing() string {
	var out strings.Builder
	out.WriteString("\nBeyond the papers:\n\n")
	for _, b := range Beyond {
		fmt.Fprintf(&out, "- [%s](%s.ipynb): %s (`%s`)\n", b.Paper, b.Paper, b.About, strings.Join(b.Functions, "`, `"))
	}
	return out.String()
}
