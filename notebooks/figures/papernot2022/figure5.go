package papernot2022

import (
	"fmt"
	"math"

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
		figures.Against(paper.Crossing, r.Crossing).Withheld(setupNote(r.Config.Rho, r.Config.Delta)),
		figures.Against(gaussian, r.CrossingGaussian).Withheld("the paper has no such bounds"))
	for _, q := range paper.Quantiles {
		law, err := laws.Of(q.Law).Law(q.Law.MeanRepeats)
		if err != nil {
			return c, err
		}
		c.Rows = append(c.Rows, laws.Published(q.Value, q.Law, law.Distribution().ExpectedQuantile()))
	}
	return c, nil
}

// Compare sets the sentence on Poisson and η = 0.5 and the recomputed quantiles beside ours.
func (r Figure5Result) Compare() figures.Comparison { return r.comparison }

// Panels draws the expected quantile against the paper's price and the least known one.
func (r Figure5Result) Panels() chart.Panels {
	return pricePanels(r.Config, r.Curves, "papernot2022-figure5", "Figure 5: the expected quantile that ε buys", chart.Chart{
		YLabel: "expected quantile of the best run", YMin: 0.4, YMax: 1,
	}, func(c PriceCurve, i int) float64 { return c.Laws[i].Distribution().ExpectedQuantile() }, false)
}

// Findings says which law buys the best expected quantile, by both prices, and whether Poisson has a place.
func (r Figure5Result) Findings() []string {
	paper := drawnLeaders(r.Curves, r.Quantiles, byPaper)
	gaussian := drawnLeaders(r.Curves, r.Quantiles, byGaussian)
	return []string{
		fmt.Sprintf("The best expected quantile of the laws drawn, by the paper's bounds, leads below %g left out: %s.", laws.LeastLead, laws.SayLeaders(paper, "ε")),
		fmt.Sprintf("By the least known bounds for Gaussian runs: %s.", laws.SayLeaders(gaussian, "ε")),
		poissonsPlace(leads(paper, laws.Poisson), leads(gaussian, laws.Poisson)),
		r.overtakes("By the paper's bounds", r.Crossing, byPaper),
		r.overtakes("For Gaussian runs", r.CrossingGaussian, byGaussian),
	}
}

// poissonsPlace compares where Poisson leads by both prices.
func poissonsPlace(paper, gaussian []laws.Stretch) string {
	switch {
	case len(paper) > 0 && len(gaussian) == 0:
		return "So the place of Poisson at a small budget is a property of the paper's bounds, not of the laws: for Gaussian runs it leads nowhere in the figure."
	case len(paper) > 0:
		return "Poisson leads by both kinds of bounds."
	case len(gaussian) > 0:
		return "Poisson leads for Gaussian runs alone."
	}
	return "Poisson leads nowhere in the figure."
}

// overtakes puts a crossing into words.
func (r Figure5Result) overtakes(bounds string, crossing float64, price func(PriceCurve) []float64) string {
	if math.IsNaN(crossing) {
		return bounds + " η = 0.5 does not overtake Poisson in the figure, or one of the two is not in it."
	}
	for _, c := range r.Curves {
		if c.Family == laws.Poisson && crossing <= price(c)[0] {
			return fmt.Sprintf("%s η = 0.5 is ahead of Poisson from the cheapest Poisson law of the figure on, at ε = %s.", bounds, chart.About(crossing, 3))
		}
	}
	return fmt.Sprintf("%s η = 0.5 overtakes Poisson at ε = %s.", bounds, chart.About(crossing, 3))
}

// leads returns the stretches of one family.
func leads(stretches []laws.Stretch, f laws.Family) (out []laws.Stretch) {
	for _, s := range stretches {
		if s.Family == f {
			out = append(out, s)
		}
	}
	return out
}
