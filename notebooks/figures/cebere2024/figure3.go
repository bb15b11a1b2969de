package cebere2024

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure3 reproduces Figure 3: how much of the first step's ε is left after 25 steps. The loss
// landscape is crafted to keep it. Curves are drawn for the least and the largest σ. For all σ the
// figure has the ratio between the last and the first step. progress reports how many curves are
// done; nil for none.
func Figure3(cfg LandscapeConfig, progress func(done, total int)) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	shown := []float64{cfg.NoiseMultipliers[0]}
	if last := cfg.NoiseMultipliers[len(cfg.NoiseMultipliers)-1]; last != shown[0] {
		shown = append(shown, last)
	}
	r, err := landscapes(cfg, shown, true, progress)
	r.name, r.title = "cebere2024-figure3", "Figure 3: one crafted gradient, a crafted loss landscape"
	return r, err
}

// Figure14 reproduces Figure 14: the curves of all σ. progress is as in Figure3.
func Figure14(cfg LandscapeConfig, progress func(done, total int)) (LandscapeResult, error) {
	if err := cfg.Validate(); err != nil {
		return LandscapeResult{}, err
	}
	r, err := landscapes(cfg, cfg.NoiseMultipliers, false, progress)
	r.name, r.title = "cebere2024-figure14", "Figure 14: ε of the final model over the steps"
	return r, err
}

// Named returns the result under another name, for a second figure in one notebook.
func (r LandscapeResult) Named(name, title string) LandscapeResult {
	r.name, r.title = name, title
	return r
}

// ratios returns last over first for each σ, of what a curve has at each step.
func (r LandscapeResult) ratios(batch int, of func(LandscapeCurve) []float64) []float64 {
	var out []float64
	for _, row := range r.Curves {
		y := of(row[batch])
		out = append(out, y[len(y)-1]/y[0])
	}
	return out
}

func exactEpsilon(c LandscapeCurve) []float64 { return c.EpsilonUpper }

func gaussian(c LandscapeCurve) []float64 { return c.Gaussian }

