package papernot2022

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// PriceConfig describes Figures 4, 5 and 6: what the best of K runs costs at one δ, for
// several families of laws over their mean. Each run is ρ-zCDP; where a tighter bound
// needs to know more, it is one Gaussian release, σ = 1/√(2ρ).
type PriceConfig struct {
	Rho      float64 `rule:"> 0"`       // ρ of one run
	Delta    float64 `rule:"in (0, 1)"` // δ
	Families []laws.Family
	// Means are E[K]. Poisson and fixed laws are drawn at as many means up to 100 only.
	Means []float64 `rule:"> 1; increasing; at least 2"`
	// SuccessChance of one run is for Figure 6 only, in (0, 1).
	SuccessChance float64 `rule:"any"`
}

// Validate returns every fault, joined.
func (c PriceConfig) Validate() error { return figures.Faults(c).Err() }

// PriceCurve is the price of one family, one value for each mean.
type PriceCurve struct {
	Family laws.Family
	Laws   []law.Law
	// Paper is the paper's bound on ε: Theorem 2, Theorem 6, or composition, by Lemma 14.
	Paper []float64
	// Gaussian is the least bound that accounting/selection has for Gaussian runs.
	Gaussian []float64
	// GaussianBy names the bound behind each value of Gaussian.
	GaussianBy []string
	// Limit is below every bound that holds for all Gaussian runs; see LowerLimit. Figure 4 only.
	Limit []float64
}

// prices computes the curves of all families, in parallel; without limits Limit stays 0.
func prices(cfg PriceConfig, limits bool) ([]PriceCurve, error) {
	base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1 / math.Sqrt(2*cfg.Rho)})
	if err != nil {
		return nil, err
	}
	n := len(cfg.Means)
	curves := make([]PriceCurve, len(cfg.Families))
	for i, f := range cfg.Families {
		curves[i] = PriceCurve{
			Family: f, Laws: make([]law.Law, n), GaussianBy: make([]string, n),
			Paper: make([]float64, n), Gaussian: make([]float64, n), Limit: make([]float64, n),
		}
	}
	err = parallel.Each(n*len(curves), func(k int) error { return curves[k/n].fill(cfg, base, k%n, limits) })
	return curves, err
}

func (c PriceCurve) fill(cfg PriceConfig, base baserun.Run, i int, limits bool) error {
	law, err := c.Family.Law(c.Family.Means(cfg.Means)[i])
	if err != nil {
		return err
	}
	c.Laws[i] = law
	if c.Paper[i], err = paperEpsilon(law, cfg.Rho, cfg.Delta); err != nil {
		return err
	}
	price, err := selection.PriceAt(law, base, cfg.Delta)
	if err != nil {
		return err
	}
	c.Gaussian[i], c.GaussianBy[i] = price.Least().Epsilon, price.Least().Name
	if limits {
		c.Limit[i], err = laws.LowerLimit(law, math.Sqrt(2*cfg.Rho), cfg.Delta)
	}
	return err
}

// paperEpsilon returns the paper's ε of the best of K runs that are each ρ-zCDP.
func paperEpsilon(k law.Law, rho, delta float64) (float64, error) {
	curve, err := paperCurve(k, rho)
	if err != nil {
		return 0, err
	}
	g, err := rdp.NewAccountant().EpsilonOf(curve, delta)
	return g.Epsilon.Upper, err
}

// crossing returns the first X after which curve b stays above curve a, up to the end of their
// common range. It is NaN if there is none. The X of both curves increase.
func crossing(aX, aY, bX, bY []float64) float64 {
	lo, hi := math.Max(aX[0], bX[0]), math.Min(aX[len(aX)-1], bX[len(bX)-1])
	gap := func(x float64) float64 { return laws.Interpolate(bX, bY, x) - laws.Interpolate(aX, aY, x) }
	if !(lo < hi) || gap(hi) <= 0 {
		return math.NaN()
	}
	const steps = 400
	for i := steps - 1; i >= 0; i-- {
		x := lo + (hi-lo)*float64(i)/steps
		if gap(x) <= 0 {
			return x + (hi-lo)/steps/2
		}
	}
	return lo
}

// leaders returns the families that buy the most, by a price, in the frame of the figure.
func (r PriceResult) leaders(by func(PriceCurve) []float64) []laws.Stretch {
	axis := figures.Map(r.Curves, by)
	lo := slices.Min(figures.Map(axis, func(price []float64) float64 { return price[0] }))
	_, hi := frame(r.Curves)
	return laws.Leaders(r.Config.Families, axis, r.Bought, lo, hi)
}

// leadersTable returns the table of the families that buy the most, by both prices.
func leadersTable(title string) func(PriceResult) figures.Table {
	return func(r PriceResult) figures.Table {
		t := figures.Table{Name: r.look.name + "-best", Title: title, Columns: []string{"bounds", "law of K", "from ε", "to ε"},
			Notes: []string{fmt.Sprintf("Leads below %g are left out.", laws.LeastLead)}}
		for _, by := range []struct {
			name  string
			price func(PriceCurve) []float64
		}{{"the paper's", byPaper}, {"least known, Gaussian runs", byGaussian}} {
			for _, s := range r.leaders(by.price) {
				to := chart.About(s.To, 2)
				if s.Ended {
					to += ", where its curve ends"
				}
				t.Rows = append(t.Rows, []string{by.name, s.Family.Label(), chart.About(s.From, 2), to})
			}
		}
		return t
	}
}

func byPaper(c PriceCurve) []float64    { return c.Paper }
func byGaussian(c PriceCurve) []float64 { return c.Gaussian }

// asInThePaper is a panel's title. It does not name the paper if a note names another setup.
func asInThePaper(theorems, setupNote string) string {
	if setupNote != "" {
		return theorems
	}
	return theorems + ", as in the paper"
}

// setupNote names ρ and δ of the paper's number, if they differ from the given ones. If the number
// has no δ, pass papers.Papernot2022.Delta.
func setupNote(rho, delta float64) string {
	paper := papers.Papernot2022
	if rho == paper.Rho && delta == paper.Delta {
		return ""
	}
	note := fmt.Sprintf("the paper's number is for ρ = %g", paper.Rho)
	if delta != paper.Delta {
		note += ", δ = " + chart.Scientific(paper.Delta)
	}
	return note
}

// paperCurve is laws.TheoremCurve for runs that are each ρ-zCDP.
func paperCurve(k law.Law, rho float64) (rdp.Curve, error) {
	return laws.TheoremCurve(k, zcdpBase(rho))
}

// zcdpBase is all that the paper assumes of one run: ρ-zCDP.
func zcdpBase(rho float64) baserun.Run {
	return baserun.Run{Name: fmt.Sprintf("%g-zCDP", rho), Curve: rdp.ZCDP(rho)}
}
