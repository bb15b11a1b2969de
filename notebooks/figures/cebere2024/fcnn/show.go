package fcnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// name tells the figures of different data apart.
func (r Result) name() string { return "cebere2024-figure1c-" + r.Config.Data }

// Panels draws the bounds over the steps, one chart for each learning rate: the mean of the
// repetitions, and a band from the least to the largest.
func (r Result) Panels() figures.Panels {
	c := r.Config
	p := figures.Panels{
		Name: r.name(), Columns: len(r.Rates),
		Title: fmt.Sprintf("Figure 1c: hidden-state audits of 68 parameters, %s, %d models", r.dataName(), c.Models),
		Notes: []string{
			fmt.Sprintf("σ = %g, clip norm %g, batches of %d, known to the adversary; canary at every step.", c.NoiseMultiplier, c.ClipNorm, c.BatchSize),
			"Bounds as in the paper: best threshold on the same scores, Gaussian trade-off assumed.",
			fmt.Sprintf("Mean and range of %d audits; trained on %s.", c.Repetitions, r.Backend),
		},
	}
	if c.Repetitions == 1 {
		p.Notes[2] = fmt.Sprintf("One audit each; trained on %s.", r.Backend)
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

func (r Result) chart(i int, panel Rate) figures.Chart {
	steps := make([]float64, len(r.Config.Observe))
	for j, t := range r.Config.Observe {
		steps[j] = float64(t)
	}
	last := len(steps) - 1
	ch := figures.Chart{
		Name: fmt.Sprintf("%s-rate-%d", r.name(), i+1), Title: fmt.Sprintf("learning rate %g", panel.LearningRate),
		XLabel: "step t, the last one of the run", YLabel: fmt.Sprintf("ε at δ = %g", r.Config.Delta),
		XMin: 0, XMax: steps[last], YMin: 0, YMax: 1.08 * r.Accountant[last],
		Curves: []figures.Curve{{Label: "accountant", X: steps, Y: r.Accountant, Reference: true}},
	}
	names := []string{"A_GC-R", "A_GC-S", "A_L"}
	for _, c := range panel.Curves {
		mean, low, high := c.over(paper)
		curve := figures.Curve{Label: c.Adversary, X: steps, Y: mean, Color: slices.Index(names, c.Adversary) + 1}
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

// last returns the mean of the bounds at the last step.
func (c Curve) last(of func(Audit) []float64) float64 {
	mean, _, _ := c.over(of)
	return mean[len(mean)-1]
}

// Table returns the bounds at the last step: as the paper takes them, and two that pay for
// what they choose.
func (r Result) Table() figures.Table {
	t := figures.Table{
		Name: r.name() + "-bounds", Title: fmt.Sprintf("ε at δ = %g after %d steps, %s, %d models", r.Config.Delta, r.Config.Observe[len(r.Config.Observe)-1], r.dataName(), r.Config.Models),
		Columns: []string{"learning rate", "adversary", "accountant", "as in the paper (range)", "Gaussian trade-off, AUC", "no assumption"},
		Notes:   []string{"As in the paper: the best threshold on the same scores, uncorrected. Means over the repetitions. The two middle columns hold only if the trade-off curve is Gaussian."},
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
				fmt.Sprintf("%.2f", c.last(func(a Audit) []float64 { return a.GDP })), fmt.Sprintf("%.2f", c.last(func(a Audit) []float64 { return a.NoAssumption })),
			})
		}
	}
	return t
}

// Compare sets what the text says of the figure beside what we get. The text gives no numbers.
func (r Result) Compare() figures.Comparison {
	said := papers.Cebere2024
	c := figures.Comparison{Name: r.name(), Title: "Figure 1c, what the text says"}
	add := func(v papers.Value, rate, ours float64, note string) {
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity: fmt.Sprintf("%s, learning rate %g", v.Quantity, rate), Ours: ours, Reference: v.Number, AbsErr: v.Source.AbsErr, Read: v.Source.Read, Source: v.Source.String(), Note: note,
		})
	}
	for _, panel := range r.Rates {
		at := map[string]Curve{}
		for _, curve := range panel.Curves {
			at[curve.Adversary] = curve
		}
		random, hasRandom := at["A_GC-R"]
		loss, hasLoss := at["A_L"]
		simulated, hasSimulated := at["A_GC-S"]
		if hasRandom && hasLoss {
			add(said.FCNNRandomOverLoss, panel.LearningRate, sign(random.last(paper)-loss.last(paper)), fmt.Sprintf("%.2f and %.2f", random.last(paper), loss.last(paper)))
		}
		if hasRandom && hasSimulated {
			_, _, high := random.over(paper)
			_, low, _ := simulated.over(paper)
			i, apart := len(low)-1, 0.0
			if high[i] < low[i] {
				apart = 1
			}
			add(said.FCNNRandom, panel.LearningRate, apart, fmt.Sprintf("at most %.2f, at least %.2f", high[i], low[i]))
		}
		if hasSimulated {
			accountant := r.Accountant[len(r.Accountant)-1]
			add(said.FCNNSimulated, panel.LearningRate, simulated.last(paper)/accountant, fmt.Sprintf("%.2f of %.2f", simulated.last(paper), accountant))
		}
	}
	return c
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
