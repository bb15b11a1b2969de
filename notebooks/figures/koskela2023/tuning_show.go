package koskela2023

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

// colors keep a method's color in all panels; order is that of the legend.
var (
	colors = [methodCount]int{oneRun: 4, variant1: 3, variant2: 2, baseline: 1}
	order  = []int{baseline, variant2, variant1, oneRun}
)

// Panels draws accuracy by the paper's bounds and by ours, and what was chosen, against the final ε.
func (r TuningResult) Panels() figures.Panels {
	p := figures.Panels{
		Name: r.Config.Name, Title: r.Config.Task, Columns: 2,
		Notes: []string{
			fmt.Sprintf("%s; %s. %s Lines join the levels of noise that were trained.", r.Account, r.size(), r.bands()),
			fmt.Sprintf("δ = %s, µ = %g, q = %g, K from a Poisson law. The choice sees the test accuracy, as in the paper. Paper's bounds at the integer orders 2 to %d.",
				figures.Scientific(r.Config.Delta), r.Config.MeanRepeats, r.Bank.TuningRate, r.Config.MaxOrder),
		},
	}
	paper := func(m Method) []float64 { return m.Paper }
	p.Charts = []figures.Chart{
		r.accuracyChart("paper", "by the paper's bounds", paper),
		r.accuracyChart("least", "by our bounds", func(m Method) []float64 { return m.Least }),
		r.settingChart("noise", "noise multiplier σ, mean", func(s Setting) float64 { return s.NoiseMultiplier }),
		r.settingChart("rate", "learning rate η, geometric mean", func(s Setting) float64 { return s.LearningRate }),
	}
	if len(r.Bank.Trainings) > 1 {
		p.Charts = append(p.Charts,
			r.settingChart("sampling", "sampling rate γ, mean", func(s Setting) float64 { return s.SamplingRate }),
			r.settingChart("epochs", "epochs γT, mean", func(s Setting) float64 { return s.Epochs }))
	}
	return p
}

func (r TuningResult) withoutErrors() bool { return math.IsNaN(r.Methods[oneRun].StdErr[0]) }

// bands says what the errors are.
func (r TuningResult) bands() string {
	if r.withoutErrors() {
		return "One run of each point: without errors."
	}
	return "Bands: one standard error, by the bootstrap."
}

// size says how much was trained.
func (r TuningResult) size() string {
	examples := "all examples"
	if r.Bank.Examples > 0 {
		examples = figures.Grouped(float64(r.Bank.Examples)) + " examples"
	}
	if r.Bank.Data == "imdb-5000" {
		examples += " in 5,000 words"
	}
	grid := fmt.Sprintf("%d learning rates", len(r.Bank.LearningRates))
	if n := len(r.Bank.Trainings); n > 1 {
		grid += fmt.Sprintf(", %d pairs of γ and epochs", n)
	}
	return fmt.Sprintf("%s, %s; repeats %d, runs of each point %d", examples, grid, r.Repeats, r.Bank.Runs)
}

func (r TuningResult) accuracyChart(name, title string, price func(Method) []float64) figures.Chart {
	c := r.chart(name, "Test accuracy, "+title, "test accuracy")
	for _, m := range order {
		method := r.Methods[m]
		curve := figures.Curve{Label: method.Name, X: price(method), Y: method.Accuracy, Color: colors[m]}
		if !math.IsNaN(method.StdErr[0]) {
			for i, y := range method.Accuracy {
				curve.Low, curve.High = append(curve.Low, y-method.StdErr[i]), append(curve.High, y+method.StdErr[i])
			}
		}
		c.Curves = append(c.Curves, curve)
	}
	return c
}

func (r TuningResult) settingChart(name, label string, of func(Setting) float64) figures.Chart {
	c := r.chart(name, "Chosen, by the paper's bounds", label)
	c.YLog = name == "noise" || name == "rate"
	if rates := r.Bank.LearningRates; name == "rate" { // the grid, with room for its ends
		c.YMin, c.YMax = rates[0]/1.5, 1.5*rates[len(rates)-1]
	}
	for _, m := range order {
		curve := figures.Curve{Label: r.Methods[m].Name, X: r.Methods[m].Paper, Color: colors[m]}
		for _, s := range r.Methods[m].Settings {
			curve.Y = append(curve.Y, of(s))
		}
		c.Curves = append(c.Curves, curve)
	}
	return c
}

// chart has the axis that all panels share: ε in the range where the baseline and one run are both there.
func (r TuningResult) chart(name, title, label string) figures.Chart {
	return figures.Chart{Name: r.Config.Name + "-" + name, Title: title, XLabel: "final " + epsilonAt(r.Config.Delta), YLabel: label, XLog: true,
		XMin: r.Config.Epsilons[0] / 2, XMax: 2 * r.Config.Epsilons[len(r.Config.Epsilons)-1]}
}

