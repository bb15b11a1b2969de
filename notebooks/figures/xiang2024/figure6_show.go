package xiang2024

import (
	"fmt"

	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/notebooks/figures"
)

// Panels draws one chart for each sampling rate and law.
func (r Figure6Result) Panels() figures.Panels {
	p := figures.Panels{
		Name: "xiang2024-figure6", Title: "Figure 6: what tuning DP-SGD costs", Columns: min(2, len(r.Config.Laws)),
		Notes: []string{
			"For τ < 1, ε_U-G and ε_U-O are approximations, no bounds. Bounds hold for every score, the exact ε for monotone scores.",
			fmt.Sprintf("ε_L: %d games each, confidence %g. δ = %g, N = %d. The text does not print η and ν.", r.Config.Games, r.Config.Confidence, r.Config.Delta, r.Config.Steps),
		},
	}
	for i, c := range r.Charts {
		x := r.Config.BaseEpsilons
		curves := []figures.Curve{
			{Label: "ε_U-P, Theorem 2 (bound)", X: x, Y: c.Generic, Color: 1},
			{Label: "least bound of dplab", X: x, Y: c.Ours, Color: 3},
			{Label: "ε_U-G (central limit)", X: x, Y: plain(c.G), Color: 2},
			{Label: "ε_U-O (large numbers)", X: x, Y: plain(c.O), Color: 4},
		}
		if c.Exact != nil {
			curves = append(curves, figures.Curve{Label: "exact, monotone score", X: x, Y: c.Exact, Color: 5})
		}
		curves = append(curves,
			figures.Curve{Label: "ε_L, audit", X: x, Y: c.Audit, Kind: figures.Points, Color: 6},
			figures.Curve{Label: "one run", X: x, Y: x, Reference: true},
		)
		p.Charts = append(p.Charts, figures.Chart{
			Name:   fmt.Sprintf("xiang2024-figure6-%d", i+1),
			Title:  fmt.Sprintf("τ = %g, η = %g, ν = %g, E[K] = %.3g", c.SamplingRate, c.Law.Eta, c.Law.Gamma, c.Law.Mean()),
			XLabel: "base ε_B", YLabel: fmt.Sprintf("ε at δ = %g", r.Config.Delta), Curves: curves,
		})
	}
	return p
}

func plain(values []selection.ApproximateEpsilon) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// Table lists all values.
func (r Figure6Result) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-figure6-values", Title: "Figure 6 in numbers: ε, in nats",
		Columns: []string{"τ", "η", "ν", "ε_B", "ε_L", "exact", "ε_U-O", "ε_U-G", "least bound", "ε_U-P", "by"},
	}
	for _, c := range r.Charts {
		for i, base := range r.Config.BaseEpsilons {
			exact := ""
			if c.Exact != nil {
				exact = fmt.Sprintf("%.3f", c.Exact[i])
			}
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("%g", c.SamplingRate), fmt.Sprintf("%g", c.Law.Eta), fmt.Sprintf("%g", c.Law.Gamma), fmt.Sprintf("%g", base),
				fmt.Sprintf("%.3f", c.Audit[i]), exact, fmt.Sprintf("%.3f", float64(c.O[i])), fmt.Sprintf("%.3f", float64(c.G[i])),
				fmt.Sprintf("%.3f", c.Ours[i]), fmt.Sprintf("%.3f", c.Generic[i]), c.OursBy[i],
			})
		}
	}
	return t
}
