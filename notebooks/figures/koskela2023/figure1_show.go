package koskela2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// checkedPoint is ours at a published point.
type checkedPoint struct {
	paper papers.Value
	ours  float64
}

func checkFigure1(paper paperMethod) ([]checkedPoint, error) {
	published := papers.Koskela2023.Figure1
	points := []checkedPoint{{published.Base, paper.epsilon(paper.base)}}
	for _, p := range published.Points {
		first, second, err := paper.variants(p.MeanRepeats, p.TuningRate)
		if err != nil {
			return nil, err
		}
		points = append(points,
			checkedPoint{p.Baseline, paper.epsilon(paper.tuning(p.MeanRepeats))},
			checkedPoint{p.Variant1, first}, checkedPoint{p.Variant2, second})
	}
	return points, nil
}

// Compare sets the paper's bounds as we compute them beside their recomputed values, and
// the savings of Section 3.4 beside the printed ones.
func (r Figure1Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-figure1", Title: "Figure 1 and Section 3.4: the paper's bounds at q = 0.1, and the gradients saved"}
	for _, p := range r.checked {
		c.Rows = append(c.Rows, row(p.paper, p.ours, r.changed()))
	}
	for _, cost := range papers.Koskela2023.Costs {
		mu, q := cost.MeanRepeats, cost.TuningRate
		c.Rows = append(c.Rows, row(cost.Ratio, mu/(mu*q+1), ""))
	}
	return c
}

// changed says that a config is not the paper's, as a note.
func (r Figure1Result) changed() string {
	p := papers.Koskela2023.Figure1
	if r.Config.SamplingRate != p.SamplingRate || r.Config.NoiseMultiplier != p.NoiseMultiplier ||
		r.Config.Delta != papers.Koskela2023.Delta || r.Config.MaxOrder != p.MaxOrder {
		return "computed for another run than the paper's"
	}
	return ""
}

func row(v papers.Value, ours float64, note string) figures.ComparisonRow {
	r := figures.Against(v, ours)
	r.Note = note
	return r
}

// Panels draws one panel for each mean number of runs.
func (r Figure1Result) Panels() figures.Panels {
	p := figures.Panels{
		Name: "koskela2023-figure1", Title: "Figure 1: tuning on a sample of rate q, then training once more", Columns: 2,
		Notes: []string{fmt.Sprintf("DP-SGD with γ = %g, σ = %g, T = %d; K from a Poisson law of mean µ. Paper's bounds at the integer orders 2 to %d; ours: the least bound of accounting/selection.",
			r.Config.SamplingRate, r.Config.NoiseMultiplier, r.Config.Steps, r.Config.MaxOrder)},
	}
	for _, c := range r.Curves {
		p.Charts = append(p.Charts, r.chart(c))
	}
	return p
}

func (r Figure1Result) chart(c TuningCurves) figures.Chart {
	qs := r.Config.TuningRates
	flat := func(y float64) figures.Numbers {
		return figures.Numbers{y, y}
	}
	ends := figures.Numbers{qs[0], qs[len(qs)-1]}
	return figures.Chart{
		Name: fmt.Sprintf("koskela2023-figure1-mean%g", c.MeanRepeats), Title: fmt.Sprintf("µ = %g", c.MeanRepeats),
		XLabel: "tuning sample rate q", YLabel: fmt.Sprintf("ε at δ = %g", r.Config.Delta),
		Curves: []figures.Curve{
			{Label: "baseline: tuning on all, paper", X: ends, Y: flat(c.Baseline), Color: 1},
			{Label: "variant 2: train on all, paper", X: qs, Y: c.Variant2, Color: 2},
			{Label: "variant 1: train on rest, paper", X: qs, Y: c.Variant1, Color: 3},
			{Label: "variant 2, ours", X: qs, Y: c.Variant2Least, Color: 4},
			{Label: "variant 1, ours", X: qs, Y: c.Variant1Least, Color: 5},
			{Label: "one training, least known", X: ends, Y: flat(r.Least), Reference: true},
		},
	}
}

// Table says where the paper's variants cross, and what ours cost there.
func (r Figure1Result) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-figure1-crossing", Title: "Where variant 1 starts to cost less than variant 2",
		Columns: []string{"µ", "crossing q, paper's bounds", "crossing q, ours", "baseline, paper's", "baseline, ours"},
		Notes:   []string{"Variant 1 never costs more than variant 2: the crossing is looseness of Theorem 6 (selection.TrainOnRest has the proof)."},
	}
	for _, c := range r.Curves {
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(c.MeanRepeats), crossingText(c.Crossing), crossingText(crossing(r.Config.TuningRates, c.Variant1Least, c.Variant2Least)),
			fmt.Sprintf("%.3f", c.Baseline), fmt.Sprintf("%.3f", c.BaselineLeast),
		})
	}
	return t
}

func crossingText(q float64) string {
	if math.IsNaN(q) {
		return "none"
	}
	return fmt.Sprintf("%.2f", q)
}
