package papernot2022

import "github.com/dplab/dplab/data/papers"

// Figure2 reproduces Figure 2: Rényi bounds of the best of K runs with K from the
// logarithmic law, for growing means, against one run and naive repetition.
func Figure2(cfg RenyiConfig) (RenyiResult, error) {
	return renyi(cfg, "papernot2022-figure2", "Figure 2: logarithmic law, growing mean", papers.Papernot2022.Figure2)
}

// defaultFigure2 is the caption of Figure 2; the orders are its axis.
func defaultFigure2() RenyiConfig {
	cfg := RenyiConfig{
		Rho:    papers.Papernot2022.Rho,
		Laws:   []LawSpec{{Fixed, 1}, {Fixed, 10}},
		Orders: orders(30),
	}
	for _, mean := range []float64{10, 100, 1000, 1e4, 1e5, 1e6} {
		cfg.Laws = append(cfg.Laws, LawSpec{TNB(0), mean})
	}
	return cfg
}

// orders returns 60 orders from near 1 to last.
func orders(last float64) []float64 {
	const n = 60
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 + (last-1)*float64(i+1)/n
	}
	return out
}