// Table lists accuracies at equal ε.
func (r TuningResult) Table() figures.Table {
	t := figures.Table{
		Name: r.Config.Name + "-table", Title: r.Config.Task + ": test accuracy at equal ε",
		Columns: []string{"bounds", "ε", "one run, η known", "variant 1", "variant 2", "baseline", "variant 1 - baseline", "variant 2 - baseline", "variant 1 - 2", "one run - baseline"},
		Notes:   []string{fmt.Sprintf("On lines between trained levels of noise; a level is at most %s off the line between its neighbors. ± one standard error.", points(r.Bend))},
	}
	for _, list := range []struct {
		name string
		all  []Differences
	}{{"paper's", r.Paper}, {"ours", r.Least}} {
		for _, d := range list.all {
			if !slices.ContainsFunc(d.Accuracy[:], func(a float64) bool { return !math.IsNaN(a) }) {
				continue // no method has levels on both sides
			}
			row := []string{list.name, short(d.Epsilon)}
			for _, a := range d.Accuracy {
				row = append(row, share(a))
			}
			for _, difference := range d.list() {
				row = append(row, difference.String())
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// Findings says at which ε the methods differ by more than two standard errors, and what the choice on test data adds.
func (r TuningResult) Findings() []string {
	var list []string
	for _, priced := range []struct {
		name string
		all  []Differences
	}{{"the paper's bounds", r.Paper}, {"our bounds", r.Least}} {
		for _, question := range []struct {
			what string
			of   func(Differences) Difference
		}{
			{"variant 1 against the baseline", func(d Differences) Difference { return d.OverBaseline1 }},
			{"variant 2 against the baseline", func(d Differences) Difference { return d.OverBaseline2 }},
			{"variant 1 against variant 2", func(d Differences) Difference { return d.Variants }},
		} {
			list = append(list, fmt.Sprintf("By %s, %s, in points of accuracy: %s.", priced.name, question.what, saidAt(priced.all, question.of)))
		}
	}
	m := r.Methods
	list = append(list, fmt.Sprintf("The baseline evaluates %.3g times the gradients of variant 1 and %.3g times those of variant 2.",
		m[baseline].Gradients/m[variant1].Gradients, m[baseline].Gradients/m[variant2].Gradients))
	most := math.Inf(-1)
	for i, seen := range m[baseline].Accuracy {
		most = math.Max(most, seen-r.OnScores[baseline][i])
	}
	list = append(list, bank.Doubt(r.Repeats)...)
	if r.withoutErrors() {
		list = append(list, "One run of each point has no errors: no order of the methods is shown by this.")
	}
	if r.Public > 0 {
		list = append(list, fmt.Sprintf("The network of the features, trained without privacy on public images of other classes, gets %s of its own test images right.", share(r.Public)))
	}
	return append(list, fmt.Sprintf("The baseline reports the accuracy on the examples by which it chose. Chosen on one half of them and reported on the other it would be lower %s.", byUpTo(most)))
}

// byUpTo says how much lower an accuracy is at most, over the levels.
func byUpTo(most float64) string {
	if most <= 0 {
		return "at no level of noise"
	}
	return "by up to " + points(most)
}

// saidAt lists differences by ε, and says which are within two standard errors.
func saidAt(all []Differences, of func(Differences) Difference) (text string) {
	for i, d := range all {
		if i > 0 {
			text += "; "
		}
		x := of(d)
		switch {
		case math.IsNaN(x.Value):
			text += fmt.Sprintf("ε = %s: not covered", short(d.Epsilon))
		case math.IsNaN(x.StdErr):
			text += fmt.Sprintf("ε = %s: %v, error not known", short(d.Epsilon), x)
		case math.Abs(x.Value) <= 2*x.StdErr:
			text += fmt.Sprintf("ε = %s: %v, not resolved", short(d.Epsilon), x)
		default:
			text += fmt.Sprintf("ε = %s: %v", short(d.Epsilon), x)
		}
	}
	return text
}

// String writes points of accuracy with one standard error.
func (d Difference) String() string {
	switch {
	case math.IsNaN(d.Value):
		return ""
	case math.IsNaN(d.StdErr):
		return fmt.Sprintf("%+.2f", 100*d.Value)
	}
	return fmt.Sprintf("%+.2f ± %.2f", 100*d.Value, d.StdErr*100)
}

func share(a float64) string {
	if math.IsNaN(a) {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100*a)
}

func points(share float64) string { return fmt.Sprintf("%.2f points", 100*share) }
