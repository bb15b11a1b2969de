package papernot2022

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

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

// Compare sets the recomputed probabilities beside ours.
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
