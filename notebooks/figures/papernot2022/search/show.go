package search

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure draws the outcome over the published axis, over ε by the paper's theorems, and
// over ε by the least known bound. The outcome is the expected accuracy, or the mean number
// of runs if the accuracies are not there.
func (r Figure7Result) Figure() chart.Figure {
	sgd := fmt.Sprintf("One run: DP-SGD, σ = %g, expected batch %d of %d, %d steps, Poisson sampling; ε <= %.4f at δ = %s.",
		r.Config.NoiseMultiplier, r.Config.BatchSize, r.Config.TrainingImages, r.Steps, r.Base.Epsilon.Upper, chart.Scientific(r.Config.Delta))
	epsilon := "ε at δ = " + chart.Scientific(r.Config.Delta)
	return chart.Panels{
		Name: "papernot2022-figure7", Title: "Figure 7: privacy of the search for a learning rate", Columns: 3,
		Charts: []chart.Chart{
			r.chart("published-axis", "Published axis", "least Rényi bound, no δ", func(c SearchCurve) []float64 { return c.Budget }),
			r.chart("epsilon", "Theorems 2 and 6", epsilon, func(c SearchCurve) []float64 { return c.Paper }),
			r.chart("least", "Least known bound", epsilon, func(c SearchCurve) []float64 { return c.Least }),
		},
		Notes: []string{sgd, "The published axis has no δ, so it cannot be read as ε. Crosses: the script's values, Poisson's left out."},
	}
}

func (r Figure7Result) chart(name, title, xLabel string, price func(SearchCurve) []float64) chart.Chart {
	ch := chart.Chart{
		Name: "papernot2022-figure7-" + name, Title: title, XLabel: xLabel,
		XMin: chart.Round(0.2*r.Base.Epsilon.Upper, 2), XMax: chart.Round(4.2*r.Base.Epsilon.Upper, 2),
		YLabel: "mean number of runs E[K]", YLog: true, YMin: 1, YMax: r.Config.Means[len(r.Config.Means)-1],
	}
	if r.Accuracies != nil {
		ch.YLabel, ch.YLog, ch.YMin, ch.YMax = "expected accuracy", false, 0.85, 0.97
	}
	for _, c := range r.Curves {
		y := c.Accuracy
		if y == nil {
			y = c.Means
		}
		ch.Curves = append(ch.Curves, laws.InFrame(price(c), y, ch.XMax, chart.Curve{Label: c.Family.Label(), Color: c.Family.Color()}))
	}
	if r.Accuracies != nil {
		line := papers.Papernot2022.Figure7.NonPrivate.Number
		ch.Curves = append(ch.Curves, chart.Curve{
			Label: "non-private search", X: []float64{ch.XMin, ch.XMax}, Y: []float64{line, line}, Reference: true,
		})
	}
	if name == "published-axis" {
		ch.Curves = append(ch.Curves, r.marker())
	}
	return ch
}

// marker is the points of the authors' script: its budget, and what it would plot.
func (r Figure7Result) marker() chart.Curve {
	paper := papers.Papernot2022.Figure7
	curve := chart.Curve{Label: "authors' script", Kind: chart.Points, OnTop: true}
	add := func(x, y float64) { curve.X, curve.Y = append(curve.X, x), append(curve.Y, y) }
	for _, b := range paper.Budgets {
		i := slices.IndexFunc(paper.Accuracies, func(a papers.Papernot2022Accuracy) bool { return a.Gamma == b.Gamma })
		if r.Accuracies != nil && i >= 0 {
			a := paper.Accuracies[i]
			add(b.Logarithmic, a.Logarithmic)
			add(b.Geometric, a.Geometric)
			add(b.NBHalf, a.NBHalf)
			continue
		}
		add(b.Logarithmic, tnbMean(0, b.Gamma))
		add(b.Geometric, tnbMean(1, b.Gamma))
		add(b.NBHalf, tnbMean(0.5, b.Gamma))
	}
	return curve
}

// compared picks the published γ that a table has room for: means from 1.4 to 10,000.
func compared(gamma float64) bool { return slices.Contains([]float64{1e-4, 0.0035, 0.1, 0.5}, gamma) }

