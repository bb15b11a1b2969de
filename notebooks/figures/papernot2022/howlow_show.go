package papernot2022

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// Figure draws the prices of each family, and the worst order.
func (r HowLowResult) Figure() chart.Figure {
	p := chart.Panels{Name: "papernot2022-how-low", Title: "How low can the price be? Best of K Gaussian runs", Columns: 3}
	var touching []string
	for i, f := range r.Config.Families {
		panel := r.priceChart(f, r.Prices[i])
		p.Charts = append(p.Charts, panel)
		ours, attained := panel.Curves[1].Y, panel.Curves[2].Y
		if figures.Coincide(ours, attained, slices.Min(attained), slices.Max(ours), false) { // the axis is no shorter
			touching = append(touching, f.Label())
		}
	}
	p.Charts = append(p.Charts, r.orderChart())
	p.Notes = []string{
		fmt.Sprintf("Each run is one Gaussian release with σ = %.4g. ε at δ = %s. Attained: an order of the outputs really leaks that much, so that no bound can be below.", 1/r.Config.Mu, chart.Scientific(r.Config.Delta)) + strings.ReplaceAll(touch(touching, len(r.Config.Families)), "limit", "what is attained"),
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
	high, low := chart.Curve{Label: "tells of the record", Kind: chart.Points, Color: 1}, chart.Curve{Label: "tells against it", Kind: chart.Points, Color: 2}
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
		Notes: []string{fmt.Sprintf("The worst order for %s turns %d times, up to the middle rank, between outputs that tell of the record and outputs that tell against it.", r.Config.Shown.Label(), r.turns())}}
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

// turns counts how often the worst order changes between outputs that tell of the record and outputs
// that tell against it, up to the rank that every second run reaches.
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
