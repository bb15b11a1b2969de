package papernot2022

import "github.com/dplab/dplab/data/papers"

// Figure3 reproduces Figure 3: Rényi bounds of the best of K runs for several laws of
// mean 10, against naive repetition.
func Figure3(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure3", title: "Figure 3: several laws of mean 10", theorems: "Theorems 2 and 6", label: LawSpec.Label}
	return renyi(cfg, look, papers.Papernot2022.Figure3)
}

// defaultFigure3 is the caption and the legend of Figure 3; the orders are its axis.
func defaultFigure3() RenyiConfig {
	return RenyiConfig{
		Rho: papers.Papernot2022.Rho,
		Laws: []LawSpec{
			{Fixed, 1}, {Fixed, 10}, {TNB(0), 10}, {TNB(1), 10}, {TNB(5), 10}, {Poisson, 10},
		},
		Orders: orders(50),
	}
}