// Compare sets the script's formulas as we evaluate them beside the published axis, and the expected accuracies if the
// authors' file is there.
func (r Figure7Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "papernot2022-figure7", Title: "Figure 7: the published axis, and the accuracies"}
	paper := papers.Papernot2022.Figure7
	for _, p := range r.Axis {
		if !compared(p.Gamma) {
			continue
		}
		note := ""
		if !math.IsNaN(p.Theorem) {
			note = fmt.Sprintf("%s over all orders: %.4f", theoremOf(p.Law), p.Theorem)
		}
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity: fmt.Sprintf("least Rényi bound, nats, the script's formula at its orders, %s, γ = %g", p.Label, p.Gamma),
			Ours:     p.Script, Reference: p.Published,
			AbsErr: paper.Budgets[0].Source.AbsErr, Read: paper.Budgets[0].Source.Read, Source: paper.Budgets[0].Source.String(), Note: note,
		})
	}
	var exact figures.Cases
	for _, p := range r.Axis {
		exact.AddIf(math.Abs(p.Script/p.Published-1) <= 1e-12)
	}
	all := paper.Budgets[0].Source
	all.AbsErr = 0
	c.Rows = append(c.Rows, exact.Against(papers.Value{Quantity: fmt.Sprintf("share of the script's %d values that its formulas give to 12 digits", exact.Of()), Number: 1, Source: all}))
	for i, ours := range r.expected {
		p := paper.Accuracies[i]
		if !compared(p.Gamma) {
			continue
		}
		row := func(law string, ours, number float64) {
			c.Rows = append(c.Rows, figures.Against(papers.Value{
				Quantity: fmt.Sprintf("expected accuracy, %s, γ = %g", law, p.Gamma), Number: number, Source: p.Source}, ours))
		}
		row("logarithmic", ours.Logarithmic, p.Logarithmic)
		row("geometric", ours.Geometric, p.Geometric)
		row("η = 0.5", ours.NBHalf, p.NBHalf)
	}
	return c
}

// theoremOf names the paper's bound for a law.
func theoremOf(runs law.Law) string {
	if _, ok := runs.(law.Poisson); ok {
		return "Theorem 6"
	}
	return "Theorem 2"
}

// AxisTable takes the published axis from the script's formula to the theorem over all orders, step by step.
func (r Figure7Result) AxisTable() figures.Table {
	t := figures.Table{
		Name: "papernot2022-figure7-axis", Title: "Figure 7: the published axis, corrected step by step; least Rényi bound, nats",
		Columns: []string{"law", "γ", "published", "script's formula, evaluated by us", "with ln(1/γ), second slip left", "theorem, script's orders", "theorem, all orders"},
	}
	for _, p := range r.Axis {
		if compared(p.Gamma) {
			t.Rows = append(t.Rows, []string{p.Label, chart.Format(p.Gamma, 0), chart.Places(p.Published, 12), chart.Places(p.Script, 12),
				chart.Places(p.OneSlip, 4), chart.Places(p.AtOrders, 4), chart.Places(p.Theorem, 4)})
		}
	}
	t.Notes = []string{fmt.Sprintf("The script has %d orders and the divergences of one run at them. Its formula for Poisson is Theorem 6, its geometric one Theorem 2.",
		len(papers.Papernot2022.Figure7.Script.Orders))}
	if e := r.example; e != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %.2f on the published axis; at δ = %s ε = %.2f by the paper's theorem and %.2f by the least known bound, that of one run %.2f.",
			e.spec.Label(), e.budget, chart.Scientific(r.Config.Delta), e.paper, e.least, r.Base.Epsilon.Upper))
	}
	if r.Accuracies == nil {
		t.Notes = append(t.Notes, "Without the authors' file of accuracies the vertical axis is the mean number of runs.")
	}
	if !r.Config.isPapers() {
		t.Notes = append(t.Notes, "The last column is empty: the run of this page is another than the paper's.")
	}
	return t
}

// tnbMean returns E[K] of a truncated negative binomial law.
func tnbMean(eta, gamma float64) float64 {
	return law.TNB{Eta: eta, Gamma: gamma}.Distribution().Mean()
}