// Table returns the ratio between the last and the first step, the numbers of Figure 3b, which is a
// heat map: exact, and by the Gaussian reading.
func (r LandscapeResult) Table() figures.Table {
	t := figures.Table{
		Name: r.name + "-ratio", Title: fmt.Sprintf("%s. ε at step %d over ε at step 1: exact (Gaussian reading)", r.title, r.Config.Steps[len(r.Config.Steps)-1]),
		Columns: []string{"σ"},
	}
	for _, b := range r.Config.BatchSizes {
		t.Columns = append(t.Columns, fmt.Sprintf("B = %d", b))
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		cells := []string{fmt.Sprintf("%g", sigma)}
		for b := range r.Config.BatchSizes {
			cells = append(cells, fmt.Sprintf("%.3f (%.3f)", r.ratios(b, exactEpsilon)[i], r.ratios(b, gaussian)[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// Figure draws the exact ε over the steps for each σ shown. Figure 3 has the paper's audits next to
// them, and the ratios of all σ below. The audits of Figure 14 are in AuditPanels.
func (r LandscapeResult) Figure() chart.Figure {
	p := chart.Panels{Name: r.name, Title: r.title, Columns: 2, Notes: r.notes()}
	if !r.overview {
		p.Columns, p.Notes = min(3, len(r.shown)), p.Notes[:1]
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		if !slices.Contains(r.shown, sigma) {
			continue
		}
		p.Charts = append(p.Charts, r.chart(i, "exact", "exact", r.exactCurves(i)))
		if r.overview && len(r.Config.Audited) > 0 {
			p.Charts = append(p.Charts, r.chart(i, "audit", "the paper's audit", r.auditCurves(i)))
		}
	}
	if r.overview {
		p.Charts = append(p.Charts, r.ratioChart("ratio-exact", "ε at the last step / at the first, exact", exactEpsilon),
			r.ratioChart("ratio-gaussian", "the same, Gaussian reading", gaussian))
	}
	return p
}

// AuditPanels draws the paper's audits of each σ shown.
func (r LandscapeResult) AuditPanels() chart.Panels {
	p := chart.Panels{Name: r.name + "-audits", Title: r.title + ", the paper's audit", Columns: min(3, len(r.shown)), Notes: r.notes()}
	for i, sigma := range r.Config.NoiseMultipliers {
		if slices.Contains(r.shown, sigma) {
			p.Charts = append(p.Charts, r.chart(i, "audits", "audit", r.auditCurves(i)))
		}
	}
	return p
}

func (r LandscapeResult) notes() []string {
	notes := []string{fmt.Sprintf("δ = %s, %s. Accountant: only the first step; all others are post-processing.", chart.Scientific(r.Config.Delta), driftWords(r.Config.Drift))}
	above := r.aboveExact(paperBounds, allSteps)
	if above.Of() == 0 {
		return notes
	}
	audits := fmt.Sprintf("Audits as in the paper: %d games, best threshold on the same scores, nothing corrected, Gaussian trade-off curve assumed", r.Config.Games)
	if r.Config.Repeats > 1 {
		audits += fmt.Sprintf("; means, with least and largest of %d as bars at some steps", r.Config.Repeats)
	}
	return append(notes, audits+".", holding(above)+" of them are above the exact ε.")
}

// number writes a δ as on every axis here: 1e-5.
func number(v float64) string { return chart.Format(v, 0) }

func driftWords(d exact.Drift) string {
	switch d {
	case exact.Away:
		return "drift away from the threshold"
	case exact.Toward:
		return "drift toward the threshold"
	}
	return "constant drift"
}

func (r LandscapeResult) chart(i int, suffix, title string, curves []chart.Curve) chart.Chart {
	sigma, last := r.Config.NoiseMultipliers[i], float64(r.Config.Steps[len(r.Config.Steps)-1])
	return chart.Chart{
		Name: fmt.Sprintf("%s-sigma%g-%s", r.name, sigma, suffix), Title: fmt.Sprintf("σ = %g, %s", sigma, title),
		XLabel: "step t", YLabel: "ε at δ = " + chart.Scientific(r.Config.Delta), XMin: 0.5, XMax: last + 0.5, YMin: 0, YMax: 1.12 * r.largest(i),
		Curves: append(curves, figures.Level("accountant", []float64{1, last}, r.Accountant[i])),
	}
}

// largest returns the largest ε that is drawn of one σ: an audit without correction may lie above
// the accountant, and the charts of one σ share their axis.
func (r LandscapeResult) largest(i int) float64 {
	top := r.Accountant[i]
	for _, c := range r.auditCurves(i) {
		for _, drawn := range []chart.Series{c.Y, c.High} {
			for _, y := range drawn {
				top = max(top, y)
			}
		}
	}
	return top
}

func (r LandscapeResult) exactCurves(i int) (out []chart.Curve) {
	for b, c := range r.Curves[i] {
		out = append(out, chart.Curve{Label: fmt.Sprintf("B = %d", c.BatchSize), X: figures.Floats(r.Config.Steps), Y: c.EpsilonUpper, Color: b + 1})
	}
	return out
}

// auditCurves has the audits as the paper does them: means, and bars at a few steps. One audit of
// each step is a row of points.
func (r LandscapeResult) auditCurves(i int) (out []chart.Curve) {
	for b, c := range r.Curves[i] {
		curve := chart.Curve{Label: fmt.Sprintf("B = %d", c.BatchSize), X: figures.Floats(r.Config.Audited), Color: b + 1}
		if r.Config.Repeats == 1 {
			curve.Kind = chart.Points
		}
		out = append(out, figures.MeansAndBars(curve, figures.Map(c.Audits, paperBounds), b, len(r.Curves[i]))...)
	}
	return out
}

// ratioChart is a heat map over σ and B. Its colors end at 1, where nothing is lost.
func (r LandscapeResult) ratioChart(suffix, title string, of func(LandscapeCurve) []float64) chart.Chart {
	ch := chart.Chart{
		Name: r.name + "-" + suffix, Title: title, XLabel: "noise multiplier σ", YLabel: "batch size B", YLog: true, ZLabel: "ratio of ε", ZMax: 1,
	}
	cells := chart.Curve{Kind: chart.Cells}
	for b, batch := range r.Config.BatchSizes {
		for i, ratio := range r.ratios(b, of) {
			cells.X, cells.Y, cells.Z = append(cells.X, r.Config.NoiseMultipliers[i]), append(cells.Y, float64(batch)), append(cells.Z, ratio)
		}
	}
	ch.Curves = []chart.Curve{cells}
	return ch
}

// Bounds returns the table of the audits at the last audited step. It has the exact ε, the paper's
// audit, the same audit with a threshold fixed beforehand, and a bound that assumes nothing.
func (r LandscapeResult) Bounds() figures.Table {
	t := figures.Table{
		Name: r.name + "-bounds", Title: fmt.Sprintf("ε at δ = %s: exact, and audits of %d games", chart.Scientific(r.Config.Delta), r.Config.Games),
		Columns: []string{"σ", "B", "step", "exact ε", "as in the paper: GDP, best threshold", "GDP, threshold h fixed", "no assumption, corrected"},
		Notes:   []string{"A bound above the exact ε is false. Both GDP columns assume that the trade-off curve is Gaussian, which it need not be after the first step."},
	}
	if n := r.Config.Repeats; n > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("Means of %d audits, with least and largest in brackets.", n))
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		for _, c := range r.Curves[i] {
			if len(c.Audits) == 0 {
				continue
			}
			a := c.Audits[len(c.Audits)-1]
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("%g", sigma), fmt.Sprint(c.BatchSize), fmt.Sprint(a.Step), fmt.Sprintf("%.3f", r.exact(c, a)),
				spread(a.GDPUncorrected), spread(a.GDPFixed), spread(a.Corrected),
			})
		}
	}
	return t
}

// exact returns the upper end of the exact ε at the step of an audit.
func (r LandscapeResult) exact(c LandscapeCurve, a LandscapeAudit) float64 {
	return c.EpsilonUpper[slices.Index(r.Config.Steps, a.Step)]
}

// spread writes the mean, and the least and the largest if there is more than one; nothing for
// none.
func spread(x []float64) string {
	switch len(x) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%.3f", x[0])
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", stat.Mean(x, nil), slices.Min(x), slices.Max(x))
}
