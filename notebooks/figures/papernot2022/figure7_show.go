package papernot2022

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// Panels draws the outcome over the published axis, over ε by the paper's theorems, and
// over ε by the least known bound. The outcome is the expected accuracy, or the mean number
// of runs if the accuracies are not there.
func (r Figure7Result) Panels() figures.Panels {
	sgd := fmt.Sprintf("One run: DP-SGD, σ = %g, expected batch %d of %d, %d steps, Poisson sampling; ε <= %.4f at δ = %g.",
		r.Config.NoiseMultiplier, r.Config.BatchSize, r.Config.TrainingImages, r.Steps, r.Base.Epsilon.Upper, r.Config.Delta)
	epsilon := fmt.Sprintf("ε at δ = %g", r.Config.Delta)
	return figures.Panels{
		Name: "papernot2022-figure7", Title: "Figure 7: privacy of the search for a learning rate", Columns: 3,
		Charts: []figures.Chart{
			r.chart("published-axis", "Published axis", "least Rényi bound, no δ", func(c SearchCurve) []float64 { return c.Budget }),
			r.chart("epsilon", "Theorems 2 and 6", epsilon, func(c SearchCurve) []float64 { return c.Paper }),
			r.chart("least", "Least known bound", epsilon, func(c SearchCurve) []float64 { return c.Least }),
		},
		Notes: []string{sgd, "Markers: the authors' script. Its axis has no δ, so it cannot be read as ε."},
	}
}

func (r Figure7Result) chart(name, title, xLabel string, price func(SearchCurve) []float64) figures.Chart {
	ch := figures.Chart{
		Name: "papernot2022-figure7-" + name, Title: title, XLabel: xLabel,
		XMin: 0.5, XMax: 10, YLabel: "mean number of runs E[K]", YLog: true,
	}
	if r.Accuracies != nil {
		ch.YLabel, ch.YLog, ch.YMin, ch.YMax = "expected accuracy of the best run", false, 0.85, 0.97
	}
	for _, c := range r.Curves {
		y := c.Accuracy
		if y == nil {
			y = r.Config.Means
		}
		ch.Curves = append(ch.Curves, inFrame(price(c), y, ch.XMax, figures.Curve{Label: c.Family.Label(), Color: c.Family.color()}))
	}
	if name == "published-axis" {
		ch.Curves = append(ch.Curves, r.markers()...)
	}
	if r.Accuracies != nil {
		line := papers.Papernot2022.Figure7.NonPrivate.Number
		ch.Curves = append(ch.Curves, figures.Curve{
			Label: "non-private search", X: []float64{ch.XMin, ch.XMax}, Y: []float64{line, line}, Reference: true,
		})
	}
	return ch
}

// markers are the points of the authors' script: its budget, and what it would plot.
func (r Figure7Result) markers() []figures.Curve {
	paper := papers.Papernot2022.Figure7
	accuracy := map[float64]papers.Papernot2022Accuracy{}
	for _, a := range paper.Accuracies {
		accuracy[a.Gamma] = a
	}
	var out []figures.Curve
	for _, v := range []struct {
		eta      float64
		budget   func(papers.Papernot2022Budget) float64
		accuracy func(papers.Papernot2022Accuracy) float64
	}{
		{0, func(b papers.Papernot2022Budget) float64 { return b.Logarithmic }, func(a papers.Papernot2022Accuracy) float64 { return a.Logarithmic }},
		{1, func(b papers.Papernot2022Budget) float64 { return b.Geometric }, func(a papers.Papernot2022Accuracy) float64 { return a.Geometric }},
		{0.5, func(b papers.Papernot2022Budget) float64 { return b.NBHalf }, func(a papers.Papernot2022Accuracy) float64 { return a.NBHalf }},
	} {
		curve := figures.Curve{Color: TNB(v.eta).color(), Kind: figures.Points}
		for _, b := range paper.Budgets {
			y := v.accuracy(accuracy[b.Gamma])
			if r.Accuracies == nil {
				y = tnbMean(v.eta, b.Gamma)
			}
			curve.X, curve.Y = append(curve.X, v.budget(b)), append(curve.Y, y)
		}
		out = append(out, curve)
	}
	return out
}

// compared picks the published γ that a table has room for: means from 1.4 to 10,000.
func compared(gamma float64) bool { return slices.Contains([]float64{1e-4, 0.0035, 0.1, 0.5}, gamma) }

// Compare sets the published axis and the expected accuracies beside ours.
func (r Figure7Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "papernot2022-figure7", Title: "Figure 7: the published axis, and the accuracies"}
	const (
		orders  = "the script tries 74 orders, we try all"
		unsound = "the script has ln(1/γ - 1) where Theorem 2 has ln(1/γ), which is no upper bound"
	)
	for i, p := range papers.Papernot2022.Figure7.Budgets {
		if !compared(p.Gamma) {
			continue
		}
		ours := r.budgets[i]
		row := func(law string, ours, paper float64, note string) {
			if !math.IsNaN(paper) {
				c.Rows = append(c.Rows, figures.ComparisonRow{
					Quantity: fmt.Sprintf("least Rényi bound, nats, %s, γ = %g", law, p.Gamma),
					Ours:     ours, Paper: paper, AbsErr: p.Source.AbsErr, Source: p.Source.String(), Note: note,
				})
			}
		}
		row("logarithmic", ours.Logarithmic, p.Logarithmic, orders+"; "+unsound)
		row("geometric", ours.Geometric, p.Geometric, orders)
		row("η = 0.5", ours.NBHalf, p.NBHalf, orders+"; "+unsound)
		row("Poisson of mean 100γ", ours.Poisson, p.Poisson, orders)
	}
	for i, p := range papers.Papernot2022.Figure7.Accuracies {
		if !compared(p.Gamma) {
			continue
		}
		ours := papers.Papernot2022Accuracy{Logarithmic: math.NaN(), Geometric: math.NaN(), NBHalf: math.NaN()}
		note := "the authors' file of accuracies is not here"
		if r.expected != nil {
			ours, note = r.expected[i], ""
		}
		row := func(law string, ours, paper float64) {
			c.Rows = append(c.Rows, figures.ComparisonRow{
				Quantity: fmt.Sprintf("expected accuracy, %s, γ = %g", law, p.Gamma),
				Ours:     ours, Paper: paper, AbsErr: p.Source.AbsErr, Source: p.Source.String(), Note: note,
			})
		}
		row("logarithmic", ours.Logarithmic, p.Logarithmic)
		row("geometric", ours.Geometric, p.Geometric)
		row("η = 0.5", ours.NBHalf, p.NBHalf)
	}
	return c
}
