package search

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure draws accuracy against ε, by the paper's theorems and by the least known bound, and
// against the learning rate.
func (r Trained7Result) Figure() chart.Figure {
	t := r.Bank.Trainings[0]
	p := chart.Panels{
		Name: r.Config.Name, Title: "Figure 7, trained here: " + r.task(), Columns: 3, Sources: []string{r.Account},
		Notes: []string{
			fmt.Sprintf("%s of each of %d learning rates. %s", runs(r.Repeats*r.Bank.Runs), len(r.Bank.LearningRates), r.bands()),
			fmt.Sprintf("One run: σ = %g, γ = %.5g, %d steps, clip norm %g; ε ≤ %.4f at δ = %s. The choice sees the test accuracy, as in the paper. "+
				"Poisson laws of small means, which often make no run, go on below.",
				t.NoiseMultipliers[0], t.SamplingRate, t.Steps, r.Bank.ClipNorm, r.Base, chart.Scientific(r.Config.Delta)),
		},
	}
	p.Charts = []chart.Chart{
		r.accuracyChart("paper", "Theorems 2 and 6", func(c TrainedCurve) []float64 { return c.Paper }),
		r.accuracyChart("least", "Least known bound", func(c TrainedCurve) []float64 { return c.Least }),
		r.rateChart(),
	}
	p.Notes = append(p.Notes, figures.Falls("expected accuracy", "ε", "its error", p.Charts[0].Curves...)...)
	return p
}

// runs returns a number of runs in words.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// bands explains the bands of a figure.
func (r Trained7Result) bands() string {
	if math.IsNaN(r.ByRate[0].StdErr) {
		return "That is too few for bands."
	}
	return "Bands: one standard error, by the bootstrap."
}

// errors explains those of a table.
func (r Trained7Result) errors(how string) string {
	if math.IsNaN(r.ByRate[0].StdErr) {
		return "Too few runs for errors."
	}
	return "± one standard error" + how + "."
}

func (r Trained7Result) task() string {
	return map[string]string{"mnist": "MNIST", "digits": "the embedded digits"}[r.Bank.Data] + ", " +
		map[string]string{"mlp": "784-120-120-10, tanh", "mnist-cnn": "26,010 weights, tanh", "all-conv": "all-convolutional, 102,570 weights", "digits-mlp": "64-32-10, tanh"}[r.Bank.Model]
}

func (r Trained7Result) accuracyChart(name, title string, price func(TrainedCurve) []float64) chart.Chart {
	ch := chart.Chart{
		Name: "papernot2022-figure7-trained-" + name, Title: title, XLabel: "ε at δ = " + chart.Scientific(r.Config.Delta), YLabel: "expected accuracy",
		XMin: chart.Round(0.8*r.Base, 2), XMax: chart.Round(4.2*r.Base, 2),
	}
	if worth := r.Known - r.Drawn; worth > 0 { // what is far below a drawn rate is of laws that often make no run
		ch.YMin, ch.YMax = chart.Round(r.Drawn-worth/2, 3), chart.Round(r.Known+worth/4, 3)
	}
	for _, c := range r.Curves {
		curve := chart.Curve{Label: c.Family.Label(), Color: c.Family.Color(), X: price(c), Y: c.Accuracy}
		curve.Low, curve.High = band(c.Accuracy, c.StdErr)
		ch.Curves = append(ch.Curves, curve)
	}
	ends := []float64{ch.XMin, ch.XMax}
	ch.Curves = append(ch.Curves, figures.Level("one run, best rate known", ends, r.Known), figures.Level("one run, rate drawn", ends, r.Drawn))
	return ch
}

func (r Trained7Result) rateChart() chart.Chart {
	curve := chart.Curve{Label: "mean of the runs", Kind: chart.Points}
	var errs []float64
	for _, a := range r.ByRate {
		curve.X, curve.Y, errs = append(curve.X, a.LearningRate), append(curve.Y, a.Mean), append(errs, a.StdErr)
	}
	curve.Low, curve.High = band(curve.Y, errs)
	return chart.Chart{Name: r.Config.Name + "-rates", Title: "Learning rates", XLabel: "learning rate η", YLabel: "test accuracy", XLog: true, Curves: []chart.Curve{curve}}
}

