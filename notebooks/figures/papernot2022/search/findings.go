package search

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Findings says whether the script is reproduced, what its slips do, what a point of its axis costs, and which law is best.
func (r Figure7Result) Findings() []string {
	out := []string{r.replica()}
	for _, label := range []string{"logarithmic", "geometric", "η = 0.5"} {
		out = append(out, r.slip(label))
	}
	if e := r.example; e != nil {
		out = append(out, fmt.Sprintf("A search with %s has %.2f on the published axis. At δ = %s it costs ε = %.2f by the paper's theorem and %.2f by the least known bound; one run costs %.2f.",
			e.spec.Label(), e.budget, chart.Scientific(r.Config.Delta), e.paper, e.least, r.Base.Epsilon.Upper))
	}
	if r.Accuracies == nil {
		return append(out, "The authors' file of accuracies is not here: the vertical axis is the mean number of runs, and nothing can be said of accuracies.")
	}
	for _, axis := range r.axes() {
		out = append(out, fmt.Sprintf("The largest expected accuracy of the laws drawn, %s, leads below %g left out: %s.", axis.name, laws.LeastLead, laws.SayLeaders(r.leaders(axis.price), axis.symbol)))
	}
	return out
}

// replica says how many published points the script's formulas give.
func (r Figure7Result) replica() string {
	equal, worst := 0, 0.0
	for _, p := range r.Axis {
		off := math.Abs(p.Script/p.Published - 1)
		worst = math.Max(worst, off)
		if off <= 1e-12 {
			equal++
		}
	}
	return fmt.Sprintf("The script's formulas at its own %d orders and divergences give %d of its %d values to 12 digits (largest relative difference %.1g).",
		len(papers.Papernot2022.Figure7.Script.Orders), equal, len(r.Axis), worst)
}

// slip says how far the script is from Theorem 2 for one law, at the γ where that is most.
func (r Figure7Result) slip(label string) string {
	var most AxisPoint
	for _, p := range r.Axis {
		if p.Label == label && math.Abs(p.AtOrders-p.Script) >= math.Abs(most.AtOrders-most.Script) {
			most = p
		}
	}
	off := most.AtOrders - most.Script
	switch {
	case math.Abs(off) <= 1e-12:
		return fmt.Sprintf("%s: the script's formula is Theorem 2.", label)
	case math.IsNaN(most.OneSlip):
		return fmt.Sprintf("%s: the script is off from Theorem 2 at its orders by at most %.4f, at γ = %g: it has %.4f, the theorem %.4f%s.", label, math.Abs(off), most.Gamma, most.Script, most.AtOrders, allOrders(most))
	}
	return fmt.Sprintf("%s: two slips of opposite sign. At γ = %g the script has %.4f; with ln(1/γ) for ln(1/γ - 1) alone it would have %.4f; with ln(1-γ) in ln E[K] too, which is Theorem 2, %.4f%s.",
		label, most.Gamma, most.Script, most.OneSlip, most.AtOrders, allOrders(most))
}

func allOrders(p AxisPoint) string {
	if math.IsNaN(p.Theorem) {
		return ""
	}
	return fmt.Sprintf("; all orders give %.4f", p.Theorem)
}

type searchAxis struct {
	name, symbol string
	price        func(SearchCurve) []float64
}

func (r Figure7Result) axes() []searchAxis {
	return []searchAxis{
		{"on the published axis", "budget", func(c SearchCurve) []float64 { return c.Budget }},
		{"by the paper's theorems", "ε", func(c SearchCurve) []float64 { return c.Paper }},
		{"by the least known bound", "ε", func(c SearchCurve) []float64 { return c.Least }},
	}
}

// leaders returns which law has the best expected accuracy up to 4.2 times the ε of one run, as drawn.
func (r Figure7Result) leaders(price func(SearchCurve) []float64) []laws.Stretch {
	lo := math.Inf(1)
	var families []laws.Family
	var prices, accuracies [][]float64
	for _, c := range r.Curves {
		families, prices, accuracies = append(families, c.Family), append(prices, price(c)), append(accuracies, c.Accuracy)
		lo = math.Min(lo, price(c)[0])
	}
	return laws.Leaders(families, prices, accuracies, lo, chart.Round(4.2*r.Base.Epsilon.Upper, 2))
}
