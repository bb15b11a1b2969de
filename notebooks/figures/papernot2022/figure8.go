package papernot2022

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure8Config describes Figure 8: conditional sampling of a ρ-zCDP mechanism, "run until
// the output is good enough", on the example of appendix D.2.
type Figure8Config struct {
	Rho    float64   `rule:"> 0"`             // ρ
	A      []float64 `rule:"in (0, 0.25]"`    // parameter a of the example, one pair of curves each
	Orders []float64 `rule:"> 2; increasing"` // λ
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
func (c Figure8Config) Validate() error { return figures.Faults(c).Err() }

// Figure8Result has one entry for each a.
type Figure8Result struct {
	Config  Figure8Config
	Curves  []ConditionalCurve
	checked []ConditionalCurve // ours, at the published points
}

// ConditionalCurve has one value for each order.
type ConditionalCurve struct {
	A     float64
	Exact []float64 // D_λ(Q_S ‖ Q'_S), nats
	// Second is Corollary 16, second inequality, with D_{λ-1}(Q' ‖ Q) = ρ(λ-1), as we read the paper's
	// caption. The example's own divergence of that order is BackBelow and is larger; Own is the
	// inequality with it.
	Second, BackBelow, Own []float64
	// Least is the least of the second and the fifth inequality over their parameter and all higher
	// orders. It bounds ρ-zCDP runs with this Q(S). The example is not such a run. Its divergences are
	// ρλ at one order, and above that at others. So Exact may exceed Least.
	Least []float64
	// Gaussian is the exact divergence of a Gaussian run, which is ρ-zCDP, with this Q(S) and
	// the worst two tails as good outputs: below Least.
	Gaussian []float64
}

// Figure8 reproduces Figure 8. At each order the example's s and t make both divergences ρλ.
func Figure8(cfg Figure8Config) (r Figure8Result, err error) {
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	r = Figure8Result{Config: cfg, Curves: make([]ConditionalCurve, len(cfg.A)), checked: make([]ConditionalCurve, len(papers.Papernot2022.Figure8))}
	for i, a := range cfg.A {
		r.Curves[i].A = a
		for _, order := range cfg.Orders {
			if err := r.Curves[i].add(cfg.Rho, order); err != nil {
				return r, err
			}
		}
	}
	for i, p := range papers.Papernot2022.Figure8 {
		r.checked[i].A = p.A
		if err := r.checked[i].add(cfg.Rho, p.Order); err != nil {
			return r, err
		}
	}
	return r, nil
}

// add adds the values at an order. The second inequality of Corollary 16 is without a minimum over
// higher orders: the paper's curve has none.
func (c *ConditionalCurve) add(rho, order float64) error {
	e, err := tightExample(c.A, order, rho*order)
	if err != nil {
		return err
	}
	mass := e.successProbability()
	second, errSecond := selection.Corollary16(rdp.ZCDP(rho), mass, 1)
	least, errLeast := selection.ConditionalLeast(rdp.ZCDP(rho), mass)
	if err := errors.Join(errSecond, errLeast); err != nil {
		return err
	}
	_, _, exact := e.divergences(order)
	_, below, _ := e.divergences(order - 1)
	c.Exact, c.BackBelow = append(c.Exact, exact), append(c.BackBelow, below)
	c.Second, c.Least = append(c.Second, second(order)), append(c.Least, least(order))
	c.Own = append(c.Own, second(order)+(order-2)/(order-1)*(below-rho*(order-1)))
	c.Gaussian = append(c.Gaussian, gaussianConditioned(rho, order, mass))
	return nil
}

// Compare sets the exact divergence and the paper's bound next to their recomputed values.
func (r Figure8Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "papernot2022-figure8", Title: "Figure 8: conditional sampling"}
	for i, p := range papers.Papernot2022.Figure8 {
		row := func(what string, ours, paper float64) {
			value := papers.Value{Quantity: fmt.Sprintf("%s, a = %g, λ = %g", what, p.A, p.Order), Number: paper, Source: p.Source}
			c.Rows = append(c.Rows, figures.Against(value, ours).WithoutReference(setupNote(r.Config.Rho, papers.Papernot2022.Delta)))
		}
		row("exact divergence, nats", r.checked[i].Exact[0], p.Exact)
		row("Corollary 16, second inequality with ρ(λ-1) for D of order λ-1, nats", r.checked[i].Second[0], p.Bound)
	}
	return c
}

// Figure draws one chart for each a.
func (r Figure8Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "papernot2022-figure8", Title: "Figure 8: conditional sampling, upper bounds and exact values", Columns: min(2, len(r.Curves)),
		Notes: []string{
			fmt.Sprintf("The example of appendix D.2 has both divergences %gλ at the order λ shown. Its divergences of other orders may be larger.", r.Config.Rho),
			"All curves are for the example's chance that a run is good enough. The text does not print a.",
		},
	}
	top := 0.0
	for _, c := range r.Curves {
		top = math.Max(top, math.Ceil(1.5*c.Exact[len(c.Exact)-1]))
	}
	for i, c := range r.Curves {
		p.Charts = append(p.Charts, chart.Chart{
			Name: fmt.Sprintf("papernot2022-figure8-%d", i+1), Title: fmt.Sprintf("a = %g", c.A),
			XLabel: "Rényi order λ", YLabel: "Rényi divergence, nats", YMin: 0, YMax: top,
			Curves: []chart.Curve{
				{Label: fmt.Sprintf("Corollary 16, %g(λ-1) for D of order λ-1", r.Config.Rho), X: r.Config.Orders, Y: c.Second, Color: 2},
				{Label: "Corollary 16, least, for zCDP runs", X: r.Config.Orders, Y: c.Least, Color: 3},
				{Label: "exact, example of D.2", X: r.Config.Orders, Y: c.Exact, Color: 1},
				{Label: "exact, Gaussian run", X: r.Config.Orders, Y: c.Gaussian, Color: 4},
			},
		})
	}
	return p
}

