package xiang2024

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure draws one chart for each sampling rate and law.
func (r Figure6Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "xiang2024-figure6", Title: "Figure 6: what tuning DP-SGD costs", Columns: min(2, len(r.Config.Laws)),
		Notes: []string{
			"ε_U-G and ε_U-O: Algorithm 3 as printed. For τ < 1 they are approximations, no bounds. Bounds hold for every score.",
			"The simulated game is N(0, 1) against N(µ_O, 1), best of K. At τ = 1 that is DP-SGD itself with a monotone score.",
			fmt.Sprintf("ε_L by equation (4): mean, least and largest of %d audits with %d games each, confidence %g; the charts of a law share their draws. δ = %s, N = %d. The text does not print η and ν.",
				r.Config.Trials, r.Config.Games, r.Config.Confidence, chart.Scientific(r.Config.Delta), r.Config.Steps),
		},
	}
	for i, c := range r.Charts {
		x := r.Config.BaseEpsilons
		var mean, low, high chart.Series
		for _, audits := range c.Audits {
			mean, low, high = append(mean, stat.Mean(audits, nil)), append(low, slices.Min(audits)), append(high, slices.Max(audits))
		}
		p.Charts = append(p.Charts, chart.Chart{
			Name:   fmt.Sprintf("xiang2024-figure6-%d", i+1),
			Title:  fmt.Sprintf("τ = %g, η = %g, ν = %g, E[K] = %.3g", c.SamplingRate, c.Law.Eta, c.Law.Gamma, c.Law.Distribution().Mean()),
			XLabel: "base ε_B", YLabel: fmt.Sprintf("ε at δ = %s", chart.Scientific(r.Config.Delta)), Curves: []chart.Curve{
				{Label: "ε_U-P, Theorem 2 (bound)", X: x, Y: c.Generic, Color: 1},
				{Label: "lowest bound of dplab", X: x, Y: c.Ours, Color: 3},
				{Label: "ε_U-G (central limit)", X: x, Y: plain(c.G), Color: 2},
				{Label: "ε_U-O (large numbers)", X: x, Y: plain(c.O), Color: 4},
				{Label: "exact ε of the simulated game", X: x, Y: c.Exact, Color: 5},
				{Label: "ε_L, audit", X: x, Y: mean, Low: low, High: high, Kind: chart.Points, Color: 6},
				{Label: "one run", X: x, Y: x, Reference: true},
			},
		})
	}
	return p
}

func plain(values []monotone.ApproximateEpsilon) []float64 {
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
		Columns: []string{"τ", "η", "ν", "ε_B", "µ_O", "ε_L: mean", "least to largest", "exact, game of µ_O", "ε_U-O", "ε_U-G", "lowest bound", "ε_U-P", "by"},
	}
	for _, c := range r.Charts {
		for i, base := range r.Config.BaseEpsilons {
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("%g", c.SamplingRate), fmt.Sprintf("%g", c.Law.Eta), fmt.Sprintf("%g", c.Law.Gamma), fmt.Sprintf("%g", base), fmt.Sprintf("%.4f", c.MuO[i]),
				fmt.Sprintf("%.2f", stat.Mean(c.Audits[i], nil)), fmt.Sprintf("%.2f to %.2f", slices.Min(c.Audits[i]), slices.Max(c.Audits[i])), fmt.Sprintf("%.3f", c.Exact[i]),
				fmt.Sprintf("%.3f", float64(c.O[i])), fmt.Sprintf("%.3f", float64(c.G[i])), fmt.Sprintf("%.3f", c.Ours[i]), fmt.Sprintf("%.3f", c.Generic[i]), c.OursBy[i],
			})
		}
	}
	return t
}
