package koskela2023

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1Config describes Figure 1: ε of tuning DP-SGD on a Poisson sample and training
// once more, against the rate of the sample. K has a Poisson law.
type Figure1Config struct {
	SamplingRate    float64   `rule:"in (0, 1]"`             // γ of DP-SGD, in (0, 1]
	NoiseMultiplier float64   `rule:"> 0"`                   // σ > 0
	Steps           int       `rule:">= 1"`                  // T >= 1
	Delta           float64   `rule:"in (0, 1)"`             // δ in (0, 1)
	MaxOrder        int       `rule:"in [3, 512]"`           // the paper's bounds are taken over the integer orders 2 to this, >= 3
	MeanRepeats     []float64 `rule:">= 1; finite"`          // µ, each >= 1: one panel each
	TuningRates     []float64 `rule:"in (0, 1); increasing"` // q, increasing, in (0, 1)
}

// Validate returns every fault, joined.
func (c Figure1Config) Validate() error { return figures.Faults(c).Err() }

func (c Figure1Config) event() accounting.Event {
	return methods.Training(c.SamplingRate, c.NoiseMultiplier, c.Steps)
}

// papersRun reports whether the run, its δ and the orders are those of the published values.
func (c Figure1Config) papersRun() bool {
	p := papers.Koskela2023
	return c.SamplingRate == p.Figure1.SamplingRate && c.NoiseMultiplier == p.Figure1.NoiseMultiplier && c.Steps == p.Figure1.Steps() &&
		c.Delta == p.Delta && c.MaxOrder == p.Figure1.MaxOrder
}

// Figure1Result has one entry for each mean number of runs.
type Figure1Result struct {
	Config Figure1Config
	Least  float64 // ε of one training, the least that is known
	Curves []TuningCurves

	checked []figures.ComparisonRow // empty if the run is not the paper's
	answers []accounting.Guarantee
}

// Answers returns the least prices: of one training, then for each mean of tuning on all data and,
// for each tuning rate, of both variants.
func (r Figure1Result) Answers() []accounting.Guarantee { return r.answers }

// TuningCurves has one value for each tuning rate.
type TuningCurves struct {
	MeanRepeats                  float64
	Baseline                     float64 // tuning on all data, Theorem 5
	BaselineLeast                float64
	Variant1, Variant2           []float64 // Theorems 6 and 4, as in the paper
	Variant1Least, Variant2Least []float64 // the least bound of accounting/selection
	Crossings                    []float64 // q at which the paper's bounds of the variants cross, inside of TuningRates
}

// Figure1 reproduces Figure 1, and adds the least bounds that are known.
func Figure1(cfg Figure1Config) (Figure1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure1Result{}, err
	}
	paper, err := methods.NewBounds(cfg.event(), cfg.Delta, cfg.MaxOrder)
	if err != nil {
		return Figure1Result{}, err
	}
	least, err := contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta)
	if err != nil {
		return Figure1Result{}, err
	}
	r := Figure1Result{Config: cfg, Least: least.Epsilon.Upper, Curves: make([]TuningCurves, len(cfg.MeanRepeats)), answers: []accounting.Guarantee{least}}
	for i, mean := range cfg.MeanRepeats {
		var answers []accounting.Guarantee
		if r.Curves[i], answers, err = tuningCurves(cfg, paper, mean); err != nil {
			return Figure1Result{}, err
		}
		r.answers = append(r.answers, answers...)
	}
	if cfg.papersRun() {
		r.checked, err = r.checkFigure1(paper)
	}
	return r, err
}

func tuningCurves(cfg Figure1Config, paper methods.Bounds, mean float64) (TuningCurves, []accounting.Guarantee, error) {
	k, n := law.Poisson{MeanRepeats: mean}, len(cfg.TuningRates)
	all, err := selection.EventAt(selection.BestOf{Law: k, Base: cfg.event()}, cfg.Delta, contour.NewAccountant())
	if err != nil {
		return TuningCurves{}, nil, err
	}
	least, err := prepare(cfg, k)
	if err != nil {
		return TuningCurves{}, nil, err
	}
	answers := make([]accounting.Guarantee, 1+2*n)
	answers[0] = all.Guarantee
	c := TuningCurves{MeanRepeats: mean, Baseline: paper.Epsilon(paper.Tuning(mean)), BaselineLeast: all.Least().Epsilon,
		Variant1: make([]float64, n), Variant2: make([]float64, n), Variant1Least: make([]float64, n), Variant2Least: make([]float64, n)}
	if err := parallel.Each(n, func(i int) (err error) {
		ours1, err1 := least.PriceAt(cfg.TuningRates[i], subsample.RestOfData)
		ours2, err2 := least.PriceAt(cfg.TuningRates[i], subsample.AllData)
		c.Variant1Least[i], c.Variant2Least[i] = ours1.Least().Epsilon, ours2.Least().Epsilon
		answers[1+2*i], answers[2+2*i] = ours1.Guarantee, ours2.Guarantee
		c.Variant1[i], c.Variant2[i], err = paper.Variants(mean, cfg.TuningRates[i])
		return errors.Join(err, err1, err2)
	}); err != nil {
		return TuningCurves{}, nil, err
	}
	c.Crossings, err = paper.Crossings(mean, cfg.TuningRates, c.Variant1, c.Variant2)
	return c, answers, err
}

// prepare prices tuning on a sample, then training, of any rate and variant.
func prepare(cfg Figure1Config, k law.Law) (subsample.Prepared, error) {
	return subsample.Prepare(subsample.Event{
		TuningRate: 0.5, Tuning: selection.BestOf{Law: k, Base: cfg.event()}, Training: cfg.event(), Variant: subsample.AllData,
	}, cfg.Delta, contour.NewAccountant())
}

