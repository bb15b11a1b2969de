package papernot2022

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure4Result has the prices of Figure 4.
type Figure4Result struct {
	Config PriceConfig
	Curves []PriceCurve

	comparison figures.Comparison
}

// Figure4 reproduces Figure 4: what ε buys how many runs on average.
func Figure4(cfg PriceConfig) (Figure4Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure4Result{}, err
	}
	curves, err := prices(cfg, true)
	if err != nil {
		return Figure4Result{}, err
	}
	r := Figure4Result{Config: cfg, Curves: curves}
	r.comparison, err = compareFigure4(cfg)
	return r, err
}

// defaultFigure4 is the caption and the legend of Figure 4. The means reach from one run
// to a hundred thousand.
func defaultFigure4(points int) PriceConfig {
	return PriceConfig{
		Rho:      papers.Papernot2022.Rho,
		Delta:    papers.Papernot2022.Delta,
		Families: []laws.Family{laws.Fixed, laws.TNB(0), laws.TNB(1), laws.TNB(5), laws.Poisson},
		Means:    laws.LogSpace(1.05, 1e5, points),
	}
}

func compareFigure4(cfg PriceConfig) (figures.Comparison, error) {
	c := figures.Comparison{Name: "papernot2022-figure4", Title: "Figure 4: ε of the paper's bounds"}
	for _, p := range papers.Papernot2022.Figure4 {
		law, err := laws.Of(p.Law).Law(p.Law.MeanRepeats)
		if err != nil {
			return c, err
		}
		ours, err := paperEpsilon(law, cfg.Rho, cfg.Delta)
		if err != nil {
			return c, err
		}
		p.Value.Quantity = "ε at δ = " + chart.Scientific(cfg.Delta)
		row := withSearch(laws.Published(p.Value, p.Law, ours), p.Law)
		c.Rows = append(c.Rows, row.WithoutReference(setupNote(cfg.Rho, cfg.Delta)))
	}
	return c, nil
}

// Compare sets the paper's bounds as we compute them next to their recomputed values.
func (r Figure4Result) Compare() figures.Comparison { return r.comparison }

// Figure draws the paper's bounds, and the best that is known for Gaussian runs.
func (r Figure4Result) Figure() chart.Figure {
	return pricePanels(r.Config, r.Curves, "papernot2022-figure4", "Figure 4: the price of more runs", chart.Chart{
		YLabel: "mean number of runs E[K]", YLog: true, YMin: 1, YMax: r.Config.Means[len(r.Config.Means)-1],
	}, func(c PriceCurve, i int) float64 { return c.Laws[i].Distribution().Mean() }, true)
}

// pricePanels draws ε against what it buys. The left panel has the paper's bounds, the right one
// the least bound for Gaussian runs. With limits, the right one has the lower limit of each law.
func pricePanels(cfg PriceConfig, curves []PriceCurve, name, title string, axes chart.Chart, buys func(PriceCurve, int) float64, limits bool) chart.Panels {
	axes.XMin, axes.XMax = frame(curves)
	left, right := axes, axes
	left.Name, left.Title = name+"-paper", asInThePaper("Theorems 2 and 6", setupNote(cfg.Rho, cfg.Delta))
	right.Name, right.Title = name+"-gaussian", "Least known bound, Gaussian runs"
	left.XLabel = "ε at δ = " + chart.Scientific(cfg.Delta)
	right.XLabel = left.XLabel
	left.Curves, right.Curves = nil, nil
	var onTop []chart.Curve
	var touching []string
	for _, c := range curves {
		var ys []float64
		for i := range cfg.Means {
			ys = append(ys, buys(c, i))
		}
		label, color := c.Family.Label(), c.Family.Color()
		left.Curves = append(left.Curves, laws.InFrame(c.Paper, ys, axes.XMax, chart.Curve{Label: label, Color: color}))
		right.Curves = append(right.Curves, laws.InFrame(c.Gaussian, ys, axes.XMax, chart.Curve{Label: label, Color: color}))
		if !limits {
			continue
		}
		limit := chart.Curve{OnTop: true}
		if len(onTop) == 0 {
			limit.Label = "limit of each"
		}
		onTop = append(onTop, laws.InFrame(c.Limit, ys, axes.XMax, limit))
		if figures.Coincide(c.Gaussian, c.Limit, axes.XMin, axes.XMax, false) {
			touching = append(touching, label)
		}
	}
	right.Curves = append(right.Curves, onTop...)
	p := chart.Panels{
		Name: name, Title: title, Columns: 2, Charts: []chart.Chart{left, right},
		Notes: []string{fmt.Sprintf("Left: each run is %g-zCDP. Right: each run is one Gaussian release with σ = %.4g, which is %g-zCDP.", cfg.Rho, 1/math.Sqrt(2*cfg.Rho), cfg.Rho)},
	}
	if limits {
		p.Notes = append(p.Notes, "Limit: no bound that holds for all Gaussian runs can lie to the left of it."+touch(touching, len(curves)))
	}
	return p
}

// touch names the laws whose bound and limit are drawn as one line.
func touch(laws []string, all int) string {
	switch len(laws) {
	case 0:
		return ""
	case all:
		return " Bound and limit coincide to the width of the line."
	}
	return " Bound and limit coincide to the width of the line for " + strings.Join(laws, ", ") + "."
}

// frame returns the range of ε that is drawn: up to four times the least price. At the
// paper's setup that is the paper's axis, to 8.
func frame(curves []PriceCurve) (left, right float64) {
	least := math.Inf(1)
	for _, c := range curves {
		least = math.Min(least, slices.Min(c.Gaussian))
	}
	return chart.Round(0.75*least, 2), chart.Round(4*least, 2)
}

// Table lists how many runs one ε buys by each bound, and how far the least known bounds are above
// their limits at the points that are drawn.
func (r Figure4Result) Table() figures.Table {
	_, right := frame(r.Curves)
	asked := chart.Round(right/2, 1)
	t := figures.Table{Name: "papernot2022-figure4-runs", Title: fmt.Sprintf("Mean number of runs for ε = %g at δ = %s", asked, chart.Scientific(r.Config.Delta)),
		Columns: []string{"law of K", "the paper's bounds", "least known bounds, Gaussian runs", fmt.Sprintf("farthest above the limit, in ε, up to %g", right)}}
	for _, c := range r.Curves {
		t.Rows = append(t.Rows, []string{c.Family.Label(), runsFor(c, c.Paper, asked), runsFor(c, c.Gaussian, asked), chart.About(c.largestGap(right), 2)})
	}
	return t
}

// runsFor writes how many runs the price buys on average: read off between two points of the curve,
// in ln E[K]. A fixed number is a whole one.
func runsFor(c PriceCurve, price []float64, epsilon float64) string {
	var logMeans []float64
	for _, law := range c.Laws {
		logMeans = append(logMeans, math.Log(law.Distribution().Mean()))
	}
	mean := math.Exp(laws.BoughtAt(price, logMeans, epsilon))
	switch {
	case math.IsNaN(mean):
		return "none"
	case epsilon > price[len(price)-1]:
		return "more than " + chart.About(mean, 2)
	case c.Family == laws.Fixed:
		return chart.Grouped(math.Floor(mean + 1e-9))
	}
	return chart.About(mean, 2)
}

// largestGap is the largest distance in ε from the limit to the bound, at the points with bounds up
// to right.
func (c PriceCurve) largestGap(right float64) float64 {
	gap := 0.0
	for i, epsilon := range c.Gaussian {
		if epsilon <= right {
			gap = math.Max(gap, epsilon-c.Limit[i])
		}
	}
	return gap
}
