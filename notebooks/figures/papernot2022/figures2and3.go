package papernot2022

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure2 reproduces Figure 2: Rényi bounds of the best of K runs with K from the
// logarithmic law, for growing means, against one run and naive repetition.
func Figure2(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure2", title: "Figure 2: logarithmic law, growing mean", theorems: "Theorem 2", label: laws.Spec.Label}
	if oneFamily(cfg.Laws) {
		look.label = meanOnly
	}
	return renyi(cfg, look, papers.Papernot2022.Figure2)
}

// defaultFigure2 is the caption of Figure 2; the orders are its axis.
func defaultFigure2() RenyiConfig {
	cfg := RenyiConfig{
		Rho:    papers.Papernot2022.Rho,
		Laws:   []laws.Spec{laws.Fixed.WithMean(1), laws.Fixed.WithMean(10)},
		Orders: orders(30),
	}
	for _, mean := range []float64{10, 100, 1000, 1e4, 1e5, 1e6} {
		cfg.Laws = append(cfg.Laws, laws.TNB(0).WithMean(mean))
	}
	return cfg
}

// oneFamily reports whether all laws that are not fixed are of one family. Their means then
// distinguish them.
func oneFamily(specs []laws.Spec) bool {
	var first laws.Family
	for _, s := range specs {
		switch {
		case s.Family == laws.Fixed || s.Family == first:
		case first == laws.Family{}:
			first = s.Family
		default:
			return false
		}
	}
	return true
}

func meanOnly(s laws.Spec) string {
	if s.Family == laws.Fixed {
		return s.Label()
	}
	return fmt.Sprintf("E[K] = %s", chart.Grouped(s.Mean))
}

// Figure3 reproduces Figure 3: Rényi bounds of the best of K runs for several laws of
// mean 10, against naive repetition.
func Figure3(cfg RenyiConfig) (RenyiResult, error) {
	look := renyiLook{name: "papernot2022-figure3", title: "Figure 3: several laws of mean 10", theorems: "Theorems 2 and 6", label: laws.Spec.Label}
	return renyi(cfg, look, papers.Papernot2022.Figure3)
}

// defaultFigure3 is the caption and the legend of Figure 3; the orders are its axis.
func defaultFigure3() RenyiConfig {
	return RenyiConfig{
		Rho: papers.Papernot2022.Rho,
		Laws: []laws.Spec{
			laws.Fixed.WithMean(1), laws.Fixed.WithMean(10), laws.TNB(0).WithMean(10), laws.TNB(1).WithMean(10), laws.TNB(5).WithMean(10), laws.Poisson.WithMean(10),
		},
		Orders: orders(50),
	}
}

// orders returns 60 orders from near 1 to last.
func orders(last float64) []float64 {
	const n = 60
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 + (last-1)*float64(i+1)/n
	}
	return out
}

// RenyiConfig describes Figures 2 and 3: Rényi bounds of the best of K runs that are each
// ρ-zCDP, over the order.
type RenyiConfig struct {
	Rho    float64 `rule:"> 0"` // ρ
	Laws   []laws.Spec
	Orders []float64 `rule:"> 1; increasing"`
}

// Validate returns every fault, joined.
func (c RenyiConfig) Validate() error { return figures.Faults(c).Err() }

// RenyiCurve is the Rényi bound of one law over the orders, in nats.
type RenyiCurve struct {
	Spec      laws.Spec
	Law       law.Law
	Paper     []float64 // Theorem 2, Theorem 6, or composition
	Sharpened []float64 // selection.RDP: the same theorems with some of their slack taken out
}

// RenyiResult is Figure 2 or 3.
type RenyiResult struct {
	Config RenyiConfig
	Curves []RenyiCurve

	look       renyiLook
	comparison figures.Comparison
}

// renyiLook has the names that differ between Figures 2 and 3.
type renyiLook struct {
	name, title, theorems string
	label                 func(laws.Spec) string
}

func renyi(cfg RenyiConfig, look renyiLook, points []papers.RDPPoint) (RenyiResult, error) {
	if err := cfg.Validate(); err != nil {
		return RenyiResult{}, err
	}
	r := RenyiResult{Config: cfg, look: look, comparison: figures.Comparison{Name: look.name, Title: look.title}}
	var err error
	if r.Curves, err = parallel.Map(len(cfg.Laws), func(i int) (RenyiCurve, error) { return renyiCurve(cfg, cfg.Laws[i]) }); err != nil {
		return r, err
	}
	for _, p := range points {
		row, err := laws.Published(p.Value, p.Law, func(k law.Law) (float64, error) {
			curve, err := paperCurve(k, cfg.Rho)
			if err != nil {
				return 0, err
			}
			return curve(p.Order), nil
		})
		if err != nil {
			return r, err
		}
		row = withSearch(row.Of(fmt.Sprintf(", order %g", p.Order)), p.Law)
		r.comparison.Rows = append(r.comparison.Rows, row.WithoutReference(setupNote(cfg.Rho, papers.Papernot2022.Delta)))
	}
	return r, nil
}