// checkFigure1 compares the paper's bounds as we compute them with their recomputed values.
func (r Figure1Result) checkFigure1(paper methods.Bounds) ([]figures.ComparisonRow, error) {
	published := papers.Koskela2023.Figure1
	rows := []figures.ComparisonRow{figures.Against(published.Base, paper.Epsilon(paper.Base))}
	for _, p := range published.Points {
		first, second, err := paper.Variants(p.MeanRepeats, p.TuningRate)
		if err != nil {
			return nil, err
		}
		rows = append(rows, figures.Against(p.Baseline, paper.Epsilon(paper.Tuning(p.MeanRepeats))),
			figures.Against(p.Variant1, first), figures.Against(p.Variant2, second))
	}
	first, second, err := paper.Variants(published.CrossingMean, 0.005)
	third, fourth, errAfter := paper.Variants(published.CrossingMean, 0.5)
	crossing := figures.Against(published.Crossing, 0)
	if (first > second) != (third > fourth) {
		crossing.Ours = 1
	}
	for _, c := range r.Curves {
		if c.MeanRepeats == published.CrossingMean && len(c.Crossings) > 0 {
			crossing.Note = "at q = " + crossingText(c.Crossings)
		}
	}
	return append(rows, crossing), errors.Join(err, errAfter)
}

// Compare sets the paper's bounds next to their recomputed values, if the run is the paper's. It
// sets the savings of Section 3.4 next to the printed ones.
func (r Figure1Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "koskela2023-figure1", Title: "Section 3.4: the gradients saved", Rows: slices.Clone(r.checked)}
	if len(r.checked) > 0 {
		c.Title = "Figure 1 and Section 3.4: the paper's bounds at q = 0.1, and the gradients saved"
	}
	for _, cost := range papers.Koskela2023.Costs {
		c.Rows = append(c.Rows, figures.Against(cost.Ratio, cost.MeanRepeats/(cost.MeanRepeats*cost.TuningRate+1)))
	}
	return c
}

// Figure draws one panel for each mean number of runs.
func (r Figure1Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "koskela2023-figure1", Title: "Figure 1: tuning on a sample of rate q, then training once more", Columns: 2,
		Notes: []string{fmt.Sprintf("DP-SGD with γ = %g, σ = %g, T = %d; K from a Poisson law of mean µ. Paper's bounds at the integer orders 2 to %d; ours: the least bound of accounting/selection.",
			r.Config.SamplingRate, r.Config.NoiseMultiplier, r.Config.Steps, r.Config.MaxOrder)},
	}
	qs := r.Config.TuningRates
	flat := func(label string, y float64, color int) chart.Curve {
		return chart.Curve{Label: label, X: chart.Series{qs[0], qs[len(qs)-1]}, Y: chart.Series{y, y}, Color: color}
	}
	for _, c := range r.Curves {
		p.Charts = append(p.Charts, chart.Chart{
			Name: "koskela2023-figure1-mean" + strings.ReplaceAll(fmt.Sprint(c.MeanRepeats), ".", "-"), Title: fmt.Sprintf("µ = %g", c.MeanRepeats),
			XLabel: "tuning sample rate q", YLabel: epsilonAt(r.Config.Delta), XLog: true,
			Curves: []chart.Curve{
				flat("baseline: tuning on all, paper", c.Baseline, 1),
				{Label: "variant 2: train on all, paper", X: qs, Y: c.Variant2, Color: 2},
				{Label: "variant 1: train on rest, paper", X: qs, Y: c.Variant1, Color: 3},
				flat("baseline, ours", c.BaselineLeast, 6),
				{Label: "variant 2, ours", X: qs, Y: c.Variant2Least, Color: 4},
				{Label: "variant 1, ours", X: qs, Y: c.Variant1Least, Color: 5},
				figures.Level("one training, least known", qs, r.Least),
			},
		})
	}
	return p
}

// Table compares the variants by the paper's bounds and by ours.
func (r Figure1Result) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-figure1-crossing", Title: "Where training on the rest is said to cost more than training on all",
		Columns: []string{"µ", "the paper's bounds cross at q", "variant 1 above 2, paper's bounds", "variant 1 above 2, ours", "baseline, paper's", "baseline, ours",
			"by the paper's bounds variant 1 is above 2 by at most", "variant 1: ours and the paper's", "variant 2: ours and the paper's"},
		Notes: []string{"Variant 1 never costs more than variant 2: a crossing is looseness of Theorem 6 (subsample.TrainOnRest has the proof)."},
	}
	for _, c := range r.Curves {
		above := func(a, b []float64) string {
			return fmt.Sprintf("at %d of %d q", countAbove(a, b), len(r.Config.TuningRates))
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(c.MeanRepeats), crossingText(c.Crossings), above(c.Variant1, c.Variant2), above(c.Variant1Least, c.Variant2Least),
			fmt.Sprintf("%.3f", c.Baseline), fmt.Sprintf("%.3f", c.BaselineLeast),
			percent(max(0, slices.Max(ratios(c.Variant1, c.Variant2))-1)), below(ratios(c.Variant1Least, c.Variant1)), below(ratios(c.Variant2Least, c.Variant2))})
	}
	return t
}

func crossingText(qs []float64) string {
	if len(qs) == 0 {
		return "none"
	}
	return strings.Join(figures.Map(qs, figures.Short), ", ")
}
