package papernot2022

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// PriceResult is Figure 4, 5 or 6: prices, and what they buy.
type PriceResult struct {
	Config PriceConfig
	Curves []PriceCurve
	// Bought has one row for each curve, of E[K] in Figure 4, of the expected quantile 1 - E[1/(K+1)]
	// in Figure 5, and of the success probability 1 - f(1 - SuccessChance) in Figure 6.
	Bought [][]float64

	look       priceLook
	comparison figures.Comparison
}

// priceLook is what differs between Figures 4, 5 and 6.
type priceLook struct {
	name, title string
	compared    string // title of the comparison
	axes        chart.Chart
	buys        func(law.Distribution) float64
	limits      bool // the lower limit of each law is drawn
	note        string
	table       func(PriceResult) figures.Table
}

func priced(cfg PriceConfig, look priceLook) (r PriceResult, err error) {
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	r = PriceResult{Config: cfg, look: look}
	r.comparison.Name, r.comparison.Title = look.name, look.compared
	r.Curves, err = prices(cfg, look.limits)
	r.Bought = figures.Map(r.Curves, func(c PriceCurve) []float64 {
		return figures.Map(c.Laws, func(l law.Law) float64 { return look.buys(l.Distribution()) })
	})
	return r, err
}

// Compare sets our numbers next to the paper's claims and to recomputed values.
func (r PriceResult) Compare() figures.Comparison { return r.comparison }

// Table lists what follows from the prices.
func (r PriceResult) Table() figures.Table { return r.look.table(r) }

// Figure4 reproduces Figure 4: what ε buys how many runs on average.
func Figure4(cfg PriceConfig) (PriceResult, error) {
	r, err := priced(cfg, look4(cfg))
	if err != nil {
		return r, err
	}
	for _, p := range papers.Papernot2022.Figure4 {
		p.Value.Quantity = "ε at δ = " + chart.Scientific(cfg.Delta)
		row, err := laws.Published(p.Value, p.Law, func(k law.Law) (float64, error) { return paperEpsilon(k, cfg.Rho, cfg.Delta) })
		if err != nil {
			return r, err
		}
		r.comparison.Rows = append(r.comparison.Rows, withSearch(row, p.Law).WithoutReference(setupNote(cfg.Rho, cfg.Delta)))
	}
	return r, nil
}

func look4(cfg PriceConfig) priceLook {
	look := priceLook{name: "papernot2022-figure4", title: "Figure 4: the price of more runs", compared: "Figure 4: ε of the paper's bounds", limits: true, table: runsTable, buys: law.Distribution.Mean}
	look.axes = chart.Chart{YLabel: "mean number of runs E[K]", YLog: true, YMin: 1, YMax: cfg.Means[len(cfg.Means)-1]}
	return look
}

// defaultFigure4 is the caption and the legend of Figure 4. The means reach from one run
// to a hundred thousand.
func defaultFigure4(points int) PriceConfig {
	return defaultPrices(laws.LogSpace(1.05, 1e5, points), laws.Fixed, laws.TNB(0), laws.TNB(1), laws.TNB(5), laws.Poisson)
}

// defaultPrices has the paper's ρ, δ and success chance.
func defaultPrices(means []float64, families ...laws.Family) PriceConfig {
	p := papers.Papernot2022
	return PriceConfig{Rho: p.Rho, Delta: p.Delta, Families: families, Means: means, SuccessChance: p.SuccessChance}
}

