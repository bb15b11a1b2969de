package papernot2022

import (
	"fmt"

	"github.com/dplab/dplab/data/papers"
)

// Figure2 reproduces Figure 2: Rényi bounds of the best of K runs with K from the
// logarithmic law, for growing means, against one run and naive repetition.
func Figure2(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure2", title: "Figure 2: logarithmic law, growing mean", theorems: "Theorem 2", label: LawSpec.Label}
	if oneFamily(cfg.Laws) {
		look.label = meanOnly
	}
	return renyi(cfg, look, papers.Papernot2022.Figure2)
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

// oneFamily reports whether all laws that are not fixed are of one family, so that the
// mean tells them apart.
func oneFamily(laws []LawSpec) bool {
	var first Family
	for _, s := range laws {
		switch {
		case s.Family == Fixed || s.Family == first:
		case first == Family{}:
			first = s.Family
		default:
			return false
		}
	}
	return true
}

func meanOnly(s LawSpec) string {
	if s.Family == Fixed {
		return s.Label()
	}
	return fmt.Sprintf("E[K] = %s", grouped(s.Mean))
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
