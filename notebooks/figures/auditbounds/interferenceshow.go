package auditbounds

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/figures"
)

// gap is how far the mean scores of both worlds are apart, with its standard error, and the standard deviation
// within a world. Without interference the gap is µ and the deviation 1.
func (s InterferenceScores) gap() (gap Mean, deviation float64) {
	in, out := mean(s.Scores.Member), mean(s.Scores.NonMember)
	n, m := float64(len(s.Scores.Member)), float64(len(s.Scores.NonMember))
	squares := in.StdErr*in.StdErr*n*(n-1) + out.StdErr*out.StdErr*m*(m-1) // sums of squares about the means
	return Mean{in.Value - out.Value, math.Hypot(in.StdErr, out.StdErr)}, math.Sqrt(squares / (n + m - 2))
}

// Bounds returns the report of onerun on the scores of trainings with as many canaries, the number of guesses that is best for µ.
func (r Interference) Bounds(s InterferenceScores) (audit.Report, error) {
	return onerun.Bounds(s.Scores, audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence, ExpectedMu: r.Config.Mu(), Seed: 1})
}

// Figure draws the gap of the scores against the number of canaries.
func (r Interference) Figure() chart.Figure {
	var at, gaps, low, high []float64
	for _, s := range r.Done {
		gap, _ := s.gap()
		at, gaps = append(at, float64(s.Canaries)), append(gaps, gap.Value)
		low, high = append(low, gap.Value-2*gap.StdErr), append(high, gap.Value+2*gap.StdErr)
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
		Columns: []string{"canaries of a training", "trainings", "gap of the scores", "deviation", "one-run", "one-run-max", "one-run-fdp", "expected of as many games: rank-two-tail, gdp-auc"},
		Notes:   []string{"one-run and one-run-max assume fair, independent coins; one-run-fdp a Gaussian trade-off too, as gdp-auc does. ± is one standard error."},
	}
	for _, s := range r.Done {
		gap, deviation := s.gap()
		row := []string{fmt.Sprint(s.Canaries), fmt.Sprint(s.Trainings), fmt.Sprintf("%.2f ± %.2f", gap.Value, gap.StdErr), fmt.Sprintf("%.2f", deviation)}
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

// Findings says how much canaries are in each other's way, and what their bounds are beside those of games.
func (r Interference) Findings() []string {
	var apart []string
	for _, s := range r.Done {
		gap, deviation := s.gap()
		text := fmt.Sprintf("m = %d: %.1f %% ± %.1f %% of µ, deviation %.2f", s.Canaries, 100*gap.Value/r.Config.Mu(), 100*gap.StdErr/r.Config.Mu(), deviation)
		if off := (gap.Value - r.Config.Mu()) / gap.StdErr; off < -3 {
			text += " (less than alone, by more than three standard errors)"
		}
		apart = append(apart, text)
	}
	list := []string{"The gap of the scores with m canaries in a training, " + r.Config.network() + ": " + strings.Join(apart, "; ") + "."}
	most := r.Done[0]
	for _, s := range r.Done {
		if s.Canaries*s.Trainings > most.Canaries*most.Trainings {
			most = s
		}
	}
	report, err := r.Bounds(most)
	games, err2 := r.games(most)
	truth, err3 := audit.EpsilonOfMu(r.Config.Mu(), r.Config.Delta)
	if err != nil || err2 != nil || err3 != nil {
		return list
	}
	nothing, _ := report.Bound("one-run-max")
	gaussian, _ := report.Bound("one-run-fdp")
	return append(list, fmt.Sprintf("%d trainings with %d canaries give %d scores. Of the training's ε = %.2f they show %s, and %s if the trade-off is Gaussian. As many games, one training each, are expected to show %.2f, and %.2f if it is Gaussian.",
		most.Trainings, most.Canaries, len(most.Scores.Member)+len(most.Scores.NonMember), truth, audit.FormatLower(nothing.Epsilon), audit.FormatLower(gaussian.Epsilon), games[0], games[1]))
}
