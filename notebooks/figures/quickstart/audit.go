package quickstart

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
)

// Audit has the results from the scores of one step.
type Audit struct {
	NoiseMultiplier float64 // declared
	Exact           float64 // ε of an honest step
	Games           []Game  // the engine as it is, and one that adds less noise than it declares
}

// Game is one audit of one step.
type Game struct {
	Name    string
	Report  audit.Report
	Verdict audit.Verdict // on the claim that the step is a Gaussian of the declared noise
}

// Table lists every lower bound of both engines, and the exact ε of an honest step.
func (r Audit) Table() figures.Table {
	t := figures.Table{
		Name: "quickstart-audit",
		Title: fmt.Sprintf("Lower bounds on ε of one step at δ = %s; σ = %.4f allows ε = %.4f",
			chart.Scientific(r.Games[0].Report.Delta), r.NoiseMultiplier, r.Exact),
		Columns: []string{"bound", "assumes", "confidence", "ceiling", r.Games[0].Name, r.Games[1].Name, "share of the exact ε, " + r.Games[0].Name},
		Notes: []string{
			fmt.Sprintf("%d games each, half with the canary. The first bound was fixed beforehand and is the answer; a bound without confidence chose its threshold on the same scores and proves nothing. %s",
				r.Games[0].Report.Members+r.Games[0].Report.NonMembers, r.Games[0].Report.Together()),
			r.Games[0].Name + ": " + r.Games[0].Verdict.String(),
			r.Games[1].Name + ": " + r.Games[1].Verdict.String(),
		},
	}
	for _, b := range r.Games[0].Report.Ordered() {
		broken, ok := r.Games[1].Report.Bound(b.Name)
		if !ok {
			continue
		}
		confidence := "none"
		if b.Confidence > 0 {
			confidence = fmt.Sprint(b.Confidence)
		}
		t.Rows = append(t.Rows, []string{b.Name, string(b.Assumption), confidence,
			fmt.Sprintf("%.3f", b.Ceiling), audit.FormatLower(b.Epsilon), audit.FormatLower(broken.Epsilon), figures.Percent(b.Epsilon/r.Exact, 0)})
	}
	return t
}

// Figure draws the attack's ROC on an honest step. It has the exact ceiling and those of two
// bounds: one that assumes nothing and one that assumes a Gaussian mechanism.
func (r Audit) Figure() chart.Figure {
	report := r.Games[0].Report
	c := chart.Chart{
		Name: "quickstart-roc", Title: "One step of the engine, attacked",
		XLabel: "false positive rate", YLabel: "true positive rate",
		XLog: true, YLog: true, XMin: leastRate, XMax: 1, YMin: leastRate, YMax: 1,
		Curves: []chart.Curve{
			{Label: "guessing", X: []float64{leastRate, 1}, Y: []float64{leastRate, 1}, Reference: true},
			attack(fmt.Sprintf("attack, %d games", report.Members+report.NonMembers), report.ROC.Hull()),
			ceiling(fmt.Sprintf("exact: µ = 1/σ = %.3f", r.curve().Mu), r.curve()),
		},
		Notes: []string{fmt.Sprintf("Bounds at confidence %g, δ = %s. If a bound is valid, the exact curve exceeds somewhere what any "+
			"smaller ε (or µ) allows; elsewhere it may lie below. The attack's curve may lie above the exact one by chance.", report.Confidence, chart.Scientific(report.Delta))},
	}
	if b, ok := report.Bound("gdp-auc"); ok {
		c.Curves = append(c.Curves, ceiling(fmt.Sprintf("Gaussian assumed: µ >= %.3f", math.Floor(b.Mu*1e3)/1e3), audit.GDP{Mu: b.Mu}))
	}
	if region, ok := r.region(); ok {
		c.Curves = append(c.Curves, ceiling(fmt.Sprintf("nothing assumed: ε >= %.3f", math.Floor(region.Epsilon*1e3)/1e3), region))
	}
	return c
}

// leastRate is where the axes begin.
const leastRate = 1e-3

// rates are the false positive rates of the curves, 20 in each decade.
func rates() []float64 {
	const points = 61
	v := make([]float64, points)
	for i := range v {
		v[i] = leastRate * math.Pow(10, float64(i)/20)
	}
	v[points-1] = 1
	return v
}

// curve is the exact ceiling of an honest step.
func (r Audit) curve() audit.GDP { return audit.GDP{Mu: 1 / r.NoiseMultiplier} }

// region is that of the bound on an honest step that assumes nothing.
func (r Audit) region() (audit.EpsilonDelta, bool) {
	b, ok := r.Games[0].Report.Bound("rank-two-tail")
	return audit.EpsilonDelta{Epsilon: b.Epsilon, Delta: b.Delta}, ok
}

// attack returns the hull at the rates and at its own vertices between them.
func attack(label string, hull audit.ROC) chart.Curve {
	curve := chart.Curve{Label: label, X: rates()}
	for _, v := range hull.FPR {
		if v > leastRate {
			curve.X = append(curve.X, v)
		}
	}
	slices.Sort(curve.X)
	curve.X = slices.Compact(curve.X)
	for _, v := range curve.X {
		curve.Y = append(curve.Y, hull.At(v))
	}
	return curve
}

// ceiling returns the curve of the greatest true positive rates under a claim.
func ceiling(label string, claim audit.Curve) chart.Curve {
	curve := chart.Curve{Label: label, X: rates()}
	for _, v := range curve.X {
		curve.Y = append(curve.Y, claim.TPR(v))
	}
	return curve
}
