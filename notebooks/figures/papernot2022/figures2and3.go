package papernot2022

import (
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure2 reproduces Figure 2: Rényi bounds of the best of K runs with K from the
// logarithmic law, for growing means, against one run and naive repetition.
func Figure2(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure2", title: "Figure 2: logarithmic law, growing mean", theorems: "Theorem 2", label: laws.Spec.Label}
	if oneFamily(cfg.Laws) {
		look.label = meanOnly
	}
	return renyi(cfg, look, papers.Papernot2022.Figure2)
}

// defaultFigure2 is the caption of Figure 2; the orders are its axis.
func defaultFigure2() RenyiConfig {
	cfg := RenyiConfig{
		Rho:    papers.Papernot2022.Rho,
		Laws:   []laws.Spec{laws.Fixed.WithMean(1), laws.Fixed.WithMean(10)},
		Orders: orders(30),
	}
	for _, mean := range []float64{10, 100, 1000, 1e4, 1e5, 1e6} {
		cfg.Laws = append(cfg.Laws, laws.TNB(0).WithMean(mean))
	}
	return cfg
}

// oneFamily reports whether all laws that are not fixed are of one family, so that the
// mean tells them apart.
func oneFamily(specs []laws.Spec) bool {
	var first laws.Family
	for _, s := range specs {
		switch {
		case s.Family == laws.Fixed || s.Family == first:
		case first == laws.Family{}:
			first = s.Family
		default:
			return false
		}
	}
	return true
}

func meanOnly(s laws.Spec) string {
	if s.Family == laws.Fixed {
		return s.Label()
	}
	return fmt.Sprintf("E[K] = %s", chart.Grouped(s.Mean))
}

// Figure3 reproduces Figure 3: Rényi bounds of the best of K runs for several laws of
// mean 10, against naive repetition.
func Figure3(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure3", title: "Figure 3: several laws of mean 10", theorems: "Theorems 2 and 6", label: laws.Spec.Label}
	return renyi(cfg, look, papers.Papernot2022.Figure3)
}

// defaultFigure3 is the caption and the legend of Figure 3; the orders are its axis.
func defaultFigure3() RenyiConfig {
	return RenyiConfig{
		Rho: papers.Papernot2022.Rho,
		Laws: []laws.Spec{
			laws.Fixed.WithMean(1), laws.Fixed.WithMean(10), laws.TNB(0).WithMean(10), laws.TNB(1).WithMean(10), laws.TNB(5).WithMean(10), laws.Poisson.WithMean(10),
		},
		Orders: orders(50),
	}
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
