package tuned

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

// colors keep a method's color in all panels; order is that of the legend.
var (
	colors = [methodCount]int{oneRun: 4, variant1: 3, variant2: 2, baseline: 1}
	order  = []int{baseline, variant2, variant1, oneRun}
)

// Figure draws accuracy, noise and the chosen η against the final ε by the paper's bounds, as the
// paper does, and γ and the epochs where there is a choice. The table has our bounds.
func (r TuningResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: r.Config.Name, Title: r.title(), Columns: 3, Sources: []string{r.Account},
		Notes: []string{
			fmt.Sprintf("Trained: %s. %s Lines join the levels of noise that were trained.", r.size(), r.bands()),
			fmt.Sprintf("ε by the paper's bounds, δ = %s, µ = %g, q = %g.", chart.Scientific(r.Config.Delta), r.Config.MeanRepeats, r.Bank.TuningRate),
		},
	}
	p.Notes = append(append(p.Notes, r.falls()...), r.failures()...)
	p.Charts = []chart.Chart{
		r.accuracyChart(),
		r.settingChart("noise", "Noise", "noise multiplier σ, mean", func(s Setting) float64 { return s.NoiseMultiplier }),
		r.settingChart("rate", "Chosen η", "η, geometric mean", func(s Setting) float64 { return s.LearningRate }),
	}
	if r.tuned(func(t bank.Training) float64 { return t.SamplingRate }) {
		p.Charts = append(p.Charts, r.settingChart("sampling", "Chosen γ", "sampling rate γ, mean", func(s Setting) float64 { return s.SamplingRate }))
	}
	if epochs := func(t bank.Training) float64 { return t.SamplingRate * float64(t.Steps) }; r.tuned(epochs) {
		p.Charts = append(p.Charts, r.settingChart("epochs", "Chosen epochs", "epochs γT, mean", func(s Setting) float64 { return s.Epochs }))
	}
	return p
}

// tuned reports whether the trainings differ in a setting by 1 % or more. Table 2 rounds γ.
func (r TuningResult) tuned(of func(bank.Training) float64) bool {
	values := figures.Map(r.Bank.Trainings, of)
	return slices.Max(values) >= 1.01*slices.Min(values)
}

// title has the paper's figures before the task.
func (r TuningResult) title() string {
	if r.Config.Figures == "" {
		return r.Config.Task
	}
	return r.Config.Figures + ": " + r.Config.Task
}

func (r TuningResult) withoutErrors() bool { return math.IsNaN(r.Methods[oneRun].Errors[0].StdErr) }

// bands explains the errors.
func (r TuningResult) bands() string {
	switch {
	case !r.withoutErrors():
		return fmt.Sprintf("Bands: one standard error, by the bootstrap over %d repeats.", r.Repeats)
	case r.Repeats == 1:
		return "One repeat: without errors."
	}
	return fmt.Sprintf("Small markers: each of the %d repeats by itself, too few for an error. The lines pool the repeats, and need not lie between them.", r.Repeats)
}

// falls reports where an accuracy falls by more than its errors as ε grows. If errors are unknown,
// it takes the repeats instead.
func (r TuningResult) falls() []string {
	var curves []chart.Curve
	for _, m := range order {
		method := r.Methods[m]
		curve := chart.Curve{Label: method.Name, X: method.Paper, Y: method.Accuracy}
		for _, a := range method.Errors {
			low, high := a.ends()
			curve.Low, curve.High = append(curve.Low, low), append(curve.High, high)
		}
		curves = append(curves, curve)
	}
	return figures.Falls("test accuracy", "ε", r.errorsAre(), curves...)
}

// manyFailures is the least share of draws that is reported as failed trainings.
const manyFailures = 0.25

