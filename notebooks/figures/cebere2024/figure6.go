package cebere2024

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure6Config describes Figure 6b: the trade-off curve of the crafted process and its
// Gaussian approximation.
type Figure6Config struct {
	NoiseMultiplier float64     `rule:"any"`
	BatchSizes      []int       `rule:">= 1"` // the paper does not print B
	Steps           int         `rule:"in [1, 1000]"`
	Delta           float64     `rule:">= 1e-12; in (0, 1)"`
	Drift           exact.Drift `rule:"any"` // Away or Constant
}

// Validate returns every fault, joined.
func (c Figure6Config) Validate() error {
	f := figures.Faults(c)
	f.That(c.Drift != exact.Toward, "Drift", c.Drift, "must be away or constant")
	for _, b := range c.BatchSizes {
		f.Add(exact.Process{NoiseMultiplier: c.NoiseMultiplier, BatchSize: b, Drift: c.Drift}.Validate())
	}
	return f.Err()
}

// Figure6Result has one curve for each B.
type Figure6Result struct {
	Config Figure6Config
	FPR    []float64
	Curves []TradeOff
}

// TradeOff is an exact ROC and the Gaussian one of the same total variation.
type TradeOff struct {
	BatchSize int
	TPR       []float64 // exact, upper end
	Gaussian  []float64
	Mu        float64
	Distance  float64 // largest distance between the two over FPR
	Epsilon   float64 // exact
	Reading   float64 // ε of µ-GDP
}

// Figure6 reproduces Figure 6b, exactly. Figure 6a, the same for a trained ConvNet at periodicity
// 5, is not here.
func Figure6(cfg Figure6Config) (Figure6Result, error) {
	r := Figure6Result{Config: cfg}
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	for x := -7.0; x < -0.31; x += 0.1 {
		r.FPR = append(r.FPR, math.Pow(10, x))
	}
	for x := 0.5; x < 0.995; x += 0.02 {
		r.FPR = append(r.FPR, x)
	}
	var err error
	r.Curves, err = parallel.Map(len(cfg.BatchSizes), func(i int) (TradeOff, error) {
		laws, err := exact.Process{NoiseMultiplier: cfg.NoiseMultiplier, BatchSize: cfg.BatchSizes[i], Drift: cfg.Drift}.Laws(cfg.Steps)
		if err != nil {
			return TradeOff{}, err
		}
		return tradeOff(laws[cfg.Steps-1], r.FPR, cfg.Delta)
	})
	return r, err
}

func tradeOff(law exact.Law, fprs []float64, delta float64) (TradeOff, error) {
	c := TradeOff{BatchSize: law.Process().BatchSize, Mu: gaussianMu(law.TotalVariation().Estimate)}
	for _, fpr := range fprs {
		tpr, err := law.TPRAt(fpr)
		if err != nil {
			return c, err
		}
		gauss := distuv.UnitNormal.CDF(distuv.UnitNormal.Quantile(fpr) + c.Mu)
		c.TPR, c.Gaussian = append(c.TPR, tpr.Upper), append(c.Gaussian, gauss)
		c.Distance = math.Max(c.Distance, math.Abs(tpr.Upper-gauss))
	}
	epsilon, err := law.EpsilonAt(delta)
	if err != nil {
		return c, err
	}
	c.Epsilon = epsilon.Upper
	c.Reading, err = gaussianEpsilon(law.TotalVariation().Estimate, delta)
	return c, err
}

