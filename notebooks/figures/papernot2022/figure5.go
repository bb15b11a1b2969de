package papernot2022

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure5Result has the prices of Figure 5 and the expected quantiles they buy.
type Figure5Result struct {
	Config    PriceConfig
	Curves    []PriceCurve
	Quantiles [][]float64 // 1 - E[1/(K+1)], one row for each curve
	// Crossing is the ε from which η = 0.5 has a better expected quantile than Poisson, by
	// the paper's bounds; CrossingGaussian by the least known bounds for Gaussian runs. It is
	// the price of the cheapest Poisson law in the figure if η = 0.5 is ahead from there, and
	// NaN if the families or their crossing are not in the figure.
	Crossing, CrossingGaussian float64

	comparison figures.Comparison
}

// Figure5 reproduces Figure 5: the expected rank of the best run among all that could
// have happened, against its price.
func Figure5(cfg PriceConfig) (Figure5Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure5Result{}, err
	}
	curves, err := prices(cfg, false)
	if err != nil {
		return Figure5Result{}, err
	}
	r := Figure5Result{Config: cfg, Curves: curves}
	for _, c := range curves {
		var row []float64
		for _, law := range c.Laws {
			row = append(row, law.Distribution().ExpectedQuantile())
		}
		r.Quantiles = append(r.Quantiles, row)
	}
	r.Crossing = r.crossing(func(c PriceCurve) []float64 { return c.Paper })
	r.CrossingGaussian = r.crossing(func(c PriceCurve) []float64 { return c.Gaussian })
	r.comparison, err = compareFigure5(r)
	return r, err
}

// defaultFigure5 has the laws of the legend and of the text of Section 3.6.
func defaultFigure5(points int) PriceConfig {
	return PriceConfig{
		Rho:      papers.Papernot2022.Rho,
		Delta:    papers.Papernot2022.Delta,
		Families: []laws.Family{laws.TNB(-0.5), laws.TNB(0), laws.TNB(0.5), laws.TNB(1), laws.TNB(2), laws.Poisson},
		Means:    laws.LogSpace(1.02, 1e4, points),
	}
}

// crossing finds where η = 0.5 overtakes Poisson on one price axis.
func (r Figure5Result) crossing(price func(PriceCurve) []float64) float64 {
	at := map[laws.Family]int{}
	for i, c := range r.Curves {
		at[c.Family] = i + 1
	}
	poisson, half := at[laws.Poisson]-1, at[laws.TNB(0.5)]-1
	if poisson < 0 || half < 0 {
		return math.NaN()
	}
	return crossing(price(r.Curves[poisson]), r.Quantiles[poisson], price(r.Curves[half]), r.Quantiles[half])
}

func compareFigure5(r Figure5Result) (figures.Comparison, error) {
	c := figures.Comparison{Name: "papernot2022-figure5", Title: "Figure 5: expected quantiles"}
	paper := papers.Papernot2022.Figure5
	gaussian := paper.Crossing
	gaussian.Quantity += ", least known bounds for Gaussian runs"
	c.Rows = append(c.Rows,
		figures.Against(paper.Crossing, r.Crossing).WithoutReference(setupNote(r.Config.Rho, r.Config.Delta)),
		figures.Against(gaussian, r.CrossingGaussian).WithoutReference("the paper has no such bounds"))
	for _, q := range paper.Quantiles {
		law, err := laws.Of(q.Law).Law(q.Law.MeanRepeats)
		if err != nil {
			return c, err
		}
		c.Rows = append(c.Rows, laws.Published(q.Value, q.Law, law.Distribution().ExpectedQuantile()))
	}
	leads := func(v papers.Value, by func(PriceCurve) []float64) figures.ComparisonRow {
		var poisson figures.Cases // none if Poisson is not in the figure
		if slices.Contains(r.Config.Families, laws.Poisson) {
			poisson.AddIf(slices.ContainsFunc(drawnLeaders(r.Curves, r.Quantiles, by), func(s laws.Stretch) bool { return s.Family == laws.Poisson }))
		}
		return poisson.Against(v)
	}
	gaussian = paper.PoissonLeads
	gaussian.Quantity += ", least known bounds for Gaussian runs"
	c.Rows = append(c.Rows,
		leads(paper.PoissonLeads, byPaper).WithoutReference(setupNote(r.Config.Rho, r.Config.Delta)),
		leads(gaussian, byGaussian).WithoutReference("the paper has no such bounds"))
	return c, nil
}

// Compare sets the sentence on Poisson and η = 0.5 and the recomputed quantiles beside ours.
func (r Figure5Result) Compare() figures.Comparison { return r.comparison }

// Figure draws the expected quantile against the paper's price and the least known one.
func (r Figure5Result) Figure() chart.Figure {
	return pricePanels(r.Config, r.Curves, "papernot2022-figure5", "Figure 5: the expected quantile that ε buys", chart.Chart{
		YLabel: "expected quantile of the best run", YMin: 0.4, YMax: 1,
	}, func(c PriceCurve, i int) float64 { return c.Laws[i].Distribution().ExpectedQuantile() }, false)
}

// Table lists which law has the best expected quantile, by both prices.
func (r Figure5Result) Table() figures.Table {
	return leadersTable("papernot2022-figure5-best", "The best expected quantile of the laws drawn", r.Curves, r.Quantiles)
}
