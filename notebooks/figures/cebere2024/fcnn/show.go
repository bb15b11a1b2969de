package fcnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
)

// name tells the figures of different data apart.
func (r Result) name() string { return "cebere2024-figure1c-" + r.Config.Data }

// Figure draws the bounds over the steps, one chart for each learning rate: the mean of the
// repetitions, and a band from the least to the largest.
func (r Result) Figure() chart.Figure {
	c := r.Config
	p := chart.Panels{
		Name: r.name(), Columns: len(r.Rates),
		Title: fmt.Sprintf("Figure 1c: hidden-state audits of 68 parameters, %s, %d models", r.dataName(), c.Models),
		Notes: []string{
			fmt.Sprintf("σ = %g, clip norm %g, batches of %d, known to the adversary; canary at every step.", c.NoiseMultiplier, c.ClipNorm, c.BatchSize),
			"Bounds as in the paper: best threshold on the same scores, nothing corrected, Gaussian trade-off assumed.",
			fmt.Sprintf("Mean and range of %d audits. %s", c.Repetitions, r.aboveNote()), r.Source,
		},
	}
	if c.Repetitions == 1 {
		p.Notes[2] = "One audit each. " + r.aboveNote()
	}
	if len(r.Rates) > 1 {
		p.Notes = append(p.Notes, "The panels are paired: their games share data order, initial weights and noise.")
	}
	for i, panel := range r.Rates {
		p.Charts = append(p.Charts, r.chart(i, panel))
	}
	return p
}

func (r Result) dataName() string {
	if r.Config.Data == "housing" {
		return "California housing"
	}
	return "8 columns of the digits"
}

func (r Result) chart(i int, panel Rate) chart.Chart {
	steps := figures.Floats(r.Config.Observe)
	last := len(steps) - 1
	top := r.Accountant[last]
	for _, c := range panel.Curves {
		_, _, high := c.over(paper)
		top = max(top, slices.Max(high))
	}
	ch := chart.Chart{
		Name: fmt.Sprintf("%s-rate-%d", r.name(), i+1), Title: fmt.Sprintf("learning rate %g", panel.LearningRate),
		XLabel: "step t, the last one of the run", YLabel: "ε at δ = " + chart.Scientific(r.Config.Delta),
		XMin: 0, XMax: steps[last], YMin: 0, YMax: 1.08 * top,
		Curves: []chart.Curve{{Label: "accountant", X: steps, Y: r.Accountant, Reference: true}},
	}
	names := []string{"A_GC-R", "A_GC-S", "A_L"}
	for _, c := range panel.Curves {
		mean, low, high := c.over(paper)
		curve := chart.Curve{Label: c.Adversary, X: steps, Y: mean, Color: slices.Index(names, c.Adversary) + 1}
		if len(c.Audits) > 1 {
			curve.Low, curve.High = low, high
		}
		ch.Curves = append(ch.Curves, curve)
	}
	return ch
}

func paper(a Audit) []float64 { return a.Paper }

// over returns the mean, the least and the largest over the repetitions at each step.
func (c Curve) over(of func(Audit) []float64) (mean, low, high []float64) {
	for i := range of(c.Audits[0]) {
		sum, least, largest := 0.0, math.Inf(1), math.Inf(-1)
		for _, a := range c.Audits {
			v := of(a)[i]
			sum, least, largest = sum+v, min(least, v), max(largest, v)
		}
		mean, low, high = append(mean, sum/float64(len(c.Audits))), append(low, least), append(high, largest)
	}
	return mean, low, high
}

// last returns the mean over the repetitions of one of the bounds at the last step.
func (c Curve) last(of func(Audit) float64) float64 {
	sum := 0.0
	for _, a := range c.Audits {
		sum += of(a)
	}
	return sum / float64(len(c.Audits))
}

// Table returns the bounds at the last step: as the paper takes them, and two that pay for
// what they choose.
func (r Result) Table() figures.Table {
	t := figures.Table{
		Name: r.name() + "-bounds", Title: fmt.Sprintf("ε at δ = %s after %d steps, %s, %d models", chart.Scientific(r.Config.Delta), r.Config.Observe[len(r.Config.Observe)-1], r.dataName(), r.Config.Models),
		Columns: []string{"learning rate", "adversary", "accountant", "as in the paper (range)", "Gaussian trade-off, AUC", "no assumption"},
		Notes: []string{
			"As in the paper: the best threshold on the same scores, uncorrected, so that an audit may be above the accountant. Means over the repetitions.",
			fmt.Sprintf("A bound of the last column is false with chance %g %% at most. That of the column before it is so only if the trade-off curve is Gaussian, and the paper's bounds have no such chance.", chart.Round(100*(1-r.confidence()), 3)),
			fmt.Sprintf("%s Without an assumption perfect scores of %d models would show %.2f.", r.aboveNote(), r.Config.Models, r.ceiling()),
		},
	}
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			mean, low, high := c.over(paper)
			i := len(mean) - 1
			inPaper := fmt.Sprintf("%.2f", mean[i])
			if len(c.Audits) > 1 {
				inPaper += fmt.Sprintf(" (%.2f to %.2f)", low[i], high[i])
			}
			t.Rows = append(t.Rows, []string{
				fmt.Sprint(panel.LearningRate), c.Adversary, fmt.Sprintf("%.2f", r.Accountant[i]), inPaper,
				fmt.Sprintf("%.2f", c.last(func(a Audit) float64 { return a.GDP[i] })), fmt.Sprintf("%.2f", c.last(func(a Audit) float64 { return a.NoAssumption })),
			})
		}
	}
	return t
}

func (r Result) confidence() float64 { return cmp.Or(r.Config.Confidence, audit.DefaultConfidence) }

// aboveNote counts the drawn bounds that exceed the accountant's ε, which are false. A part of
// 1 - confidence may be: each bound has its own chance.
func (r Result) aboveNote() string {
	above, all, part := 0, 0, ""
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			for _, a := range c.Audits {
				for i, v := range a.Paper {
					if all++; v > r.Accountant[i] {
						above++
					}
				}
			}
		}
	}
	if above > 0 {
		part = fmt.Sprintf(" (%.2g %%)", 100*float64(above)/float64(all))
	}
	return fmt.Sprintf("%d of %d audits%s are above the accountant; at %.3g %% confidence %.3g %% may be.", above, all, part, 100*r.confidence(), 100*(1-r.confidence()))
}

// ceiling is what the bound without an assumption says of perfect scores; NaN if there is none.
func (r Result) ceiling() float64 {
	var scores audit.Scores
	for i := range r.Config.Models / 2 {
		scores.Member, scores.NonMember = append(scores.Member, 1+float64(i)), append(scores.NonMember, -1-float64(i))
	}
	report, err := audit.Bounds(scores, audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence})
	if b, ok := report.Bound("rank-two-tail"); ok && err == nil {
		return b.Ceiling
	}
	return math.NaN()
}
