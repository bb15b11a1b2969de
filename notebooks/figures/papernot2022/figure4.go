package papernot2022

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
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
		Families: []Family{Fixed, TNB(0), TNB(1), TNB(5), Poisson},
		Means:    logSpace(1.05, 1e5, points),
	}
}

func compareFigure4(cfg PriceConfig) (figures.Comparison, error) {
	c := figures.Comparison{Name: "papernot2022-figure4", Title: "Figure 4: ε of the paper's bounds"}
	for _, p := range papers.Papernot2022.Figure4 {
		law, err := familyOf(p.Law).Law(p.Law.MeanRepeats)
		if err != nil {
			return c, err
		}
		ours, err := paperEpsilon(law, cfg.Rho, p.Delta)
		if err != nil {
			return c, err
		}
		spec := LawSpec{Family: familyOf(p.Law), Mean: p.Law.MeanRepeats}
		c.Rows = append(c.Rows, published(p.Value, spec, ours, cfg.Rho))
	}
	return c, nil
}

// poissonSearch is how far above the least our Theorem 6 may lie, relative: its δ̂ comes
// from a table of orders with one refinement.
const poissonSearch = 1e-6

// published is the row of a published value of one law.
func published(v papers.Value, spec LawSpec, ours, rho float64) figures.ComparisonRow {
	row := figures.ComparisonRow{
		Quantity:  v.Quantity + ", " + spec.Label(),
		Ours:      ours,
		Reference: v.Number,
		AbsErr:    v.Source.AbsErr, Read: v.Source.Read,
		Source: v.Source.String(),
		Note:   rhoNote(rho),
	}
	if spec.Family == Poisson && v.Source.AbsErr > 1e-8 {
		row.OursErr = poissonSearch * ours
	}
	return row
}

// Compare sets the paper's bounds as we compute them beside their recomputed values.
func (r Figure4Result) Compare() figures.Comparison { return r.comparison }

// Panels draws the paper's bounds, and the best that is known for Gaussian runs.
func (r Figure4Result) Panels() figures.Panels {
	return pricePanels(r.Config, r.Curves, "papernot2022-figure4", "Figure 4: the price of more runs", figures.Chart{
		YLabel: "mean number of runs E[K]", YLog: true, YMin: 1, YMax: r.Config.Means[len(r.Config.Means)-1],
	}, func(c PriceCurve, i int) float64 { return c.Laws[i].Distribution().Mean() }, true)
}

// pricePanels draws ε against what it buys: on the left by the paper's bounds, on the
// right by the least bound for Gaussian runs, with the lower limit of each law if asked.
func pricePanels(cfg PriceConfig, curves []PriceCurve, name, title string, axes figures.Chart, buys func(PriceCurve, int) float64, limits bool) figures.Panels {
	axes.XMin, axes.XMax = frame(curves)
	left, right := axes, axes
	left.Name, left.Title = name+"-paper", "Theorems 2 and 6, as in the paper"
	right.Name, right.Title = name+"-gaussian", "Least known bound, Gaussian runs"
	left.XLabel = "ε at δ = " + short(cfg.Delta)
	right.XLabel = left.XLabel
	left.Curves, right.Curves = nil, nil
	for k, c := range curves {
		var ys []float64
		for i := range cfg.Means {
			ys = append(ys, buys(c, i))
		}
		label, color := c.Family.Label(), c.Family.color()
		left.Curves = append(left.Curves, inFrame(c.Paper, ys, axes.XMax, figures.Curve{Label: label, Color: color}))
		right.Curves = append(right.Curves, inFrame(c.Gaussian, ys, axes.XMax, figures.Curve{Label: label, Color: color}))
		if limits {
			limit := figures.Curve{Reference: true}
			if k == 0 {
				limit.Label = "no valid bound left of this"
			}
			right.Curves = append(right.Curves, inFrame(c.Limit, ys, axes.XMax, limit))
		}
	}
	return figures.Panels{
		Name: name, Title: title, Columns: 2, Charts: []figures.Chart{left, right},
		Notes: []string{fmt.Sprintf("Left: each run is %g-zCDP. Right: each run is one Gaussian release with σ = %.4g, which is %g-zCDP.", cfg.Rho, 1/math.Sqrt(2*cfg.Rho), cfg.Rho)},
	}
}

// frame returns the range of ε that is drawn: up to four times the least price. At the
// paper's setup that is the paper's axis, to 8.
func frame(curves []PriceCurve) (left, right float64) {
	least := math.Inf(1)
	for _, c := range curves {
		least = math.Min(least, slices.Min(c.Gaussian))
	}
	return figures.Round(0.75*least, 2), figures.Round(4*least, 2)
}

// inFrame keeps the points up to the first one beyond the right edge, if there is one.
func inFrame(xs, ys []float64, right float64, curve figures.Curve) figures.Curve {
	for i, x := range xs {
		curve.X = append(curve.X, x)
		curve.Y = append(curve.Y, ys[i])
		if right > 0 && x > right {
			break
		}
	}
	return curve
}
