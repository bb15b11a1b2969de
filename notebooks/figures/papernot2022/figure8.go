package papernot2022

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure8Config describes Figure 8: conditional sampling of a ρ-zCDP mechanism, "run until
// the output is good enough", on the example of appendix D.2.
type Figure8Config struct {
	Rho    float64   // ρ > 0
	A      []float64 // parameter a of the example, in (0, 1/4], one pair of curves each
	Orders []float64 // λ, increasing, each > 2
}

// defaultFigure8 is the caption of Figure 8. The text does not print a: the largest value
// that D.2 allows, and a small one.
func defaultFigure8() Figure8Config {
	cfg := Figure8Config{Rho: papers.Papernot2022.Rho, A: []float64{0.25, 0.01}}
	for i := 1; i <= 46; i++ {
		cfg.Orders = append(cfg.Orders, 2+float64(i)/2)
	}
	return cfg
}

// Validate returns every fault, joined.
func (c Figure8Config) Validate() error {
	errs := []error{validateRho("Figure8Config", c.Rho), validateIncreasing("Figure8Config.Orders", c.Orders, 2)}
	if len(c.A) == 0 || len(c.Orders) == 0 {
		errs = append(errs, fmt.Errorf("papernot2022: Figure8Config has %d values of A and %d Orders: must have at least one of each", len(c.A), len(c.Orders)))
	}
	for i, a := range c.A {
		if !(a > 0 && a <= 0.25) {
			errs = append(errs, fmt.Errorf("papernot2022: Figure8Config.A[%d] %g: must be in (0, 1/4]", i, a))
		}
	}
	return errors.Join(errs...)
}

// Figure8Result has one entry for each a.
type Figure8Result struct {
	Config  Figure8Config
	Curves  []ConditionalCurve
	checked []papers.ConditionalPoint // ours, at the published points
}

// ConditionalCurve has one value for each order.
type ConditionalCurve struct {
	A      float64
	Mass   []float64 // Q(S), the chance that one run is good enough
	Exact  []float64 // D_λ(Q_S ‖ Q'_S), nats
	Second []float64 // Corollary 16, second inequality, as in the paper
	// Least is the least of the second and the fifth inequality over their parameter and all
	// higher orders. It bounds ρ-zCDP runs with this Q(S). The example is no such run: its
	// divergences are ρλ at one order, and above that at others. So Exact may exceed Least.
	Least []float64
	// Gaussian is the exact divergence of a Gaussian run, which is ρ-zCDP, with this Q(S) and
	// the worst two tails as good outputs: below Least.
	Gaussian []float64
}

// Figure8 reproduces Figure 8. At each order the example's s and t are solved for, so that
// both its divergences are ρλ.
func Figure8(cfg Figure8Config) (Figure8Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure8Result{}, err
	}
	r := Figure8Result{Config: cfg}
	for _, a := range cfg.A {
		c := ConditionalCurve{A: a}
		for _, order := range cfg.Orders {
			e, err := selection.TightConditionalExample(a, order, cfg.Rho*order)
			if err != nil {
				return Figure8Result{}, err
			}
			mass := e.SuccessProbability()
			second, err := corollary16(cfg.Rho, order, mass)
			if err != nil {
				return Figure8Result{}, err
			}
			least, err := corollary16Least(cfg.Rho, order, mass)
			if err != nil {
				return Figure8Result{}, err
			}
			c.Mass = append(c.Mass, mass)
			c.Exact = append(c.Exact, conditioned(e, order))
			c.Second, c.Least = append(c.Second, second), append(c.Least, least)
			c.Gaussian = append(c.Gaussian, gaussianConditioned(cfg.Rho, order, mass))
		}
		r.Curves = append(r.Curves, c)
	}
	for _, p := range papers.Papernot2022.Figure8 {
		e, err := selection.TightConditionalExample(p.A, p.Order, cfg.Rho*p.Order)
		if err != nil {
			return Figure8Result{}, err
		}
		mass := e.SuccessProbability()
		bound, err := corollary16(cfg.Rho, p.Order, mass)
		if err != nil {
			return Figure8Result{}, err
		}
		r.checked = append(r.checked, papers.ConditionalPoint{
			A: p.A, Order: p.Order, S: e.S, T: e.T, Mass: mass,
			Exact: conditioned(e, p.Order), Bound: bound,
		})
	}
	return r, nil
}

// conditioned is D_λ(Q_S ‖ Q'_S) of the example.
func conditioned(e selection.ConditionalExample, order float64) float64 {
	_, _, divergence := e.Divergences(order)
	return divergence
}

// corollary16 is the second inequality of Corollary 16 for ρ-zCDP runs, without the
// minimum over higher orders of selection.Conditional: the paper's curve has none.
func corollary16(rho, order, mass float64) (float64, error) {
	curve, err := selection.Corollary16(rdp.ZCDP(rho), mass, 1)
	if err != nil {
		return 0, err
	}
	return curve(order), nil
}

// corollary16Least is the least of the second and the fifth inequality.
func corollary16Least(rho, order, mass float64) (float64, error) {
	curve, err := selection.ConditionalLeast(rdp.ZCDP(rho), mass)
	if err != nil {
		return 0, err
	}
	return curve(order), nil
}

// Compare sets the exact divergence and the paper's bound beside their recomputed values.
func (r Figure8Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "papernot2022-figure8", Title: "Figure 8: conditional sampling"}
	for i, p := range papers.Papernot2022.Figure8 {
		row := func(what string, ours, paper float64) {
			c.Rows = append(c.Rows, figures.ComparisonRow{
				Quantity: fmt.Sprintf("%s, a = %g, λ = %g", what, p.A, p.Order),
				Ours:     ours, Reference: paper, AbsErr: p.Source.AbsErr, Read: p.Source.Read, Source: p.Source.String(), Note: rhoNote(r.Config.Rho),
			})
		}
		row("exact divergence, nats", r.checked[i].Exact, p.Exact)
		row("Corollary 16, second inequality, nats", r.checked[i].Bound, p.Bound)
	}
	return c
}

// Panels draws one chart for each a.
func (r Figure8Result) Panels() figures.Panels {
	p := figures.Panels{
		Name: "papernot2022-figure8", Title: "Figure 8: conditional sampling, upper bounds and exact values", Columns: min(2, len(r.Curves)),
		Notes: []string{
			fmt.Sprintf("The example of appendix D.2 has both divergences %gλ at the order λ shown, and more than that at some others.", r.Config.Rho),
			"All curves are for the example's chance that a run is good enough. The text does not print a.",
		},
	}
	top := 0.0
	for _, c := range r.Curves {
		top = math.Max(top, math.Ceil(1.5*c.Exact[len(c.Exact)-1]))
	}
	for i, c := range r.Curves {
		p.Charts = append(p.Charts, figures.Chart{
			Name: fmt.Sprintf("papernot2022-figure8-%d", i+1), Title: fmt.Sprintf("a = %g", c.A),
			XLabel: "Rényi order λ", YLabel: "Rényi divergence, nats", YMin: 0, YMax: top,
			Curves: []figures.Curve{
				{Label: "Corollary 16, second inequality", X: r.Config.Orders, Y: c.Second, Color: 2},
				{Label: "Corollary 16, least, for zCDP runs", X: r.Config.Orders, Y: c.Least, Color: 3},
				{Label: "exact, example of D.2", X: r.Config.Orders, Y: c.Exact, Color: 1},
				{Label: "exact, Gaussian run", X: r.Config.Orders, Y: c.Gaussian, Color: 4},
			},
		})
	}
	return p
}
