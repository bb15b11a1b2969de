// Package search reproduces Section 3.6 and Figure 7 of Papernot and Steinke (ICLR 2022): a search
// for a learning rate of DP-SGD on MNIST.
//
// Figure7 has the privacy axes, step by step from the published one to the theorems, and the
// accuracies of the authors' file, which is embedded. Trained7 sets accuracies of runs that are
// trained here against the same prices. Formulas are not here but for script.go, which has those of
// the authors' script, slips and all.
//
// It promises nothing to other modules.
package search

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure7Config describes the search of Section 3.6: DP-SGD on MNIST with K random
// learning rates.
type Figure7Config struct {
	NoiseMultiplier float64 `rule:"> 0"`       // σ
	BatchSize       int     `rule:">= 1"`      // expected
	TrainingImages  int     `rule:">= 1"`      // >= BatchSize
	Epochs          int     `rule:">= 1"`      // passes over the data
	Delta           float64 `rule:"in (0, 1)"` // δ of the proper axis; the paper's axis has none
	Families        []laws.Family
	// Means are E[K]. Poisson and fixed laws are drawn at as many means up to 100 only.
	Means []float64 `rule:"> 1; increasing"`
}

// DefaultFigure7 is the setup of Section 3.6 and the laws of the legend.
func DefaultFigure7(points int) Figure7Config {
	setup := papers.Papernot2022.Figure7
	return Figure7Config{
		NoiseMultiplier: setup.NoiseMultiplier,
		BatchSize:       setup.BatchSize,
		TrainingImages:  setup.TrainingImages,
		Epochs:          setup.Epochs,
		Delta:           1e-5,
		Families:        []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(0.5), laws.Poisson},
		Means:           laws.LogSpace(1.1, 1e5, points),
	}
}

// Validate returns every fault, joined.
func (c Figure7Config) Validate() error {
	f := figures.Faults(c)
	f.That(c.TrainingImages >= c.BatchSize, "TrainingImages", c.TrainingImages, "must be at least BatchSize")
	return f.Err()
}

// isPapers reports whether one run is that of the paper.
func (c Figure7Config) isPapers() bool {
	setup := papers.Papernot2022.Figure7
	return c.NoiseMultiplier == setup.NoiseMultiplier && c.BatchSize == setup.BatchSize &&
		c.TrainingImages == setup.TrainingImages && c.Epochs == setup.Epochs
}

// event is one training run.
func (c Figure7Config) event() accounting.SelfComposed {
	return figures.SGD(float64(c.BatchSize)/float64(c.TrainingImages), c.NoiseMultiplier, (c.Epochs*c.TrainingImages+c.BatchSize-1)/c.BatchSize)
}

// Figure7Result has one curve for each family.
type Figure7Result struct {
	Config     Figure7Config
	Steps      int                  // noisy steps of one run
	Base       accounting.Guarantee // of one run, at Delta
	Curves     []SearchCurve
	Accuracies []float64 // behind the figure, sorted

	// Axis has the published points of the published axis, and how they come about.
	Axis []AxisPoint

	example *axisExample // nil if the published axis does not reach it
}

// SearchCurve is the price and the outcome of one family, one value for each mean.
type SearchCurve struct {
	Family   laws.Family
	Means    []float64 // E[K]
	Budget   []float64 // the published axis: least Rényi bound over orders, no δ
	Paper    []float64 // ε at Delta by Theorem 2 or 6
	Least    []float64 // ε at Delta, the least bound that is known
	Accuracy []float64 // expected accuracy of the best run

	laws []law.Law
}

// newSearchCurve returns the prices of a family at delta, around runs of base.
func newSearchCurve(f laws.Family, means []float64, base baserun.Run, delta float64) (SearchCurve, error) {
	n := len(means)
	c := SearchCurve{Family: f, Means: means, Budget: make([]float64, n), Paper: make([]float64, n), Least: make([]float64, n), laws: make([]law.Law, n)}
	return c, parallel.Each(n, func(i int) (err error) {
		if c.laws[i], err = f.Law(means[i]); err != nil {
			return err
		}
		curve, err := laws.TheoremCurve(c.laws[i], base)
		if err != nil {
			return err
		}
		c.Budget[i] = leastDivergence(curve)
		g, err := rdp.NewAccountant().EpsilonOf(curve, delta)
		if err != nil {
			return err
		}
		c.Paper[i] = g.Epsilon.Upper
		price, err := selection.PriceAt(c.laws[i], base, delta)
		if err != nil {
			return err
		}
		c.Least[i] = price.Least().Epsilon
		return nil
	})
}