// failures reports the level at which the largest share of variant 2's last trainings fails, if
// many do.
func (r TuningResult) failures() []string {
	most, level, small, large := manyFailures, -1, 0.0, 0.0
	for i, c := range r.Choices {
		if below, above := c.failed(len(r.Bank.LearningRates)); below+above >= most {
			most, level, small, large = below+above, i, below, above
		}
	}
	if level < 0 {
		return nil
	}
	text := fmt.Sprintf("At ε = %s the last training of variant 2 fails in %.0f %% of the draws, with η too small in %.0f %%, too large in %.0f %%.",
		figures.Short(r.Methods[variant2].Paper[level]), 100*most, 100*small, 100*large)
	if factor := r.Bank.Scaled(1, bank.All); factor != 1 {
		text += fmt.Sprintf(" Its η is %.3g times that of the tuning.", factor)
	}
	return []string{text + " It fails if its accuracy is nearer to the worst of the grid than to the best."}
}

// errorsAre names the errors of an accuracy.
func (r TuningResult) errorsAre() string {
	if r.withoutErrors() {
		return "repeats differ"
	}
	return "its error"
}

// ends returns the number minus and plus one error, or the least and the largest of the repeats.
// For one repeat they are NaN.
func (d Difference) ends() (low, high float64) {
	if len(d.Each) > 0 {
		return slices.Min(d.Each), slices.Max(d.Each)
	}
	return d.Value - d.StdErr, d.Value + d.StdErr
}

