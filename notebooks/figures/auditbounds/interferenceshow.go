package auditbounds

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/figures"
)

// gap is how far the mean scores of both worlds are apart, with its standard error, and the standard deviation
// within a world. Without interference the gap is µ and the deviation 1.
func (s InterferenceScores) gap() (gap, stdErr, deviation float64) {
	in, out := figures.EstimateOf(s.Scores.Member), figures.EstimateOf(s.Scores.NonMember)
	n, m := float64(in.N), float64(out.N)
	squares := in.StdDev*in.StdDev*(n-1) + out.StdDev*out.StdDev*(m-1)
	return in.Mean - out.Mean, math.Hypot(in.StdErr(), out.StdErr()), math.Sqrt(squares / (n + m - 2))
}

// Bounds returns the report of onerun on the scores of trainings with as many canaries, the number of guesses that is best for µ.
func (r Interference) Bounds(s InterferenceScores) (audit.Report, error) {
	return onerun.Bounds(s.Scores, audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence, ExpectedMu: r.Config.Mu(), Seed: 1})
}

// Figure draws the gap of the scores against the number of canaries.
func (r Interference) Figure() chart.Figure {
	var at, gaps, low, high []float64
	for _, s := range r.Done {
		gap, stdErr, _ := s.gap()
		at, gaps = append(at, float64(s.Canaries)), append(gaps, gap)
		low, high = append(low, gap-2*stdErr), append(high, gap+2*stdErr)
	}
	most := r.Config.Series[len(r.Config.Series)-1].Canaries
	return chart.Chart{
		Name: "audit-bounds-canaries", Title: "Canaries of one training: what each still shows",
		XLabel: "canaries of one training m", YLabel: "gap of the mean scores", XLog: true, YMin: 0, YMax: 1.6 * r.Config.Mu(),
		Curves: []chart.Curve{
			{Label: r.Config.network() + ", two standard errors", X: at, Y: gaps, Low: low, High: high, Kind: chart.Points},
			{Label: fmt.Sprintf("a canary alone, µ = √T/σ = %.2f", r.Config.Mu()), X: []float64{1, float64(most)}, Y: []float64{r.Config.Mu(), r.Config.Mu()}, Reference: true},
		},
		Notes: []string{fmt.Sprintf("%d steps of %d examples and the canaries, σ = %g, C = %g, learning rate %g.", r.Config.Steps, r.Config.Rows, r.Config.NoiseMultiplier, r.Config.ClipNorm, r.Config.LearningRate)},
	}
}

func (c InterferenceConfig) network() string {
	if c.Network == "convnet" {
		return "ConvNet, 62,006 weights"
	}
	return "network of 7,510 weights"
}

// Table lists what the scores say of ε.
func (r Interference) Table() (figures.Table, error) {
	truth, err := audit.EpsilonOfMu(r.Config.Mu(), r.Config.Delta)
	t := figures.Table{
		Name:    "audit-bounds-canaries-bounds",
		Title:   fmt.Sprintf("Lower bounds on ε at δ = %s from canaries of one training; the training's own is %.2f", chart.Scientific(r.Config.Delta), truth),
		Columns: []string{"canaries of a training", "trainings", "gap of the scores", "of µ", "deviation", "one-run", "one-run-max", "one-run-fdp", "expected of as many games: rank-two-tail, gdp-auc"},
		Notes:   []string{"one-run and one-run-max assume fair, independent coins; one-run-fdp a Gaussian trade-off too, as gdp-auc does. ± is one standard error."},
	}
	for _, s := range r.Done {
		gap, stdErr, deviation := s.gap()
		row := []string{fmt.Sprint(s.Canaries), fmt.Sprint(s.Trainings), figures.PlusMinus(gap, stdErr),
			fmt.Sprintf("%.1f ± %.1f %%", 100*gap/r.Config.Mu(), 100*stdErr/r.Config.Mu()), fmt.Sprintf("%.2f", deviation)}
		report, err := r.Bounds(s)
		if err != nil {
			return t, err
		}
		for _, name := range []string{"one-run", "one-run-max", "one-run-fdp"} {
			b, _ := report.Bound(name)
			row = append(row, audit.FormatLower(b.Epsilon))
		}
		games, err := r.games(s)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f, %.2f", games[0], games[1])))
	}
	return t, err
}

// games returns the bounds to be expected of as many independent games as there are scores.
func (r Interference) games(s InterferenceScores) (expected [2]float64, err error) {
	for i, name := range []string{"rank-two-tail", "gdp-auc"} {
		plan, err := audit.Expect(name, r.Config.Mu(), max(1, s.Canaries*s.Trainings/2), audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence})
		if err != nil {
			return expected, err
		}
		expected[i] = plan.Expected
	}
	return expected, nil
}