// Figure7 computes the privacy axes of Figure 7 and, from the authors' accuracies, its outcomes.
// Nothing is trained.
func Figure7(cfg Figure7Config) (Figure7Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure7Result{}, err
	}
	r := Figure7Result{Config: cfg, Steps: cfg.event().Count}
	var err error
	if r.Accuracies, err = parseAccuracies(accuracyFile); err != nil {
		return Figure7Result{}, err
	}
	base, err := baserun.New(cfg.event(), contour.NewAccountant())
	if err != nil {
		return Figure7Result{}, err
	}
	if r.Base, err = contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta); err != nil {
		return Figure7Result{}, err
	}
	for _, f := range cfg.Families {
		c, err := newSearchCurve(f, f.Means(cfg.Means), base, cfg.Delta)
		if err != nil {
			return Figure7Result{}, err
		}
		c.Accuracy = figures.Map(c.laws, func(k law.Law) float64 { return expectedBest(k, r.Accuracies) })
		r.Curves = append(r.Curves, c)
	}
	if err := r.checkAxis(base); err != nil {
		return r, err
	}
	r.example, err = r.findExample(base)
	return r, err
}

// leastDivergence is the published axis of Figure 7. A curve of the theorems is the least bound of
// the orders above. So its value at the lowest order is the least of all.
func leastDivergence(curve rdp.Curve) float64 { return curve(rdp.MinOrder) }

// axisExample is one search that the published axis puts at Budget.
type axisExample struct {
	spec                 laws.Spec
	budget, paper, least float64
}

// findExample takes the first family with a law whose value on the published axis is near 1.25
// times the ε of one run.
func (r Figure7Result) findExample(base baserun.Run) (*axisExample, error) {
	asked := chart.Round(1.25*r.Base.Epsilon.Upper, 1)
	for _, c := range r.Curves {
		last := len(c.Means) - 1
		if last < 1 || asked < c.Budget[0] || asked > c.Budget[last] {
			continue
		}
		mean := math.Max(chart.Round(laws.Interpolate(c.Budget, c.Means, asked), 2), c.Means[0])
		point, err := newSearchCurve(c.Family, []float64{mean}, base, r.Config.Delta)
		if err != nil {
			return nil, err
		}
		return &axisExample{c.Family.WithMean(mean), point.Budget[0], point.Paper[0], point.Least[0]}, nil
	}
	return nil, nil
}

// Figure draws the expected accuracy over the published axis, over ε by the paper's theorems, and
// over ε by the least known bound.
func (r Figure7Result) Figure() chart.Figure {
	sgd := fmt.Sprintf("One run: DP-SGD, σ = %g, expected batch %d of %s, %s steps, Poisson sampling; ε ≤ %.4f at δ = %s.",
		r.Config.NoiseMultiplier, r.Config.BatchSize, chart.Grouped(float64(r.Config.TrainingImages)), chart.Grouped(float64(r.Steps)), r.Base.Epsilon.Upper, chart.Scientific(r.Config.Delta))
	epsilon := "ε at δ = " + chart.Scientific(r.Config.Delta)
	return chart.Panels{
		Name: "papernot2022-figure7", Title: "Figure 7: privacy of the search for a learning rate", Columns: 3,
		Charts: []chart.Chart{
			r.chart("published-axis", "Published axis", "least Rényi bound, no δ", func(c SearchCurve) []float64 { return c.Budget }),
			r.chart("epsilon", "Theorems 2 and 6", epsilon, func(c SearchCurve) []float64 { return c.Paper }),
			r.chart("least", "Least known bound", epsilon, func(c SearchCurve) []float64 { return c.Least }),
		},
		Notes: []string{sgd, "The published axis has no δ, so it cannot be read as ε. Crosses: values of the authors' script, without those of Poisson."},
	}
}

func (r Figure7Result) chart(name, title, xLabel string, price func(SearchCurve) []float64) chart.Chart {
	ch := chart.Chart{
		Name: "papernot2022-figure7-" + name, Title: title, XLabel: xLabel,
		XMin: chart.Round(0.2*r.Base.Epsilon.Upper, 2), XMax: chart.Round(4.2*r.Base.Epsilon.Upper, 2),
		YLabel: "expected accuracy", YMin: 0.85, YMax: 0.97,
	}
	for _, c := range r.Curves {
		ch.Curves = append(ch.Curves, laws.InFrame(price(c), c.Accuracy, ch.XMax, chart.Curve{Label: c.Family.Label(), Color: c.Family.Color()}))
	}
	ch.Curves = append(ch.Curves, figures.Level("non-private search", []float64{ch.XMin, ch.XMax}, papers.Papernot2022.Figure7.NonPrivate.Number))
	if name == "published-axis" {
		ch.Curves = append(ch.Curves, r.marker())
	}
	return ch
}

// marker is the points of the authors' script: its budget, and what it would plot.
func (r Figure7Result) marker() chart.Curve {
	paper := papers.Papernot2022.Figure7
	curve := chart.Curve{Label: "authors' script", Kind: chart.Points, OnTop: true}
	for _, b := range paper.Budgets {
		i := slices.IndexFunc(paper.Accuracies, func(a papers.Papernot2022Accuracy) bool { return a.Gamma == b.Gamma })
		for _, k := range drawnLaws {
			curve.X = append(curve.X, k.budget(b))
			curve.Y = append(curve.Y, k.accuracy(paper.Accuracies[i]))
		}
	}
	return curve
}

