package koskela2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Panels draws one panel for each training.
func (r NoiseResult) Panels() chart.Panels {
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

// Findings says how the methods compare over all trainings and ε.
func (r NoiseResult) Findings() []string {
	var paper, least Noise
	for _, t := range r.Trainings {
		paper, least = paper.and(t.Paper), least.and(t.Least)
	}
	order := func(whose string, n Noise) string {
		return fmt.Sprintf("By %s the baseline needs %s times the noise of variant 1 and %s times that of variant 2; variant 1 needs less than variant 2 at %d of %d points.",
			whose, span(ratios(n.Baseline, n.Variant1)), span(ratios(n.Baseline, n.Variant2)), countAbove(n.Variant2, n.Variant1), len(n.Variant1))
	}
	return []string{order("the paper's bounds", paper), order("ours", least),
		fmt.Sprintf("The noise by our bounds is %s that by the paper's for one run, %s for variant 1, %s for variant 2, %s for the baseline.",
			below(ratios(least.OneRun, paper.OneRun)), below(ratios(least.Variant1, paper.Variant1)), below(ratios(least.Variant2, paper.Variant2)), below(ratios(least.Baseline, paper.Baseline)))}
}

// and joins the lists.
func (n Noise) and(m Noise) Noise {
	return Noise{slices.Concat(n.OneRun, m.OneRun), slices.Concat(n.Variant1, m.Variant1), slices.Concat(n.Variant2, m.Variant2), slices.Concat(n.Baseline, m.Baseline)}
}

// span says the least and the largest.
func span(xs []float64) string { return fmt.Sprintf("%.3g to %.3g", slices.Min(xs), slices.Max(xs)) }

// Compare sets the sentences of the captions beside σ by the paper's bounds. They have a verdict
// if the settings are the paper's.
func (r NoiseResult) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-noise", Title: "Figures 5 and 6, captions: the noise of the methods, by the paper's bounds"}
	var all Noise
	for _, t := range r.Trainings {
		all = all.and(t.Paper)
	}
	larger := make([]float64, len(all.Variant1)) // of the two variants
	for k := range larger {
		larger[k] = math.Max(all.Variant1[k], all.Variant2[k])
	}
	p := papers.Koskela2023.Noise
	for _, claim := range []struct {
		said papers.Value
		hold int
		note string
	}{{p.LessThanBaseline, countAbove(all.Baseline, larger), "“significantly” is not tested"}, {p.Variant1Lower, countAbove(all.Variant2, all.Variant1), ""}} {
		row := against(claim.said, float64(claim.hold)/float64(len(larger)), r.Config.papersSettings())
		if row.Note == "" {
			row.Note = claim.note
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// against is figures.Against, without the paper's value if the settings are not the paper's.
func against(v papers.Value, ours float64, papersSettings bool) figures.ComparisonRow {
	row := figures.Against(v, ours)
	if !papersSettings {
		row = row.Withheld("the settings are not the paper's")
	}
	return row
}
