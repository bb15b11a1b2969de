package koskela2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure draws one panel for each training.
func (r NoiseResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: "koskela2023-noise", Title: "Figures 5 and 6, second column: the noise for a final ε", Columns: 3,
		Notes: []string{fmt.Sprintf("δ = %s, µ = %g, q = %g, K from a Poisson law. Computed at the marked ε: the lines only join them. Paper's bounds at the integer orders 2 to %d; ours: the least bound known.",
			chart.Scientific(r.Config.Delta), r.Config.MeanRepeats, r.Config.TuningRate, r.Config.MaxOrder)},
	}
	for i, t := range r.Trainings {
		p.Notes[0] += fmt.Sprintf(" %s: γ = %g, T = %d.", t.Training.Name, t.Training.SamplingRate, t.Training.Steps)
		p.Charts = append(p.Charts, chart.Chart{
			Name: fmt.Sprintf("koskela2023-noise-%d", i+1), Title: t.Training.Name,
			XLabel: "final ε", YLabel: "noise multiplier σ", XLog: true, YLog: true,
			Curves: []chart.Curve{
				{Label: "baseline, paper", X: r.Config.Epsilons, Y: t.Paper.Baseline, Color: 1},
				{Label: "variant 2, paper", X: r.Config.Epsilons, Y: t.Paper.Variant2, Color: 2},
				{Label: "variant 1, paper", X: r.Config.Epsilons, Y: t.Paper.Variant1, Color: 3},
				{Label: "baseline, ours", X: r.Config.Epsilons, Y: t.Least.Baseline, Color: 6},
				{Label: "variant 2, ours", X: r.Config.Epsilons, Y: t.Least.Variant2, Color: 4},
				{Label: "variant 1, ours", X: r.Config.Epsilons, Y: t.Least.Variant1, Color: 5},
				{Label: "one training, least known", X: r.Config.Epsilons, Y: t.Least.OneRun, Reference: true},
			},
		})
	}
	return p
}

// Table lists σ.
func (r NoiseResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-noise-multipliers", Title: "The least noise multiplier σ for a final ε",
		Columns: []string{"data", "ε", "one run, paper's", "variant 1, paper's", "variant 2, paper's", "baseline, paper's", "one run, ours", "variant 1, ours", "variant 2, ours", "baseline, ours"},
	}
	for _, n := range r.Trainings {
		for k, epsilon := range r.Config.Epsilons {
			row := []string{n.Training.Name, short(epsilon)}
			for _, by := range []Noise{n.Paper, n.Least} {
				for _, sigmas := range [][]float64{by.OneRun, by.Variant1, by.Variant2, by.Baseline} {
					row = append(row, fmt.Sprintf("%.3f", sigmas[k]))
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// otherSettings is why a row has no verdict.
const otherSettings = "the settings are not the paper's"

// Compare sets the sentences of the captions next to σ by the paper's bounds. They have a verdict if
// the settings are the paper's.
func (r NoiseResult) Compare() figures.Comparison {
	var below, lower figures.Cases
	for _, t := range r.Trainings {
		n := t.Paper
		for k := range n.Baseline {
			below.AddIf(n.Baseline[k] > math.Max(n.Variant1[k], n.Variant2[k])*(1+1e-9))
			lower.AddIf(n.Variant2[k] > n.Variant1[k]*(1+1e-9))
		}
	}
	p := papers.Koskela2023.Noise
	first, second := below.Against(p.LessThanBaseline), lower.Against(p.Variant1Lower)
	first.Note = "“significantly” is not tested"
	if !r.Config.papersSettings() {
		first, second = first.WithoutReference(otherSettings), second.WithoutReference(otherSettings)
	}
	return figures.Comparison{Name: "koskela2023-noise", Title: "Figures 5 and 6, captions: the noise of the methods, by the paper's bounds",
		Rows: []figures.ComparisonRow{first, second}}
}