// Table lists how far the drawn bound is from the exact value, and how it differs from the
// corollary's bound for the example itself. It also has the least bound for runs that are ρ-zCDP.
func (r Figure8Result) Table() figures.Table {
	orders := r.Config.Orders
	last, middle := len(orders)-1, r.middle()
	t := figures.Table{Name: "papernot2022-figure8-distances", Title: "Corollary 16 and the example of appendix D.2, in nats", Columns: []string{"quantity"}}
	rows := [][]string{
		{"second inequality as drawn, above the exact value by at most"},
		{"at λ"},
		{fmt.Sprintf("above it at λ = %g", orders[last])},
		{fmt.Sprintf("the paper's approximation for large s and t there, (λ-2)/(λ-1) ln 2 = %.2g", (orders[last]-2)/(orders[last]-1)*math.Ln2)},
		{fmt.Sprintf("orders with a D(Q'‖Q) of order λ-1 above %g(λ-1)", r.Config.Rho)},
		{fmt.Sprintf("that divergence at λ = %g, drawn with %.3f", orders[middle], r.Config.Rho*(orders[middle]-1))},
		{"the second inequality there, as drawn"},
		{"with the example's own divergence"},
		{fmt.Sprintf("the least of the corollary's bounds for zCDP runs at λ = %g", orders[0])},
		{"the second inequality there"},
		{"a Gaussian run there"},
	}
	for _, c := range r.Curves {
		t.Columns = append(t.Columns, fmt.Sprintf("a = %g", c.A))
		above := floats.SubTo(make([]float64, len(c.Second)), c.Second, c.Exact)
		widest := floats.MaxIdx(above)
		for i, cell := range []string{
			fmt.Sprintf("%.2g", above[widest]), fmt.Sprint(orders[widest]), fmt.Sprintf("%.2g", above[last]), "", fmt.Sprintf("%d of %d", r.larger(c), len(orders)),
			fmt.Sprintf("%.3f", c.BackBelow[middle]), fmt.Sprintf("%.3f", c.Second[middle]), fmt.Sprintf("%.3f", c.Own[middle]),
			fmt.Sprintf("%.3g", c.Least[0]), fmt.Sprintf("%.3g", c.Second[0]), fmt.Sprintf("%.3g", c.Gaussian[0]),
		} {
			rows[i] = append(rows[i], cell)
		}
	}
	t.Rows = rows
	return t
}

// larger counts the orders λ at which the example's own divergence of order λ-1 exceeds ρ(λ-1).
func (r Figure8Result) larger(c ConditionalCurve) (n int) {
	for i, order := range r.Config.Orders {
		if c.BackBelow[i] > r.Config.Rho*(order-1) {
			n++
		}
	}
	return n
}

// middle is the place of the order that is nearest to 10.
func (r Figure8Result) middle() (at int) {
	for i, order := range r.Config.Orders {
		if math.Abs(order-10) < math.Abs(r.Config.Orders[at]-10) {
			at = i
		}
	}
	return at
}

// gaussianConditioned is the divergence of order λ, after conditioning, of a Gaussian run with the
// given chance of a good output. It takes the worst of 400 ways to divide that chance between two
// tails.
func gaussianConditioned(rho, order, mass float64) float64 {
	worst := 0.0
	for k := range 400 {
		share := 1 / (1 + math.Exp(float64(k-200)/10))
		worst = math.Max(worst, twoTails(rho, order, mass, share))
	}
	return worst
}

// twoTails is the divergence for Q = N(µ, 1), Q' = N(0, 1), µ = √(2ρ). Good outputs are S = {x < l
// or x > h} with Q(S) = mass. share is the part of mass in the upper tail.
//
//	∫_S Q^λ Q'^(1-λ) = e^(λ(λ-1)µ²/2) (Φ(l-λµ) + Φ(λµ-h))
func twoTails(rho, order, mass, share float64) float64 {
	mu := math.Sqrt(2 * rho)
	l := mu + distuv.UnitNormal.Quantile((1-share)*mass)
	h := mu - distuv.UnitNormal.Quantile(share*mass)
	inside := order*(order-1)*rho + math.Log(normCDF(l-order*mu)+normCDF(order*mu-h))
	other := math.Log(normCDF(l) + normCDF(-h))
	return (inside - order*math.Log(mass) - (1-order)*other) / (order - 1)
}

func normCDF(x float64) float64 { return distuv.UnitNormal.CDF(x) }
