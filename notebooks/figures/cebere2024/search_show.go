package cebere2024

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// center is the place of h* = 1/2 among the thresholds.
func (k SearchCurve) center() int { return len(k.Threshold) / 2 }

// best returns what the search of each repetition finds: the largest audit over all h (Algorithm 6).
func (k SearchCurve) best() (found []float64) {
	for repeat := range k.Audits[0] {
		var all []float64
		for _, a := range k.Audits {
			all = append(all, a[repeat])
		}
		found = append(found, slices.Max(all))
	}
	return found
}

// Figure draws over h what the audits say, ε and the total variation, for each σ of Drawn.
func (r SearchResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: "cebere2024-search", Title: "Appendix F: where to put the ridge, two steps", Columns: 3,
		Notes: []string{
			r.auditNote(),
			"h* = 1/2 is the paper's choice. ε and the total variation are numerical estimates.",
		},
	}
	for _, sigma := range r.Config.Drawn {
		p.Charts = append(p.Charts, r.charts(sigma)...)
	}
	return p
}

// charts draws one σ.
func (r SearchResult) charts(sigma float64) []chart.Chart {
	panel := func(name, title, y string) chart.Chart {
		return chart.Chart{Name: fmt.Sprintf("cebere2024-search-sigma%g-%s", sigma, name), Title: fmt.Sprintf("σ = %g, %s", sigma, title), XLabel: "threshold h", YLabel: y}
	}
	audits := panel("audit", "the paper's audit", "ε at δ = "+chart.Scientific(r.Config.Delta))
	epsilon := panel("epsilon", "ε", audits.YLabel)
	variation := panel("variation", "total variation", "relative to one step")
	var top float64
	var line chart.Curve
	for _, k := range r.Curves {
		if k.NoiseMultiplier != sigma {
			continue
		}
		curve := chart.Curve{Label: fmt.Sprintf("B = %d", k.BatchSize), X: k.Threshold, Y: k.Variation}
		variation.Curves = append(variation.Curves, curve)
		curve.Y = k.Epsilon
		epsilon.Curves = append(epsilon.Curves, curve)
		curve.X, curve.Y, curve.Kind = nil, nil, chart.Points
		for i, a := range k.Audits {
			add(&curve, k.Threshold[i], a)
		}
		audits.Curves = append(audits.Curves, curve)
		top = max(top, k.Accountant, slices.Max(slices.Concat(k.Audits...)))
		line = chart.Curve{Label: "accountant", X: []float64{k.Threshold[0], k.Threshold[len(k.Threshold)-1]}, Y: []float64{k.Accountant, k.Accountant}, Reference: true}
	}
	audits.Curves, epsilon.Curves = append(audits.Curves, line), append(epsilon.Curves, line)
	audits.YMax, epsilon.YMax = 1.08*top, 1.08*top
	return []chart.Chart{audits, epsilon, variation}
}

func (r SearchResult) auditNote() string {
	note := fmt.Sprintf("Audits as in the paper: %d games, best threshold on the same scores, nothing corrected, Gaussian trade-off curve assumed", r.Config.Games)
	if r.Config.Repeats > 1 {
		note += fmt.Sprintf("; mean and, as a bar, least and largest of %d", r.Config.Repeats)
	}
	return note + "."
}

// Best draws what the paper's figure sets side by side: the accountant, the audit at h*, and the best of the search.
func (r SearchResult) Best() chart.Panels {
	p := chart.Panels{
		Name: "cebere2024-search-best", Title: "Appendix F: the ridge at h* beside the best of the search, two steps", Columns: 3,
		Notes: []string{r.auditNote(), fmt.Sprintf("The best of the search is the largest of %d audits, of which each has its noise. Points of one σ are drawn side by side.", r.Config.Thresholds)},
	}
	for _, b := range r.Config.BatchSizes {
		line := chart.Curve{Label: "accountant", Kind: chart.Points, Color: 2} // a line would be elsewhere where the points are moved to
		star := chart.Curve{Label: "audit at h*", Kind: chart.Points, Color: 1, Dodge: -1}
		best := chart.Curve{Label: "best of the search", Kind: chart.Points, Color: 3, Dodge: 1}
		for _, k := range r.Curves {
			if k.BatchSize != b {
				continue
			}
			add(&star, k.NoiseMultiplier, k.Audits[k.center()])
			add(&best, k.NoiseMultiplier, k.best())
			line.X, line.Y = append(line.X, k.NoiseMultiplier), append(line.Y, k.Accountant)
		}
		p.Charts = append(p.Charts, chart.Chart{
			Name: fmt.Sprintf("cebere2024-search-best-b%d", b), Title: fmt.Sprintf("B = %d", b),
			XLabel: "noise multiplier σ", YLabel: "ε at δ = " + chart.Scientific(r.Config.Delta), Curves: []chart.Curve{line, star, best},
			XMin: 0, XMax: 1.1 * slices.Max(r.Config.NoiseMultipliers),
		})
	}
	return p
}