// size writes how much was trained.
func (r TuningResult) size() string {
	examples := "all examples"
	if r.Bank.Examples > 0 {
		examples = chart.Grouped(float64(r.Bank.Examples)) + " examples"
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

func (r TuningResult) accuracyChart() chart.Chart {
	c := r.chart("paper", "Test accuracy", "test accuracy")
	for _, m := range order {
		method := r.Methods[m]
		curve := chart.Curve{Label: method.Name, X: method.Paper, Y: method.Accuracy, Color: colors[m]}
		for _, a := range method.Errors {
			if !math.IsNaN(a.StdErr) {
				curve.Low, curve.High = append(curve.Low, a.Value-a.StdErr), append(curve.High, a.Value+a.StdErr)
			}
		}
		c.Curves = append(c.Curves, curve)
		alone := chart.Curve{Kind: chart.Points, Small: true, Color: colors[m]}
		for s := range method.Errors[0].Each {
			alone.X, alone.Y = append(alone.X, curve.X...), append(alone.Y, figures.Map(method.Errors, func(a Difference) float64 { return a.Each[s] })...)
		}
		if len(alone.X) > 0 {
			c.Curves = append(c.Curves, alone)
		}
	}
	return c
}

func (r TuningResult) settingChart(name, title, label string, of func(Setting) float64) chart.Chart {
	c := r.chart(name, title, label)
	c.YLog = name == "noise" || name == "rate"
	for _, m := range order {
		curve := chart.Curve{Label: r.Methods[m].Name, X: r.Methods[m].Paper, Color: colors[m]}
		for _, s := range r.Methods[m].Settings {
			curve.Y = append(curve.Y, of(s))
		}
		c.Curves = append(c.Curves, curve)
	}
	if name == "rate" {
		c.YMin, c.YMax = decade(c.Curves)
	}
	return c
}

// decade returns the ends of a logarithmic axis that fits the curves and is at least a factor of 10
// long. A shorter one would make much of averages that hardly differ.
func decade(curves []chart.Curve) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, k := range curves {
		low, high = min(low, slices.Min(k.Y)), max(high, slices.Max(k.Y))
	}
	const margin = 1.15
	more := max(margin, math.Sqrt(10*low/high))
	return low / more, high * more
}

// chart has the axis that all panels share.
func (r TuningResult) chart(name, title, label string) chart.Chart {
	return chart.Chart{Name: r.Config.Name + "-" + name, Title: title, XLabel: "final ε at δ = " + chart.Scientific(r.Config.Delta), YLabel: label, XLog: true}
}

// Table lists accuracies at equal ε.
func (r TuningResult) Table() figures.Table {
	t := figures.Table{
		Name: r.Config.Name + "-table", Title: r.Config.Task + ": test accuracy at equal ε",
		Columns: []string{"bounds", "ε", "one run, η known", "variant 1", "variant 2", "baseline", "variant 1 - baseline", "variant 2 - baseline", "variant 1 - 2", "one run - baseline", "baseline, bias"},
		Notes:   []string{fmt.Sprintf("On lines between trained levels of noise; a level is at most %s off the line between its neighbors. %s", points(r.Bend), r.errorNote()), biasNote, r.gradientsAndChoice()},
	}
	for _, list := range []struct {
		name string
		all  []Differences
	}{{"paper's", r.Paper}, {"ours", r.Least}} {
		for _, d := range list.all {
			if !slices.ContainsFunc(d.Accuracy[:], func(a float64) bool { return !math.IsNaN(a) }) {
				continue // no method has levels on both sides
			}
			row := []string{list.name, figures.Short(d.Epsilon)}
			for _, a := range d.Accuracy {
				row = append(row, share(a))
			}
			for _, difference := range d.list() {
				row = append(row, difference.String())
			}
			row = append(row, Difference{Value: d.BaselineBias, StdErr: math.NaN()}.String())
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// biasNote explains the column on the bias of the baseline.
const biasNote = "Bias: what too few stored runs take from the baseline, estimated with normal runs. Without it the differences to the baseline change by as much."

// gradientsAndChoice is about what a method evaluates, and what the choice on test data adds.
func (r TuningResult) gradientsAndChoice() string {
	m, most := r.Methods, 0.0
	for i, seen := range m[baseline].Accuracy {
		most = math.Max(most, seen-r.OnScores[baseline][i])
	}
	text := fmt.Sprintf("Gradients of the baseline: %.3g times those of variant 1, %.3g times those of variant 2. Chosen on one half of the test examples and reported on the other, the baseline's accuracy is at most %s lower, on average over both halves.",
		m[baseline].Gradients/m[variant1].Gradients, m[baseline].Gradients/m[variant2].Gradients, points(most))
	switch {
	case r.Public == 0:
	case r.Public == r.MostPublic:
		text += fmt.Sprintf(" The public network of the features classifies %s of its own test images right.", share(r.Public))
	default:
		text += fmt.Sprintf(" The public networks of the features classify %s to %s of their own test images right: they were trained on machines that round differently.",
			share(r.Public), share(r.MostPublic))
	}
	return text
}

// errorNote explains the errors of differences in the table.
func (r TuningResult) errorNote() string {
	switch {
	case !r.withoutErrors():
		return strings.TrimSpace(fmt.Sprintf("± one standard error, from %d repeats. ", r.Repeats) + bank.Doubt(r.Repeats) + " They miss what no repeat shows, such as a rare choice of another rate.")
	case r.Repeats == 1:
		return "One repeat: without errors."
	}
	return fmt.Sprintf("In brackets: each of the %d repeats by itself, too few for an error. The number before them pools the repeats, and need not lie between them.", r.Repeats)
}

// String writes points of accuracy with one standard error, or with those of each repeat.
func (d Difference) String() string { return d.write("%+.2f", "") }

// write writes the number in hundredths with what is known of its error, then the unit.
func (d Difference) write(format, unit string) string {
	switch {
	case math.IsNaN(d.Value):
		return ""
	case len(d.Each) > 0:
		var each []string
		for _, x := range d.Each {
			each = append(each, fmt.Sprintf(format, 100*x))
		}
		return fmt.Sprintf(format+"%s (%s)", 100*d.Value, unit, strings.Join(each, ", "))
	case math.IsNaN(d.StdErr):
		return fmt.Sprintf(format+"%s", 100*d.Value, unit)
	}
	return fmt.Sprintf(format+" ± %.2f%s", 100*d.Value, 100*d.StdErr, unit)
}

func share(a float64) string {
	if math.IsNaN(a) {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100*a)
}

func points(share float64) string { return fmt.Sprintf("%.2f points", 100*share) }
