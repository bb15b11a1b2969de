package ding2023

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// drawn is what a candidate drawn at random gives, best what the best one does.
func (r RealTaskResult) drawn() float64 { return stat.Mean(r.Trained, nil) }
func (r RealTaskResult) best() float64 {
	return r.Trained[slices.Index(r.Scores, slices.Max(r.Scores))]
}

// Figure draws the candidates, the fidelity of the winners, and the accuracy after training with them.
func (r RealTaskResult) Figure() chart.Figure {
	name := "ding2023-" + r.Bank.Data
	p := chart.Panels{Name: name, Title: "Searches for a learning rate among trained models: " + r.Bank.Data, Columns: 3,
		Notes: []string{
			fmt.Sprintf("%s. σ = %g, γ = %g, %d steps, clip norm %g; k = %d parts; g = %g, δ = %s; %d searches a point.", r.Account,
				r.Bank.Trainings[0].NoiseMultipliers[r.Config.Level], r.Bank.Trainings[0].SamplingRate, r.Bank.Trainings[0].Steps, r.Bank.ClipNorm, r.Bank.Parts(), r.Config.Granularity,
				chart.Scientific(r.Config.Delta), r.Config.Searches),
			"ε is that of the search alone; of Algorithm 1, which has no cap, that of one test. Candidates stand in an order drawn for each search, which takes the first if it finds none. The winner is trained once more, on all data. Band: two standard errors of the searches, not of the trainings.",
		}}
	rates := chart.Series(r.Bank.LearningRates)
	candidates := chart.Chart{Name: name + "-candidates", Title: "Candidates", XLabel: "learning rate η", YLabel: "accuracy", XLog: true, YMin: 0, YMax: 1,
		Curves: []chart.Curve{{Label: "score, one part", X: rates, Y: r.Scores, Color: 2}, {Label: "trained on all data", X: rates, Y: r.Trained, Color: 4}}}
	fidelity := chart.Chart{Name: name + "-fidelity", Title: "Score of the winner over the best", XLabel: "ε", YLabel: "fidelity α", XLog: true, YMin: 0, YMax: 1.05}
	accuracy := chart.Chart{Name: name + "-accuracy", Title: "Training with the winner", XLabel: "ε", YLabel: "test accuracy", XLog: true, YMin: 0, YMax: 1}
	for i, s := range r.Searches {
		color := []int{1, 6, 8}[i]
		fidelity.Curves = append(fidelity.Curves, chart.Curve{Label: s.Name, X: r.Config.Epsilons, Y: s.Fidelity, Color: color})
		accuracy.Curves = append(accuracy.Curves, figures.Means(chart.Curve{Label: s.Name, X: r.Config.Epsilons, Color: color}, s.Accuracy, 2, figures.Estimate.StdErr))
	}
	p.Notes = append(p.Notes, figures.Falls("test accuracy", "ε", "two errors", accuracy.Curves...)...)
	ends := chart.Series{r.Config.Epsilons[0], r.Config.Epsilons[len(r.Config.Epsilons)-1]}
	random := stat.Mean(r.Scores, nil) / slices.Max(r.Scores)
	fidelity.Curves = append(fidelity.Curves, chart.Curve{Label: "a random candidate", X: ends, Y: chart.Series{random, random}, Reference: true})
	for i, y := range []float64{r.drawn(), r.best()} {
		label := []string{"random candidate, and the best", ""}[i]
		accuracy.Curves = append(accuracy.Curves, chart.Curve{Label: label, X: ends, Y: chart.Series{y, y}, Reference: true})
	}
	p.Charts = []chart.Chart{candidates, fidelity, accuracy}
	return p
}

// Table lists accuracies by search and ε.
func (r RealTaskResult) Table() figures.Table {
	t := figures.Table{Name: "ding2023-" + r.Bank.Data + "-accuracies", Title: "Test accuracy of the training with the winner", Columns: []string{"search"},
		Notes: []string{fmt.Sprintf("± one standard error, from %d searches. A random candidate: %.1f %%; the one with the best mean score: %.1f %%.", r.Config.Searches, 100*r.drawn(), 100*r.best())}}
	for _, epsilon := range r.Config.Epsilons {
		t.Columns = append(t.Columns, fmt.Sprintf("ε = %g", epsilon))
	}
	for _, s := range r.Searches {
		row := []string{s.Name}
		for i := range s.Accuracy {
			row = append(row, fmt.Sprintf("%.1f ± %.1f %%", 100*s.Accuracy[i].Mean, 100*s.Accuracy[i].StdErr()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