// add appends a point with the range of its audits.
func add(c *chart.Curve, x float64, audits []float64) {
	c.X, c.Y = append(c.X, x), append(c.Y, stat.Mean(audits, nil))
	if len(audits) > 1 {
		c.Low, c.High = append(c.Low, slices.Min(audits)), append(c.High, slices.Max(audits))
	}
}

// near is how far from the largest ε a place may be to count as the best.
const near = 0.01

// Compare sets "the optimal threshold classifier" next to where the total variation and ε are largest.
func (r SearchResult) Compare() figures.Comparison {
	var variation, epsilon figures.Cases
	for _, k := range r.Curves {
		star := k.center()
		variation.AddIf(k.Variation[star] == floats.Max(k.Variation))
		epsilon.AddIf(k.Epsilon[star] >= (1-near)*floats.Max(k.Epsilon))
	}
	said := papers.Cebere2024.OptimalThreshold
	first, second := variation.Against(said), epsilon.Against(said)
	first.Quantity += ": total variation"
	second.Quantity += fmt.Sprintf(": ε at δ = %s, within 1 %%", chart.Scientific(r.Config.Delta))
	return figures.Comparison{Name: "cebere2024-search", Title: "Appendix F: is h* = 1/2 the best place?", Rows: []figures.ComparisonRow{first, second}}
}

// Table lists what the ridge at h* says, and the search over all places.
func (r SearchResult) Table() figures.Table {
	t := figures.Table{Name: "cebere2024-search-places", Title: "Appendix F: the ridge at h*, and the places that a search finds, two steps",
		Columns: []string{"σ", "B", "ε at h*", "least over h", "largest", "accountant", "audit at h*", "best of the search", "its places audited again", "single audits above the ε of their place"},
		Notes:   []string{fmt.Sprintf("The best of the search is the largest of %d audits, each with its noise. Audited again: with the games of the other seeds. Means over the seeds.", r.Config.Thresholds)}}
	for _, k := range r.Curves {
		var above figures.Cases
		for j, h := range k.Audits {
			for _, a := range h {
				above.AddIf(a > k.Epsilon[j])
			}
		}
		again := ""
		if r.Config.Repeats > 1 {
			again = fmt.Sprintf("%.3f", k.again())
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(k.NoiseMultiplier), fmt.Sprint(k.BatchSize), fmt.Sprintf("%.3f", k.Epsilon[k.center()]), fmt.Sprintf("%.3f", floats.Min(k.Epsilon)), fmt.Sprintf("%.3f", floats.Max(k.Epsilon)),
			fmt.Sprintf("%.3f", k.Accountant), fmt.Sprintf("%.3f", stat.Mean(k.Audits[k.center()], nil)), fmt.Sprintf("%.3f", stat.Mean(k.best(), nil)), again, fmt.Sprintf("%d of %d", above.Hold, above.Of())})
	}
	return t
}

// again returns what the places that each repetition finds say in the other repetitions, on average: chosen by some games,
// measured with others.
func (k SearchCurve) again() float64 {
	sum, n := 0.0, len(k.Audits[0])
	for repeat := range n {
		best := 0
		for i := range k.Audits {
			if k.Audits[i][repeat] > k.Audits[best][repeat] {
				best = i
			}
		}
		sum += (floats.Sum(k.Audits[best]) - k.Audits[best][repeat]) / float64(n-1)
	}
	return sum / float64(n)
}
