package koskela2023

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

// Panels draws accuracy against ε by the least bounds: searches on all data, and the others.
func (r ProtocolsResult) Panels() chart.Panels {
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
		panel := r.Tuning.chart([]string{"on-all-data", "on-parts"}[i], []string{"Searches on all data", "Searches on parts of the data"}[i], "test accuracy")
		for _, protocol := range list {
			panel.Curves = append(panel.Curves, protocol.curve())
		}
		last := one.curve()
		last.Reference = true
		panel.Curves = append(panel.Curves, last)
		p.Charts = append(p.Charts, panel)
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

// Findings says, at each ε, which protocol that needs no knowledge of η has the largest accuracy, and which cannot be told from it.
func (r ProtocolsResult) Findings() (list []string) {
	for _, priced := range []struct {
		name string
		of   func(Protocol) []Difference
	}{{"published bounds", func(p Protocol) []Difference { return p.AtPublished }}, {"the least known bounds", func(p Protocol) []Difference { return p.AtLeast }}} {
		for i, epsilon := range r.Tuning.Config.Epsilons {
			list = append(list, fmt.Sprintf("ε = %s, by %s: %s.", short(epsilon), priced.name, r.ranking(func(p Protocol) Difference { return priced.of(p)[i] })))
		}
	}
	return append(list, bank.Doubt(r.Tuning.Repeats)...)
}

func (r ProtocolsResult) ranking(at func(Protocol) Difference) string {
	best := -1
	for i, p := range r.Protocols {
		if x := at(p).Value; i > 0 && !math.IsNaN(x) && (best < 0 || x > at(r.Protocols[best]).Value) {
			best = i
		}
	}
	if best < 0 {
		return "no protocol has trained levels on both sides"
	}
	top := at(r.Protocols[best])
	var close, absent []string
	for i, p := range r.Protocols {
		x := at(p)
		switch {
		case i == 0 || i == best:
		case math.IsNaN(x.Value):
			absent = append(absent, p.Name)
		case !(top.Value-x.Value > 2*(top.StdErr+x.StdErr)):
			close = append(close, p.Name)
		}
	}
	text := fmt.Sprintf("the largest mean has %s, %s", r.Protocols[best].Name, top.share())
	switch {
	case math.IsNaN(top.StdErr):
		text += "; its error is not known"
	case len(close) > 0:
		text += fmt.Sprintf("; two standard errors of each overlap with those of %s", strings.Join(close, "; "))
	}
	if len(absent) > 0 {
		text += fmt.Sprintf("; not covered: %s", strings.Join(absent, "; "))
	}
	return text
}