// Figure5 reproduces Figure 5: the expected rank of the best run among all that could
// have happened, against its price.
func Figure5(cfg PriceConfig) (PriceResult, error) {
	r, err := priced(cfg, priceLook{name: "papernot2022-figure5", title: "Figure 5: the expected quantile that ε buys", compared: "Figure 5: expected quantiles",
		axes: chart.Chart{YLabel: "expected quantile of the best run", YMin: 0.4, YMax: 1},
		buys: law.Distribution.ExpectedQuantile, table: leadersTable("The best expected quantile of the laws drawn")})
	if err != nil {
		return r, err
	}
	paper, rows := papers.Papernot2022.Figure5, &r.comparison.Rows
	// Each claim is compared by the paper's bounds, and by the least known ones.
	claim := func(v papers.Value, row func(papers.Value, func(PriceCurve) []float64) figures.ComparisonRow) {
		gaussian := v
		gaussian.Quantity += ", least known bounds for Gaussian runs"
		*rows = append(*rows, row(v, byPaper).WithoutReference(setupNote(cfg.Rho, cfg.Delta)),
			row(gaussian, byGaussian).WithoutReference("the paper has no such bounds"))
	}
	claim(paper.Crossing, func(v papers.Value, by func(PriceCurve) []float64) figures.ComparisonRow {
		return figures.Against(v, r.crossing(by))
	})
	for _, q := range paper.Quantiles {
		row, err := laws.Published(q.Value, q.Law, func(k law.Law) (float64, error) { return k.Distribution().ExpectedQuantile(), nil })
		if err != nil {
			return r, err
		}
		*rows = append(*rows, row)
	}
	claim(paper.PoissonLeads, func(v papers.Value, by func(PriceCurve) []float64) figures.ComparisonRow {
		var poisson figures.Cases // none if Poisson is not in the figure
		if slices.Contains(cfg.Families, laws.Poisson) {
			poisson.AddIf(slices.ContainsFunc(r.leaders(by), func(s laws.Stretch) bool { return s.Family == laws.Poisson }))
		}
		return poisson.Against(v)
	})
	return r, nil
}

// defaultFigure5 has the laws of the legend and of the text of Section 3.6.
func defaultFigure5(points int) PriceConfig {
	return defaultPrices(laws.LogSpace(1.02, 1e4, points), laws.TNB(-0.5), laws.TNB(0), laws.TNB(0.5), laws.TNB(1), laws.TNB(2), laws.Poisson)
}

// crossing returns the ε where η = 0.5 overtakes Poisson by a price. If η = 0.5 is ahead from the
// start, it is the price of the cheapest Poisson law drawn. It is NaN if the families or their
// crossing are not in the figure.
func (r PriceResult) crossing(by func(PriceCurve) []float64) float64 {
	poisson, half := slices.Index(r.Config.Families, laws.Poisson), slices.Index(r.Config.Families, laws.TNB(0.5))
	if poisson < 0 || half < 0 {
		return math.NaN()
	}
	return crossing(by(r.Curves[poisson]), r.Bought[poisson], by(r.Curves[half]), r.Bought[half])
}

// Figure6 reproduces Figure 6: the chance that at least one run succeeds, against its price.
func Figure6(cfg PriceConfig) (PriceResult, error) {
	if err := check.OpenUnit.Of("papernot2022: PriceConfig.SuccessChance", cfg.SuccessChance); err != nil {
		return PriceResult{}, err
	}
	succeeds := func(k law.Distribution) float64 { return k.SuccessProbability(cfg.SuccessChance) }
	r, err := priced(cfg, priceLook{name: "papernot2022-figure6", title: "Figure 6: the success probability that ε buys", compared: "Figure 6: success probabilities",
		axes: chart.Chart{YLabel: "success probability", YMin: 0, YMax: 1}, buys: succeeds, table: leadersTable("The largest success probability of the laws drawn"),
		note: fmt.Sprintf("One run succeeds with chance %g; the curves are the chance that one of K does.", cfg.SuccessChance)})
	if err != nil {
		return r, err
	}
	for _, p := range papers.Papernot2022.Figure6 {
		why := ""
		if chance := papers.Papernot2022.SuccessChance; cfg.SuccessChance != chance {
			p.Value.Quantity = fmt.Sprintf("success probability, one run %g", cfg.SuccessChance)
			why = fmt.Sprintf("the paper's number is for a chance of %g", chance)
		}
		row, err := laws.Published(p.Value, p.Law, func(k law.Law) (float64, error) { return succeeds(k.Distribution()), nil })
		if err != nil {
			return r, err
		}
		r.comparison.Rows = append(r.comparison.Rows, row.WithoutReference(why))
	}
	return r, nil
}

