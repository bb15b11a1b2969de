package papernot2022

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// HowLowConfig asks how low the price of the best of K Gaussian runs can be, at one δ.
type HowLowConfig struct {
	Mu       float64       `rule:"> 0"`       // of one run
	Delta    float64       `rule:"in (0, 1)"` // δ
	Families []laws.Family // a panel each
	Means    []float64     `rule:"> 1; increasing"` // E[K]
	Shown    laws.Spec     // the law whose worst order is drawn
	Cells    int           `rule:"in [10, 1000]"` // outputs of a run in that order
}

// Validate returns every fault, joined.
func (c HowLowConfig) Validate() error { return figures.Faults(c).Err() }

// HowLowPrice is what one law costs.
type HowLowPrice struct {
	Law                     law.Law
	Published, Ours         float64 // the least published bound, NaN if there is none, and the least of all, in nats
	PublishedBy, OursBy     string
	PublishedKnown, OursOwn bool    // there is a published bound; the least is not one
	Attained                float64 // what an order of the outputs leaks: no bound can be lower
}

// Ranked is one output of the worst order.
type Ranked struct {
	Better float64 // chance that a run on the data without the record ranks better
	Loss   float64 // ln of the ratio of its chances with and without the record, in nats
}

// HowLowResult has the prices of each family over its means, and the worst order of one law.
type HowLowResult struct {
	Config HowLowConfig
	Prices [][]HowLowPrice
	Order  []Ranked // from the best rank on
}

// HowLow compares published prices of the best of K Gaussian runs with ours, and with what an order
// of the outputs attains.
func HowLow(cfg HowLowConfig) (HowLowResult, error) {
	if err := cfg.Validate(); err != nil {
		return HowLowResult{}, err
	}
	base, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1 / cfg.Mu})
	if err != nil {
		return HowLowResult{}, err
	}
	base = base.Prepared()
	n := len(cfg.Means)
	all, err := parallel.Map(n*len(cfg.Families), func(k int) (HowLowPrice, error) {
		f := cfg.Families[k/n]
		return howLow(cfg, base, f, f.Means(cfg.Means)[k%n])
	})
	if err != nil {
		return HowLowResult{}, err
	}
	r := HowLowResult{Config: cfg, Prices: slices.Collect(slices.Chunk(all, n))}
	r.Order, err = worstOrder(cfg)
	return r, err
}

func howLow(cfg HowLowConfig, base baserun.Run, family laws.Family, mean float64) (HowLowPrice, error) {
	l, err := family.Law(mean)
	if err != nil {
		return HowLowPrice{}, err
	}
	price, err := selection.PriceAt(l, base, cfg.Delta)
	if err != nil {
		return HowLowPrice{}, err
	}
	least := price.Least()
	out := HowLowPrice{Law: l, Ours: least.Epsilon, OursBy: least.Name, OursOwn: !least.Published, Published: math.NaN()}
	if published, ok := price.LeastPublished(); ok {
		out.Published, out.PublishedBy, out.PublishedKnown = published.Epsilon, published.Name, true
	}
	out.Attained, err = laws.LowerLimit(l, cfg.Mu, cfg.Delta)
	return out, err
}

// worstOrder returns the worst order of the shown law at the ε that it attains.
func worstOrder(cfg HowLowConfig) ([]Ranked, error) {
	l, err := cfg.Shown.Family.Law(cfg.Shown.Mean)
	if err != nil {
		return nil, err
	}
	pair := worstorder.Gaussian(cfg.Mu, cfg.Cells)
	epsilon, err := worstorder.EpsilonAt(l, pair, cfg.Delta)
	if err != nil {
		return nil, err
	}
	order, err := worstorder.Order(l, pair, epsilon)
	if err != nil {
		return nil, fmt.Errorf("papernot2022: worst order of the %v: %w", l, err)
	}
	var out []Ranked
	better := 0.0
	for _, i := range order {
		out = append(out, Ranked{Better: better + pair.Without[i]/2, Loss: math.Log(pair.With[i] / pair.Without[i])})
		better += pair.Without[i]
	}
	return out, nil
}

// defaultHowLow has a run of µ = 1.
func defaultHowLow(points int) HowLowConfig {
	return HowLowConfig{
		Mu: 1, Delta: 1e-5, Families: []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(5), laws.Poisson, laws.Fixed}, Means: laws.LogSpace(1.2, 100, points),
		Shown: laws.TNB(0).WithMean(10), Cells: 160,
	}
}