// band is one error on both sides; none where errors are not known.
func band(y, errs []float64) (low, high chart.Series) {
	for i := range y {
		if math.IsNaN(errs[i]) {
			return nil, nil
		}
		low, high = append(low, y[i]-errs[i]), append(high, y[i]+errs[i])
	}
	return low, high
}

// Compare sets expected accuracies next to those that follow from the authors' file, which is of
// another network and has 400 learning rates with one run each. Rows of another setup have no
// reference.
func (r Trained7Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: r.Config.Name, Title: "Figure 7: expected accuracies, trained here and by the authors"}
	why := ""
	if !r.paperSetup() {
		why = "the settings are not the paper's"
	}
	for _, p := range r.published {
		row := figures.Against(p.paper, p.ours.Value).WithNote("another network: %s", r.task())
		if !math.IsNaN(p.ours.StdErr) {
			row.OursErr = 2 * p.ours.StdErr
		}
		c.Rows = append(c.Rows, row.WithoutReference(why))
	}
	return c
}

// Table lists accuracies at equal ε.
func (r Trained7Result) Table() figures.Table {
	t := figures.Table{
		Name: r.Config.Name + "-accuracies", Title: "Figure 7, trained here: expected accuracy at equal ε", Columns: []string{"K"},
		Notes: []string{"On lines between the means that are drawn. " + r.errors(", by the bootstrap") + " Empty: beyond the means."},
	}
	most := 0.0
	for i, c := range r.Curves {
		for k, accuracy := range c.Accuracy {
			most = math.Max(most, accuracy-r.OnScores[i][k])
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("One run with a drawn learning rate: %s; with the best one: %s. Chosen on one half of the images and reported on the other, accuracies are lower by at most %.2f points, on average over both halves.",
		figures.Percent(r.Drawn, 2), figures.Percent(r.Known, 2), 100*most))
	least := 0.0
	for _, list := range r.Bias {
		least = min(least, slices.Min(list))
	}
	if !math.IsNaN(least) {
		t.Notes = append(t.Notes, fmt.Sprintf("The best of K runs out of the few that are stored is worse than the best of K new runs: by up to %.2f points at the means that are drawn, estimated with normal runs.", -100*least))
	}
	if doubt := bank.Doubt(r.Repeats * r.Bank.Runs); doubt != "" {
		t.Notes = append(t.Notes, doubt)
	}
	r.fillTable(&t, r.Curves, func(c TrainedCurve, i int) []string {
		return []string{c.PaperAt[i].text("%.2f", " %"), c.LeastAt[i].text("%.2f", " %")}
	})
	return t
}

// fillTable adds a row for each curve, with two columns for each ε that is compared.
func (r Trained7Result) fillTable(t *figures.Table, curves []TrainedCurve, cells func(c TrainedCurve, i int) []string) {
	for _, epsilon := range r.Compared {
		at := "ε = " + chart.Format(epsilon, 0)
		t.Columns = append(t.Columns, at+", theorems", at+", least")
	}
	for _, c := range curves {
		row := []string{c.Family.Label()}
		for i := range r.Compared {
			row = append(row, cells(c, i)...)
		}
		t.Rows = append(t.Rows, row)
	}
}

// text writes hundredths with their error and the unit; nothing for NaN.
func (x Lead) text(format, unit string) string {
	switch {
	case math.IsNaN(x.Value):
		return ""
	case math.IsNaN(x.StdErr):
		return fmt.Sprintf(format+"%s", 100*x.Value, unit)
	}
	return fmt.Sprintf(format+" ± %.2f%s", 100*x.Value, 100*x.StdErr, unit)
}

// Leads lists by how many points of accuracy each law is above the first, at equal ε.
func (r Trained7Result) Leads() figures.Table {
	t := figures.Table{
		Name: r.Config.Name + "-leads", Title: "Points of expected accuracy above " + r.Curves[0].Family.Label() + ", at equal ε", Columns: []string{"K"},
		Notes: []string{r.errors(" of the difference") + " Empty: beyond the means."},
	}
	r.fillTable(&t, r.Curves[1:], func(c TrainedCurve, i int) []string {
		return []string{c.PaperLead[i].text("%+.2f", ""), c.LeastLead[i].text("%+.2f", "")}
	})
	return t
}
