package koskela2023

import (
	"fmt"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figure draws accuracy against ε by the least bounds: searches on all data, and the others.
func (r ProtocolsResult) Figure() chart.Figure {
	c := r.Tuning.Config
	p := chart.Panels{
		Name: c.Name + "-protocols", Title: "All protocols, " + c.Task, Columns: 2,
		Notes: []string{
			fmt.Sprintf("%s; %s. ε by the least known bounds, δ = %s, µ = %g, q = %g; scores of the exponential mechanism and of thresholds are means over %d parts of the data.",
				r.Tuning.Account, r.Tuning.size(), chart.Scientific(c.Delta), c.MeanRepeats, r.Tuning.Bank.TuningRate, r.Tuning.Bank.Parts()),
			"The choice sees one half of the test images, the accuracy is that of the other. The table has what is known of errors.",
		},
	}
	p.Notes = append(p.Notes, r.falls()...)
	one, all, parts := r.Protocols[0], r.Protocols[1:6], r.Protocols[6:]
	for i, list := range [][]Protocol{all, parts} {
		chart := r.Tuning.chart([]string{"on-all-data", "on-parts"}[i], []string{"Searches on all data", "Searches on parts of the data"}[i], "test accuracy")
		for _, protocol := range list {
			chart.Curves = append(chart.Curves, protocol.curve())
		}
		last := one.curve()
		last.Reference = true
		chart.Curves = append(chart.Curves, last)
		p.Charts = append(p.Charts, chart)
	}
	return p
}

// curve is the accuracy over the least known ε.
func (p Protocol) curve() chart.Curve {
	k := chart.Curve{Label: p.Name, X: p.Least}
	for _, a := range p.Accuracy {
		k.Y = append(k.Y, a.Value)
	}
	return k
}

// falls reports where an accuracy falls by more than its errors as ε grows.
func (r ProtocolsResult) falls() []string {
	var curves []chart.Curve
	for _, p := range r.Protocols {
		k := p.curve()
		for _, a := range p.Accuracy {
			low, high := a.ends()
			k.Low, k.High = append(k.Low, low), append(k.High, high)
		}
		curves = append(curves, k)
	}
	return figures.Falls("test accuracy", "ε", r.Tuning.errorsAre(), curves...)
}

// Table lists, at equal ε, what each protocol reaches by published and by the least bounds, and what it computes.
func (r ProtocolsResult) Table() figures.Table {
	t := figures.Table{
		Name: r.Tuning.Config.Name + "-protocols-accuracies", Title: "Test accuracy at equal ε, by published and by the least known bounds",
		Columns: []string{"protocol", "gradients of"},
		Notes:   []string{fmt.Sprintf("Gradients in those of one training on all data, on average. %s Of noisy thresholds, what follows the accuracy is that of the last training. Empty: no trained level of noise on both sides.", r.Tuning.beside())},
	}
	for _, epsilon := range r.Tuning.Config.Epsilons {
		t.Columns = append(t.Columns, "ε = "+short(epsilon)+", published", "ε = "+short(epsilon)+", least")
	}
	for _, p := range r.Protocols {
		row := []string{p.Name, fmt.Sprintf("%.3g trainings", p.Gradients)}
		for i := range r.Tuning.Config.Epsilons {
			row = append(row, p.AtPublished[i].share(), p.AtLeast[i].share())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// share writes an accuracy with its standard error, or with those of each repeat.
func (d Difference) share() string { return d.write("%.2f", " %") }
