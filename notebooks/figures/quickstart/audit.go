package quickstart

import (
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
)

// Audit is what the scores of one step say.
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

// Table lists every lower bound of both engines beside the exact ε of an honest step.
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