func renyiCurve(cfg RenyiConfig, spec laws.Spec) (RenyiCurve, error) {
	law, err := spec.Family.Law(spec.Mean)
	if err != nil {
		return RenyiCurve{}, err
	}
	paper, err := paperCurve(law, cfg.Rho)
	if err != nil {
		return RenyiCurve{}, err
	}
	sharpened, err := selection.RDP(law, zcdpBase(cfg.Rho))
	if err != nil {
		return RenyiCurve{}, err
	}
	return RenyiCurve{Spec: spec, Law: law, Paper: figures.Map(cfg.Orders, paper), Sharpened: figures.Map(cfg.Orders, sharpened)}, nil
}

// withSearch gives the row of a bound our own error: relative, how far above the least our Theorem
// 6 may lie. Its δ̂ is searched among orders, to 4e-10 at the paper's setup.
func withSearch(row figures.ComparisonRow, law papers.LawID) figures.ComparisonRow {
	const poissonSearch = 2e-9
	if laws.Of(law) == laws.Poisson {
		row.OursErr = poissonSearch * row.Ours
	}
	return row
}

// Compare sets the paper's bound as we compute it next to the closed forms that the paper prints.
func (r RenyiResult) Compare() figures.Comparison { return r.comparison }

// Figure draws the paper's bounds on the left and the sharpened ones on the right.
func (r RenyiResult) Figure() chart.Figure {
	top := 0.0
	for _, c := range r.Curves {
		if c.Spec.Family.Name != "fixed" {
			top = math.Max(top, c.Paper[len(c.Paper)-1])
		}
	}
	panel := func(name, title string, pick func(RenyiCurve) []float64) chart.Chart {
		ch := chart.Chart{
			Name: r.look.name + "-" + name, Title: title,
			XLabel: "Rényi order λ", YLabel: "Rényi divergence bound, nats", YMin: 0, YMax: math.Ceil(1.2 * top),
		}
		for _, c := range r.Curves {
			ch.Curves = append(ch.Curves, chart.Curve{
				Label: r.look.label(c.Spec), X: r.Config.Orders, Y: pick(c), Reference: c.Spec.Family.Name == "fixed" && c.Spec.Mean == 1,
			})
		}
		return ch
	}
	return chart.Panels{
		Name: r.look.name, Title: r.look.title, Columns: 2,
		Charts: []chart.Chart{
			panel("paper", asInThePaper(r.look.theorems, setupNote(r.Config.Rho, papers.Papernot2022.Delta)), func(c RenyiCurve) []float64 { return c.Paper }),
			panel("sharpened", "Sharpened, same assumptions", func(c RenyiCurve) []float64 { return c.Sharpened }),
		},
		Notes: []string{fmt.Sprintf("Each run is %g-zCDP.", r.Config.Rho)},
	}
}

// Table lists, for each law of K, both bounds at the last order and what sharpening takes off over
// the orders. It also has the least order at which naive repetition costs more by the paper's
// bounds.
func (r RenyiResult) Table() figures.Table {
	orders := r.Config.Orders
	last := len(orders) - 1
	t := figures.Table{Name: r.look.name + "-laws", Title: fmt.Sprintf("Bounds at order %g, in nats", orders[last]),
		Columns: []string{"law of K", "the paper's", "sharpened", "sharpening takes off, over all orders"}}
	var naive []RenyiCurve
	for _, c := range r.Curves {
		if c.Spec.Family == laws.Fixed && c.Spec.Mean > 1 {
			naive = append(naive, c)
			t.Columns = append(t.Columns, r.look.label(c.Spec)+" costs more from order")
		}
	}
	for _, c := range r.Curves {
		if c.Spec.Family == laws.Fixed {
			continue
		}
		least, most := c.gain()
		row := []string{r.look.label(c.Spec), fmt.Sprintf("%.3g", c.Paper[last]), fmt.Sprintf("%.3g", c.Sharpened[last]), fmt.Sprintf("%.2g to %.2g", least, most)}
		for _, n := range naive {
			from := "none"
			if at := crossing(orders, c.Paper, orders, n.Paper); !math.IsNaN(at) {
				from = fmt.Sprintf("%.2g", at)
			}
			row = append(row, from)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// gain returns the least and the largest that sharpening takes off. Less than rounding is 0.
func (c RenyiCurve) gain() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i, bound := range c.Paper {
		gain := bound - c.Sharpened[i]
		if math.Abs(gain) <= 1e-12*bound {
			gain = 0
		}
		least, most = math.Min(least, gain), math.Max(most, gain)
	}
	return least, most
}