// drawnLaws are those of the legend, with their published numbers.
var drawnLaws = []struct {
	eta      float64
	label    string
	budget   func(papers.Papernot2022Budget) float64
	accuracy func(papers.Papernot2022Accuracy) float64
}{
	{0, "logarithmic", func(b papers.Papernot2022Budget) float64 { return b.Logarithmic }, func(a papers.Papernot2022Accuracy) float64 { return a.Logarithmic }},
	{1, "geometric", func(b papers.Papernot2022Budget) float64 { return b.Geometric }, func(a papers.Papernot2022Accuracy) float64 { return a.Geometric }},
	{0.5, "η = 0.5", func(b papers.Papernot2022Budget) float64 { return b.NBHalf }, func(a papers.Papernot2022Accuracy) float64 { return a.NBHalf }},
}

// compared picks the published γ that a table has room for: means from 1.4 to 10,000.
func compared(gamma float64) bool { return slices.Contains([]float64{1e-4, 0.0035, 0.1, 0.5}, gamma) }

// Compare sets the script's formulas as we evaluate them next to the published axis, and
// compares the expected accuracies.
func (r Figure7Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "papernot2022-figure7", Title: "Figure 7: the published axis, and the accuracies"}
	paper := papers.Papernot2022.Figure7
	for _, p := range r.Axis {
		if !compared(p.Gamma) {
			continue
		}
		note := ""
		if !math.IsNaN(p.Theorem) {
			note = fmt.Sprintf("%s over all orders: %.4f", theoremOf(p.Law), p.Theorem)
		}
		v := papers.Value{Quantity: fmt.Sprintf("least Rényi bound, nats, the script's formula at its orders, %s, γ = %g", p.Label, p.Gamma), Number: p.Published, Source: paper.Budgets[0].Source}
		c.Rows = append(c.Rows, figures.Against(v, p.Script).WithNote("%s", note))
	}
	var exact figures.Cases
	for _, p := range r.Axis {
		exact.AddIf(math.Abs(p.Script/p.Published-1) <= 1e-12)
	}
	all := paper.Budgets[0].Source
	all.AbsErr = 0
	c.Rows = append(c.Rows, exact.Against(papers.Value{Quantity: fmt.Sprintf("share of the script's %d values that its formulas give to 12 digits", exact.Of()), Number: 1, Source: all}))
	for _, p := range paper.Accuracies {
		for _, k := range drawnLaws {
			if compared(p.Gamma) {
				v := papers.Value{Quantity: fmt.Sprintf("expected accuracy, %s, γ = %g", k.label, p.Gamma), Number: k.accuracy(p), Source: p.Source}
				c.Rows = append(c.Rows, figures.Against(v, expectedBest(law.TNB{Eta: k.eta, Gamma: p.Gamma}, r.Accuracies)))
			}
		}
	}
	return c
}

// theoremOf names the paper's bound for a law.
func theoremOf(runs law.Law) string {
	if _, ok := runs.(law.Poisson); ok {
		return "Theorem 6"
	}
	return "Theorem 2"
}

// AxisTable takes the published axis from the script's formula to the theorem over all orders, step
// by step.
func (r Figure7Result) AxisTable() figures.Table {
	t := figures.Table{
		Name: "papernot2022-figure7-axis", Title: "Figure 7: the published axis, corrected step by step; least Rényi bound, nats",
		Columns: []string{"law", "γ", "published", "script's formula, evaluated by us", "with ln(1/γ), second slip left", "theorem, script's orders", "theorem, all orders"},
	}
	for _, p := range r.Axis {
		if compared(p.Gamma) {
			t.Rows = append(t.Rows, []string{p.Label, chart.Format(p.Gamma, 0), chart.Places(p.Published, 12), chart.Places(p.Script, 12),
				chart.Places(p.OneSlip, 4), chart.Places(p.AtOrders, 4), chart.Places(p.Theorem, 4)})
		}
	}
	t.Notes = []string{fmt.Sprintf("The script has %d orders and the divergences of one run at them. Its formula for Poisson is Theorem 6, its geometric one Theorem 2.",
		len(papers.Papernot2022.Figure7.Script.Orders))}
	if e := r.example; e != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %.2f on the published axis; at δ = %s ε = %.2f by the paper's theorem and %.2f by the least known bound, that of one run %.2f.",
			e.spec.Label(), e.budget, chart.Scientific(r.Config.Delta), e.paper, e.least, r.Base.Epsilon.Upper))
	}
	if !r.Config.isPapers() {
		t.Notes = append(t.Notes, "The last column is empty: the run of this page is another than the paper's.")
	}
	return t
}