// Compare sets "negligible" next to the largest distance over all B, at the paper's σ and number of
// steps. The text prints no B.
func (r Figure6Result) Compare() figures.Comparison {
	said, cfg := papers.Cebere2024, r.Config
	c := figures.Comparison{Name: "cebere2024-figure6", Title: "Figure 6b: the Gaussian approximation"}
	paperSetup := cfg.NoiseMultiplier == said.Figure6NoiseMultiplier && cfg.Steps == said.Steps && cfg.Drift == exact.Away
	var batches, within []string
	largest := 0.0
	for _, k := range r.Curves {
		b := fmt.Sprint(k.BatchSize)
		if batches, largest = append(batches, b), max(largest, k.Distance); k.Distance <= said.Figure6Difference.Source.AbsErr {
			within = append(within, b)
		}
	}
	if len(within) == 0 {
		within = []string{"none"}
	}
	note := fmt.Sprintf("the text prints no B; \"negligible\" as at most %g is our choice, within it: B = %s", said.Figure6Difference.Source.AbsErr, strings.Join(within, ", "))
	c.Rows = append(c.Rows, row(said.Figure6Difference, fmt.Sprintf("σ = %g, %d steps, over B = %s", cfg.NoiseMultiplier, cfg.Steps, strings.Join(batches, ", ")), largest, note, paperSetup).ByOurChoice())
	return c
}

// Table lists how far the curves are apart, and the ε that follow from them.
func (r Figure6Result) Table() figures.Table {
	least := number(chart.Round(r.FPR[0], 6))
	t := figures.Table{Name: "cebere2024-figure6-distances", Title: "The exact curve and the Gaussian one of the same total variation",
		Columns: []string{"B", "largest distance", "ε at δ = " + chart.Scientific(r.Config.Delta) + ", Gaussian", "exact", "TPR / FPR at the FPR " + least + ", Gaussian", "exact"}}
	for _, k := range r.Curves {
		t.Rows = append(t.Rows, []string{fmt.Sprint(k.BatchSize), fmt.Sprintf("%.4f", k.Distance), fmt.Sprintf("%.3f", k.Reading), fmt.Sprintf("%.3f", k.Epsilon),
			fmt.Sprintf("%.3g", k.Gaussian[0]/r.FPR[0]), fmt.Sprintf("%.3g", k.TPR[0]/r.FPR[0])})
	}
	return t
}

// Figure draws the curves on linear axes and on logarithmic ones, where ε at
// a small δ is decided.
func (r Figure6Result) Figure() chart.Figure {
	linear := chart.Chart{Name: "cebere2024-figure6-linear", Title: "on linear axes", XLabel: "FPR", YLabel: "TPR", XMin: 0, XMax: 1, YMin: 0, YMax: 1}
	log := chart.Chart{
		Name: "cebere2024-figure6-log", Title: "the corner that ε depends on: TPR / FPR", XLabel: "FPR", YLabel: "TPR / FPR",
		XLog: true, YLog: true, XMin: 1e-7, XMax: 0.5,
	}
	for i, k := range r.Curves {
		ratio, gauss := make([]float64, len(k.TPR)), make([]float64, len(k.TPR))
		for j, fpr := range r.FPR {
			ratio[j], gauss[j] = k.TPR[j]/fpr, k.Gaussian[j]/fpr
		}
		label := fmt.Sprintf("B = %d, exact", k.BatchSize)
		linear.Curves = append(linear.Curves, chart.Curve{Label: label, X: r.FPR, Y: k.TPR, Color: i + 1})
		log.Curves = append(log.Curves, chart.Curve{Label: label, X: r.FPR, Y: ratio, Color: i + 1},
			chart.Curve{Label: gaussianLabel(i), X: r.FPR, Y: gauss, Reference: true})
		linear.Curves = append(linear.Curves, chart.Curve{Label: gaussianLabel(i), X: r.FPR, Y: k.Gaussian, Reference: true})
	}
	return chart.Panels{
		Name: "cebere2024-figure6", Columns: 2, Charts: []chart.Chart{linear, log},
		Title: fmt.Sprintf("Figure 6b: trade-off after %d steps, σ = %g", r.Config.Steps, r.Config.NoiseMultiplier),
		Notes: []string{"Gray: the µ-GDP curve of the same total variation, one for each B. Shown as ROC curves, TPR = 1 - f(FPR). The paper does not print B."},
	}
}

func gaussianLabel(i int) string {
	if i == 0 {
		return "Gaussian"
	}
	return ""
}
