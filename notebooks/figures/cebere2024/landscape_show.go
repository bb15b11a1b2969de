package cebere2024

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
)

// Panels draws the exact ε over the steps for each σ shown. Figure 3 has the paper's audits
// beside them, and the ratios of all σ below; Figure 14 has the audits in a figure of their
// own, AuditPanels.
func (r LandscapeResult) Panels() figures.Panels {
	p := figures.Panels{Name: r.name, Title: r.title, Columns: 2, Notes: r.notes()}
	overview := len(r.shown) < len(r.Config.NoiseMultipliers)
	if !overview {
		p.Columns, p.Notes = min(3, len(r.shown)), p.Notes[:1]
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		if !slices.Contains(r.shown, sigma) {
			continue
		}
		p.Charts = append(p.Charts, r.chart(i, "exact", "exact", r.exactCurves(i)))
		if overview && len(r.Config.Audited) > 0 {
			p.Charts = append(p.Charts, r.chart(i, "audit", "the paper's audit", r.auditCurves(i)))
		}
	}
	if overview {
		p.Charts = append(p.Charts, r.ratioChart("ratio-exact", "ε at the last step / at the first, exact", exactEpsilon),
			r.ratioChart("ratio-gaussian", "the same, Gaussian reading", gaussian))
	}
	return p
}

// AuditPanels draws the paper's audits of each σ shown.
func (r LandscapeResult) AuditPanels() figures.Panels {
	p := figures.Panels{Name: r.name + "-audits", Title: r.title + ", the paper's audit", Columns: min(3, len(r.shown)), Notes: r.notes()}
	for i, sigma := range r.Config.NoiseMultipliers {
		if slices.Contains(r.shown, sigma) {
			p.Charts = append(p.Charts, r.chart(i, "audits", "audit", r.auditCurves(i)))
		}
	}
	return p
}

func (r LandscapeResult) notes() []string {
	audits := fmt.Sprintf("Audits as in the paper: %d games, best threshold on the same scores, Gaussian trade-off curve assumed", r.Config.Games)
	if r.Config.Repeats > 1 {
		audits += fmt.Sprintf("; mean of %d", r.Config.Repeats)
	}
	return []string{
		fmt.Sprintf("δ = %g, drift %s the threshold. Accountant: the first step alone; all others are post-processing.", r.Config.Delta, preposition(r.Config.Drift)),
		audits + ".",
	}
}

// preposition fits "drift ... the threshold".
func preposition(d exact.Drift) string {
	if d == exact.Away {
		return "away from"
	}
	return d.String()
}

func (r LandscapeResult) chart(i int, suffix, title string, curves []figures.Curve) figures.Chart {
	sigma, last := r.Config.NoiseMultipliers[i], float64(r.Config.Steps[len(r.Config.Steps)-1])
	line := figures.Curve{Label: "accountant", X: []float64{1, last}, Y: []float64{r.Accountant[i], r.Accountant[i]}, Reference: true}
	return figures.Chart{
		Name: fmt.Sprintf("%s-sigma%g-%s", r.name, sigma, suffix), Title: fmt.Sprintf("σ = %g, %s", sigma, title),
		XLabel: "step t", YLabel: fmt.Sprintf("ε at δ = %g", r.Config.Delta), XMin: 0.5, XMax: last + 0.5, YMin: 0, YMax: 1.12 * r.largest(i),
		Curves: append(curves, line),
	}
}

// largest returns the largest ε of one σ in any chart: an audit without correction may lie
// above the accountant, and the charts of one σ share their axis.
func (r LandscapeResult) largest(i int) float64 {
	top := r.Accountant[i]
	for _, curve := range r.auditCurves(i) {
		top = slices.Max(append(curve.Y, top))
	}
	return top
}

func (r LandscapeResult) exactCurves(i int) (out []figures.Curve) {
	for b, c := range r.Curves[i] {
		out = append(out, figures.Curve{Label: fmt.Sprintf("B = %d", c.BatchSize), X: numbers(r.Config.Steps), Y: c.EpsilonUpper, Color: b + 1})
	}
	return out
}

// auditCurves has the audits as the paper does them.
func (r LandscapeResult) auditCurves(i int) (out []figures.Curve) {
	for b, c := range r.Curves[i] {
		out = append(out, figures.Curve{Label: fmt.Sprintf("B = %d", c.BatchSize), X: numbers(r.Config.Audited), Y: c.audits(func(a LandscapeAudit) float64 { return a.GDPUncorrected }), Color: b + 1})
	}
	return out
}

func (c LandscapeCurve) audits(of func(LandscapeAudit) float64) (y []float64) {
	for _, a := range c.Audits {
		y = append(y, of(a))
	}
	return y
}

func (r LandscapeResult) ratioChart(suffix, title string, of func(LandscapeCurve) []float64) figures.Chart {
	ch := figures.Chart{
		Name: r.name + "-" + suffix, Title: title, XLabel: "noise multiplier σ",
		YLabel: "ratio of ε", YMin: 0, YMax: 1.1,
	}
	for b, batch := range r.Config.BatchSizes {
		ch.Curves = append(ch.Curves, figures.Curve{Label: fmt.Sprintf("B = %d", batch), X: r.Config.NoiseMultipliers, Y: r.ratios(b, of), Color: b + 1})
	}
	return ch
}

func numbers(steps []int) (out []float64) {
	for _, t := range steps {
		out = append(out, float64(t))
	}
	return out
}

// Bounds returns the table of the audits at the last audited step: what is true, what the
// paper's audit says, what the same audit says with a threshold fixed beforehand, and what
// follows without an assumption.
func (r LandscapeResult) Bounds() figures.Table {
	t := figures.Table{
		Name: r.name + "-bounds", Title: fmt.Sprintf("ε at δ = %g: exact, and audits of %d games", r.Config.Delta, r.Config.Games),
		Columns: []string{"σ", "B", "step", "exact ε", "as in the paper: GDP, best threshold", "GDP, threshold h fixed", "no assumption, corrected"},
		Notes:   []string{"A bound above the exact ε is false. Both GDP columns assume that the trade-off curve is Gaussian; it is not."},
	}
	for i, sigma := range r.Config.NoiseMultipliers {
		if !slices.Contains(r.shown, sigma) {
			continue
		}
		for _, c := range r.Curves[i] {
			if len(c.Audits) == 0 {
				continue
			}
			a := c.Audits[len(c.Audits)-1]
			exact := c.EpsilonUpper[slices.Index(r.Config.Steps, a.Step)]
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("%g", sigma), fmt.Sprint(c.BatchSize), fmt.Sprint(a.Step), fmt.Sprintf("%.4f", exact),
				fmt.Sprintf("%.4f", a.GDPUncorrected), fmt.Sprintf("%.4f", a.GDPFixed), fmt.Sprintf("%.4f", a.Corrected),
			})
		}
	}
	return t
}