// Figure draws the prices of each family, and the worst order.
func (r HowLowResult) Figure() chart.Figure {
	p := chart.Panels{Name: "papernot2022-how-low", Title: "How low can the price be? Best of K Gaussian runs", Columns: 3}
	var touching []string
	for i, f := range r.Config.Families {
		panel := r.priceChart(f, r.Prices[i])
		p.Charts = append(p.Charts, panel)
		ours, attained := panel.Curves[1].Y, panel.Curves[2].Y
		if figures.Coincide(ours, attained, slices.Min(attained), slices.Max(ours), false) { // the axis is at least as long
			touching = append(touching, f.Label())
		}
	}
	p.Charts = append(p.Charts, r.orderChart())
	p.Notes = []string{
		fmt.Sprintf("Each run is one Gaussian release with σ = %.4g. ε at δ = %s. Attained: an order of the outputs leaks that much, so no bound can be lower.", 1/r.Config.Mu, chart.Scientific(r.Config.Delta)) + strings.ReplaceAll(touch(touching, len(r.Config.Families)), "limit", "what is attained"),
		fmt.Sprintf("Worst order: for %s, from the best rank (left) on; outputs with a chance below %s of a better rank are left out.", r.Config.Shown.Label(), chart.Scientific(leastShown)),
	}
	return p
}

func (r HowLowResult) priceChart(f laws.Family, prices []HowLowPrice) chart.Chart {
	var means, published, ours, attained []float64
	for _, p := range prices {
		means = append(means, p.Law.Distribution().Mean())
		published, ours, attained = append(published, p.Published), append(ours, p.Ours), append(attained, p.Attained)
	}
	return chart.Chart{
		Name: "papernot2022-how-low-" + strings.ReplaceAll(strings.ReplaceAll(fileName(f), ".", ""), " ", "-"), Title: f.Label(),
		XLabel: "mean number of runs E[K]", YLabel: "ε", XLog: true,
		Curves: []chart.Curve{
			{Label: "published", X: means, Y: published, Color: 2},
			{Label: "ours", X: means, Y: ours, Color: 1},
			{Label: "attained by an order", X: means, Y: attained, OnTop: true},
		},
	}
}

// fileName is the family in a chart's name.
func fileName(f laws.Family) string {
	if f.Name == "tnb" {
		return fmt.Sprintf("tnb-%g", f.Eta)
	}
	return f.Name
}

// leastShown is the least chance of a better rank whose output is drawn.
const leastShown = 1e-12

func (r HowLowResult) orderChart() chart.Chart {
	high, low := chart.Curve{Label: "for the record", Kind: chart.Points, Color: 1}, chart.Curve{Label: "against it", Kind: chart.Points, Color: 2}
	for _, o := range r.Order {
		c := &high
		if o.Loss < 0 {
			c = &low
		}
		if o.Better > leastShown {
			c.X, c.Y = append(c.X, o.Better), append(c.Y, o.Loss)
		}
	}
	return chart.Chart{
		Name: "papernot2022-how-low-order", Title: "The worst order of the outputs",
		XLabel: "chance of a better rank, without the record", YLabel: "privacy loss of the output", XLog: true,
		Curves: []chart.Curve{high, low},
	}
}

// Table lists the prices at the mean nearest to the shown law's.
func (r HowLowResult) Table() figures.Table {
	t := figures.Table{Name: "papernot2022-how-low-table", Title: "ε at δ = " + chart.Scientific(r.Config.Delta),
		Columns: []string{"law", "published", "by", "ours", "by", "attained by an order", "left between",
			"below the least published, at most over E[K]", "above what is attained, at most"},
		Notes: []string{fmt.Sprintf("The worst order for %s turns %d times, up to the middle rank, between outputs for and against the record.", r.Config.Shown.Label(), r.turns())}}
	for i := range r.Config.Families {
		p, gain, gap := r.nearest(i), 0.0, 0.0
		for _, at := range r.Prices[i] {
			gap = math.Max(gap, at.Ours-at.Attained)
			if at.PublishedKnown {
				gain = math.Max(gain, at.Published-at.Ours)
			}
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(p.Law), chart.Places(p.Published, 3), p.PublishedBy, chart.Places(p.Ours, 3), p.OursBy, chart.Places(p.Attained, 3), chart.Places(p.Ours-p.Attained, 3), chart.About(gain, 2), chart.About(gap, 2)})
	}
	return t
}

// nearest returns the price of a family at the mean nearest to the shown one, in ratio.
func (r HowLowResult) nearest(family int) HowLowPrice {
	best := r.Prices[family][0]
	far := func(p HowLowPrice) float64 {
		return math.Abs(math.Log(p.Law.Distribution().Mean() / r.Config.Shown.Mean))
	}
	for _, p := range r.Prices[family] {
		if far(p) < far(best) {
			best = p
		}
	}
	return best
}

// turns counts how often the worst order changes between outputs for and against the record, up to
// the rank that every second run reaches.
func (r HowLowResult) turns() (n int) {
	for i, o := range r.Order {
		if o.Better > 0.5 {
			break
		}
		if i > 0 && (o.Loss >= 0) != (r.Order[i-1].Loss >= 0) {
			n++
		}
	}
	return n
}
