package papernot2022

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure5Result has the prices of Figure 5 and the expected quantiles they buy.
type Figure5Result struct {
	Config    PriceConfig
	Curves    []PriceCurve
	Quantiles [][]float64 // 1 - E[1/(K+1)], one row for each curve
	// Crossing is the ε where η = 0.5 overtakes Poisson in expected quantile by the paper's bounds.
	// CrossingGaussian is the same by the least known bounds for Gaussian runs. If η = 0.5 is ahead
	// from the start, it is the price of the cheapest Poisson law drawn. It is NaN if the families or
	// their crossing are not in the figure.
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

// Compare sets the claim about Poisson and η = 0.5, and the recomputed quantiles, next to ours.
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

// Figure6Result has the prices of Figure 6 and the success probabilities they buy.
type Figure6Result struct {
	Config    PriceConfig
	Curves    []PriceCurve
	Successes [][]float64 // 1 - f(1 - SuccessChance), one row for each curve

	comparison figures.Comparison
}

// Figure6 reproduces Figure 6: the chance that at least one run succeeds, against its price.
func Figure6(cfg PriceConfig) (Figure6Result, error) {
	if err := errors.Join(cfg.Validate(), validateSuccess(cfg.SuccessChance)); err != nil {
		return Figure6Result{}, err
	}
	curves, err := prices(cfg, false)
	if err != nil {
		return Figure6Result{}, err
	}
	r := Figure6Result{Config: cfg, Curves: curves}
	for _, c := range curves {
		var row []float64
		for _, law := range c.Laws {
			row = append(row, law.Distribution().SuccessProbability(cfg.SuccessChance))
		}
		r.Successes = append(r.Successes, row)
	}
	r.comparison, err = compareFigure6(cfg)
	return r, err
}

func validateSuccess(chance float64) error {
	return check.OpenUnit.Of("papernot2022: PriceConfig.SuccessChance", chance)
}

// defaultFigure6 is the caption and the legend of Figure 6, with the Poisson law that the
// text praises.
func defaultFigure6(points int) PriceConfig {
	return PriceConfig{
		Rho:           papers.Papernot2022.Rho,
		Delta:         papers.Papernot2022.Delta,
		Families:      []laws.Family{laws.Fixed, laws.TNB(-0.5), laws.TNB(0), laws.TNB(0.5), laws.TNB(1), laws.Poisson},
		Means:         laws.LogSpace(1.05, 1e5, points),
		SuccessChance: papers.Papernot2022.SuccessChance,
	}
}

func compareFigure6(cfg PriceConfig) (figures.Comparison, error) {
	c := figures.Comparison{Name: "papernot2022-figure6", Title: "Figure 6: success probabilities"}
	for _, p := range papers.Papernot2022.Figure6 {
		law, err := laws.Of(p.Law).Law(p.Law.MeanRepeats)
		if err != nil {
			return c, err
		}
		why := ""
		if chance := papers.Papernot2022.SuccessChance; cfg.SuccessChance != chance {
			p.Value.Quantity = fmt.Sprintf("success probability, one run %g", cfg.SuccessChance)
			why = fmt.Sprintf("the paper's number is for a chance of %g", chance)
		}
		c.Rows = append(c.Rows, laws.Published(p.Value, p.Law, law.Distribution().SuccessProbability(cfg.SuccessChance)).WithoutReference(why))
	}
	return c, nil
}

// Compare sets the recomputed probabilities next to ours.
func (r Figure6Result) Compare() figures.Comparison { return r.comparison }

// Figure draws the success probability against the paper's price and the least known one.
func (r Figure6Result) Figure() chart.Figure {
	p := pricePanels(r.Config, r.Curves, "papernot2022-figure6", "Figure 6: the success probability that ε buys", chart.Chart{
		YLabel: "success probability", YMin: 0, YMax: 1,
	}, func(c PriceCurve, i int) float64 {
		return c.Laws[i].Distribution().SuccessProbability(r.Config.SuccessChance)
	}, false)
	p.Notes = append(p.Notes, fmt.Sprintf("One run succeeds with chance %g; the curves are the chance that one of K does.", r.Config.SuccessChance))
	return p
}

// Table lists which law has the largest success probability, by both prices.
func (r Figure6Result) Table() figures.Table {
	return leadersTable("papernot2022-figure6-best", "The largest success probability of the laws drawn", r.Curves, r.Successes)
}
