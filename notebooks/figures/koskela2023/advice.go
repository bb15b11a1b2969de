package koskela2023

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// AdviceConfig is a plan for a tuning. It has what is public beforehand, and the expected quantiles
// at which the ways are drawn.
type AdviceConfig struct {
	Question  advise.Question
	Quantiles []float64 `rule:"> 0.5; in (0, 1); increasing; at least 2"` // increasing, at least two, each in (0.5, 1)
}

// Validate returns every fault, joined.
func (c AdviceConfig) Validate() error { return figures.Faults(c).Err() }

// AdviceResult has the answer to the question, and those for other quantiles.
type AdviceResult struct {
	Config AdviceConfig
	Advice advise.Advice
	Others []advise.Advice // by Config.Quantiles
}

// Advice plans a tuning: every way and law at one (ε, δ), before any data is touched. It is not in
// the paper.
func Advice(cfg AdviceConfig) (AdviceResult, error) {
	if err := cfg.Validate(); err != nil {
		return AdviceResult{}, err
	}
	asked := cfg.Quantiles
	at := slices.Index(asked, cmp.Or(cfg.Question.Quantile, advise.DefaultQuantile))
	if at < 0 {
		at, asked = len(asked), append(slices.Clone(asked), cfg.Question.Quantile)
	}
	all, err := parallel.Map(len(asked), func(i int) (advise.Advice, error) {
		q := cfg.Question
		q.Quantile = asked[i]
		return advise.Ask(q, nil)
	})
	return AdviceResult{Config: cfg, Advice: all[at], Others: all[:len(cfg.Quantiles)]}, err
}

// Figure draws the noise of a mean gradient against the expected quantile, by what the search and
// the last training read.
func (r AdviceResult) Figure() chart.Figure {
	q := r.Advice.Question
	p := chart.Panels{
		Name: "koskela2023-advice", Title: "What is left for the training, before any data is touched", Columns: 3,
		Notes: []string{
			fmt.Sprintf("ε = %g, δ = %s in all, least known bounds; γ = %g, T = %d, %d examples, q = %g. Noise of a mean gradient of the released model's training, against one run without a tuning.",
				q.Epsilon, chart.Scientific(q.Delta), q.SamplingRate, q.Steps, q.Examples, q.TuningRate),
			fmt.Sprintf("Curves end where the mean cost is above %g trainings on all data. Expected quantile: mean rank of the winner among all runs that could have happened, on what the search reads.", q.MeanCost),
		},
	}
	least, most := 1.0, 1.0
	for _, panel := range []struct{ name, title, prefix string }{
		{"all", "Search on all data", "best of "}, {"rest", "On a sample, then the rest", "sample+rest, "}, {"both", "On a sample, then all data", "sample+all, "},
	} {
		c := chart.Chart{Name: "koskela2023-advice-" + panel.name, Title: panel.title, XLabel: "expected quantile", YLabel: "noise, times one run's", YLog: true, XMin: 0.5, XMax: 1}
		for _, name := range wayNames(r.Others[0]) {
			label, ours := strings.CutPrefix(name, panel.prefix)
			curve := r.curve(name)
			if !ours || len(curve.X) == 0 {
				continue
			}
			curve.Label = strings.TrimPrefix(label, "K, ")
			curve.Color = colorOf(curve.Label)
			least, most = math.Min(least, slices.Min(curve.Y)), math.Max(most, slices.Max(curve.Y))
			c.Curves = append(c.Curves, curve)
		}
		p.Charts = append(p.Charts, c)
	}
	for i := range p.Charts {
		p.Charts[i].YMin, p.Charts[i].YMax = math.Floor(10*least)/10, math.Ceil(10*most)/10
	}
	return p
}

// wayNames lists the ways in the order of the alphabet, which no noise changes.
func wayNames(a advise.Advice) []string {
	return slices.Sorted(slices.Values(figures.Map(a.Ways, func(w advise.Way) string { return w.Name })))
}

// colorOf keeps the color of a law from panel to panel.
func colorOf(label string) int {
	return 1 + slices.Index([]string{"Poisson", "geometric", "TNB η 0.5", "logarithmic", "fixed"}, label)
}

// curve is one way over the quantiles, where it is within the cost.
func (r AdviceResult) curve(name string) chart.Curve {
	c := chart.Curve{Label: name}
	for i, a := range r.Others {
		for _, w := range a.Ways {
			if w.Name == name && a.Reaches(w) && a.Affordable(w) {
				c.X, c.Y = append(c.X, r.Config.Quantiles[i]), append(c.Y, w.Noise/a.OneRun.Noise)
			}
		}
	}
	return c
}

// Table lists all ways for the question.
func (r AdviceResult) Table() figures.Table {
	q := r.Advice.Question
	t := figures.Table{
		Name: "koskela2023-advice-ways", Title: fmt.Sprintf("Ways to tune at ε = %g, δ = %s", q.Epsilon, chart.Scientific(q.Delta)),
		Columns: []string{"way", "noise, times one run's", "σ", "expected quantile", "score lost", "mean cost", "cost in 99 of 100", "published ε of the same noise"},
		Notes:   []string{fmt.Sprintf("Cost in trainings on all data. Score lost: against the best of %d candidates, in 9 of 10 searches, at most; scores are means over %d parts of the data. For thresholds no such bound is known.", q.Candidates, q.Parts)},
	}
	if q.Seconds > 0 {
		t.Columns = append(t.Columns, "mean time")
	}
	for _, w := range r.Advice.Ways {
		row := []string{w.Name, fmt.Sprintf("%.3f", w.Noise/r.Advice.OneRun.Noise), fmt.Sprintf("%.3f", w.NoiseMultiplier), known("%.3f", w.Quantile), known("%.2g", w.ScoreLoss),
			fmt.Sprintf("%.3g", w.Cost), fmt.Sprintf("%.3g", w.Cost99), known("%.3f", w.Published)}
		if q.Seconds > 0 {
			row = append(row, fmt.Sprintf("%.3g s", w.Cost*q.Seconds))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// known is empty for what is not known.
func known(format string, x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return fmt.Sprintf(format, x)
}

// Recommended lists the way to take for each quantile.
func (r AdviceResult) Recommended() figures.Table {
	t := figures.Table{
		Name: "koskela2023-advice-recommended", Title: "The way to take, by the expected quantile of the winner",
		Columns: []string{"expected quantile, at least", "way", "σ", "mean cost in trainings"},
	}
	for _, a := range r.Others {
		best, _ := a.Recommended()
		t.Rows = append(t.Rows, []string{fmt.Sprint(a.Question.Quantile), best.Name, fmt.Sprintf("%.3f", best.NoiseMultiplier), fmt.Sprintf("%.3g", best.Cost)})
	}
	for _, w := range r.Advice.Warnings {
		t.Notes = append(t.Notes, w.Error())
	}
	return t
}
