package koskela2023

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
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
	crossing, err := paper.cross(published.CrossingMean, 0.005, 0.5)
	return append(points, checkedPoint{published.Crossing, crossing}), err
}

// cross returns 1 if the bounds of the two variants cross between low and high, else 0.
func (p paperMethod) cross(mean, low, high float64) (float64, error) {
	first1, second1, err1 := p.variants(mean, low)
	first2, second2, err2 := p.variants(mean, high)
	if (first1 > second1) != (first2 > second2) {
		return 1, errors.Join(err1, err2)
	}
	return 0, errors.Join(err1, err2)
}

// Compare sets the paper's bounds as we compute them beside their recomputed values, if the
// run is the paper's, and the savings of Section 3.4 beside the printed ones.
func (r Figure1Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-figure1", Title: "Section 3.4: the gradients saved"}
	if len(r.checked) > 0 {
		c.Title = "Figure 1 and Section 3.4: the paper's bounds at q = 0.1, and the gradients saved"
	}
	for _, p := range r.checked {
		row := figures.Against(p.paper, p.ours)
		if p.paper == papers.Koskela2023.Figure1.Crossing {
			row.Note = r.crossingNote()
		}
		c.Rows = append(c.Rows, row)
	}
	for _, cost := range papers.Koskela2023.Costs {
		mu, q := cost.MeanRepeats, cost.TuningRate
		c.Rows = append(c.Rows, figures.Against(cost.Ratio, mu/(mu*q+1)))
	}
	return c
}

// crossingNote says where the curves cross of which the paper says that they do, if they are drawn and do.
func (r Figure1Result) crossingNote() string {
	for _, c := range r.Curves {
		if c.MeanRepeats == papers.Koskela2023.Figure1.CrossingMean && len(c.Crossings) > 0 {
			return "at q = " + crossingText(c.Crossings)
		}
	}
	return ""
}

// Panels draws one panel for each mean number of runs.
func (r Figure1Result) Panels() chart.Panels {
	p := chart.Panels{
		Name: "koskela2023-figure1", Title: "Figure 1: tuning on a sample of rate q, then training once more", Columns: 2,
		Notes: []string{fmt.Sprintf("DP-SGD with γ = %g, σ = %g, T = %d; K from a Poisson law of mean µ. Paper's bounds at the integer orders 2 to %d; ours: the least bound of accounting/selection.",
			r.Config.SamplingRate, r.Config.NoiseMultiplier, r.Config.Steps, r.Config.MaxOrder)},
	}
	for _, c := range r.Curves {
		p.Charts = append(p.Charts, r.chart(c))
	}
	return p
}

func (r Figure1Result) chart(c TuningCurves) chart.Chart {
	qs := r.Config.TuningRates
	flat := func(y float64) chart.Series {
		return chart.Series{y, y}
	}
	ends := chart.Series{qs[0], qs[len(qs)-1]}
	return chart.Chart{
		Name: "koskela2023-figure1-mean" + strings.ReplaceAll(strconv.FormatFloat(c.MeanRepeats, 'f', -1, 64), ".", "-"), Title: fmt.Sprintf("µ = %g", c.MeanRepeats),
		XLabel: "tuning sample rate q", YLabel: epsilonAt(r.Config.Delta), XLog: true,
		Curves: []chart.Curve{
			{Label: "baseline: tuning on all, paper", X: ends, Y: flat(c.Baseline), Color: 1},
			{Label: "variant 2: train on all, paper", X: qs, Y: c.Variant2, Color: 2},
			{Label: "variant 1: train on rest, paper", X: qs, Y: c.Variant1, Color: 3},
			{Label: "baseline, ours", X: ends, Y: flat(c.BaselineLeast), Color: 6},
			{Label: "variant 2, ours", X: qs, Y: c.Variant2Least, Color: 4},
			{Label: "variant 1, ours", X: qs, Y: c.Variant1Least, Color: 5},
			{Label: "one training, least known", X: ends, Y: flat(r.Least), Reference: true},
		},
	}
}

// Table says how the variants compare: by the paper's bounds and by ours.
func (r Figure1Result) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-figure1-crossing", Title: "Where training on the rest is said to cost more than training on all",
		Columns: []string{"µ", "the paper's bounds cross at q", "variant 1 above 2, paper's bounds", "variant 1 above 2, ours", "baseline, paper's", "baseline, ours"},
		Notes:   []string{"Variant 1 never costs more than variant 2: a crossing is looseness of Theorem 6 (subsample.TrainOnRest has the proof)."},
	}
	for _, c := range r.Curves {
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(c.MeanRepeats), crossingText(c.Crossings),
			r.countText(countAbove(c.Variant1, c.Variant2)), r.countText(countAbove(c.Variant1Least, c.Variant2Least)),
			fmt.Sprintf("%.3f", c.Baseline), fmt.Sprintf("%.3f", c.BaselineLeast),
		})
	}
	return t
}

func crossingText(qs []float64) string {
	if len(qs) == 0 {
		return "none"
	}
	var texts []string
	for _, q := range qs {
		texts = append(texts, short(q))
	}
	return strings.Join(texts, ", ")
}

// countText says n as a part of the rates.
func (r Figure1Result) countText(n int) string {
	return fmt.Sprintf("at %d of %d q", n, len(r.Config.TuningRates))
}

// countAbove returns at how many points a lies above b by more than rounding.
func countAbove(a, b []float64) (n int) {
	for i := range a {
		if a[i] > b[i]*(1+1e-9) {
			n++
		}
	}
	return n
}

// short writes x with three digits.
func short(x float64) string { return chart.Format(chart.Round(x, 3), 0) }

// epsilonAt is the label of an axis.
func epsilonAt(delta float64) string { return "ε at δ = " + chart.Scientific(delta) }