// defaultFigure6 is the caption and the legend of Figure 6, with the Poisson law that the
// text praises.
func defaultFigure6(points int) PriceConfig {
	return defaultPrices(laws.LogSpace(1.05, 1e5, points), laws.Fixed, laws.TNB(-0.5), laws.TNB(0), laws.TNB(0.5), laws.TNB(1), laws.Poisson)
}

// Figure draws what ε buys. The left panel has the paper's bounds, the right one the least bound
// for Gaussian runs, with the lower limit of each law in Figure 4.
func (r PriceResult) Figure() chart.Figure {
	cfg, look, axes := r.Config, r.look, r.look.axes
	axes.XMin, axes.XMax = frame(r.Curves)
	axes.XLabel = "ε at δ = " + chart.Scientific(cfg.Delta)
	left, right := axes, axes
	left.Name, left.Title = look.name+"-paper", asInThePaper("Theorems 2 and 6", setupNote(cfg.Rho, cfg.Delta))
	right.Name, right.Title = look.name+"-gaussian", "Least known bound, Gaussian runs"
	var onTop []chart.Curve
	var touching []string
	for i, c := range r.Curves {
		line := chart.Curve{Label: c.Family.Label(), Color: c.Family.Color()}
		left.Curves = append(left.Curves, laws.InFrame(c.Paper, r.Bought[i], axes.XMax, line))
		right.Curves = append(right.Curves, laws.InFrame(c.Gaussian, r.Bought[i], axes.XMax, line))
		if !look.limits {
			continue
		}
		limit := chart.Curve{OnTop: true}
		if i == 0 {
			limit.Label = "limit of each"
		}
		onTop = append(onTop, laws.InFrame(c.Limit, r.Bought[i], axes.XMax, limit))
		if figures.Coincide(c.Gaussian, c.Limit, axes.XMin, axes.XMax, false) {
			touching = append(touching, line.Label)
		}
	}
	right.Curves = append(right.Curves, onTop...)
	p := chart.Panels{
		Name: look.name, Title: look.title, Columns: 2, Charts: []chart.Chart{left, right},
		Notes: []string{fmt.Sprintf("Left: each run is %g-zCDP. Right: each run is one Gaussian release with σ = %.4g, which is %g-zCDP.", cfg.Rho, 1/math.Sqrt(2*cfg.Rho), cfg.Rho)},
	}
	if look.limits {
		p.Notes = append(p.Notes, "Limit: no bound that holds for all Gaussian runs can lie to the left of it."+touch(touching, len(r.Curves)))
	}
	if look.note != "" {
		p.Notes = append(p.Notes, look.note)
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

// runsTable lists how many runs one ε buys by each bound, and how far the least known bounds are
// above their limits at the points that are drawn.
func runsTable(r PriceResult) figures.Table {
	_, right := frame(r.Curves)
	asked := chart.Round(right/2, 1)
	return figures.Table{Name: "papernot2022-figure4-runs", Title: fmt.Sprintf("Mean number of runs for ε = %g at δ = %s", asked, chart.Scientific(r.Config.Delta)),
		Columns: []string{"law of K", "the paper's bounds", "least known bounds, Gaussian runs", fmt.Sprintf("farthest above the limit, in ε, up to %g", right)},
		Rows: figures.Map(r.Curves, func(c PriceCurve) []string {
			return []string{c.Family.Label(), runsFor(c, c.Paper, asked), runsFor(c, c.Gaussian, asked), chart.About(c.largestGap(right), 2)}
		})}
}

// runsFor writes how many runs the price buys on average: read off between two points of the curve,
// in ln E[K]. A fixed number is a whole one.
func runsFor(c PriceCurve, price []float64, epsilon float64) string {
	logMeans := figures.Map(c.Laws, func(l law.Law) float64 { return math.Log(l.Distribution().Mean()) })
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
