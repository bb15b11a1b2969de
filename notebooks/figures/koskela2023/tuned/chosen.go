package tuned

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// ChosenResult has the noise and the chosen settings of all stored experiments.
type ChosenResult struct{ all []TuningResult }

// Chosen evaluates the choices of each method on the stored runs, at the ε by the paper's bounds.
// The choice sees the test accuracy, as in the paper.
func Chosen() (ChosenResult, error) {
	list := slices.Concat(compared...)
	r := ChosenResult{make([]TuningResult, len(list))}
	return r, parallel.Each(len(list), func(i int) error {
		t := list[i]
		stored, err := bank.Largest(t.Experiment)
		if err != nil {
			return err
		}
		b := stored.Result
		r.all[i] = TuningResult{Config: t.config(stored.Profile, t.Title), Bank: b.Config, Repeats: b.Repeats}
		if err := r.all[i].price(false); err != nil {
			return err
		}
		r.all[i].choose(b.OnTestData(), law.Poisson{MeanRepeats: t.MeanRepeats})
		return nil
	})
}

// Table lists the noise, the final ε and what is chosen, for each experiment and level of noise.
// Both variants choose in the same tuning.
func (r ChosenResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-chosen", Title: "Figures 5 to 8: the noise and the chosen settings of the stored runs",
		Columns: []string{"task", "σ", "ε, one run", "ε, variant 1", "ε, variant 2", "ε, baseline", "η, one run", "η, variants", "η, baseline", "last training of variant 2 fails"},
		Notes: []string{
			"ε by the paper's bounds. η is the geometric mean of the chosen rates, before the last training scales it. Where γ and the epochs are tuned too, their means follow.",
			"A last training fails if its accuracy is nearer to the worst of the grid than to the best. A training that diverges is one of them: it counts with the accuracy of zero weights.",
		},
	}
	for _, e := range r.all {
		task, _, _ := strings.Cut(e.Config.Task, ": ")
		for level, c := range e.Choices {
			row := []string{task, e.noiseAt(level)}
			for _, m := range e.Methods {
				row = append(row, figures.Short(m.Paper[level]))
			}
			for _, m := range []int{oneRun, variant2, baseline} {
				row = append(row, e.chosenAt(e.Methods[m].Settings[level]))
			}
			below, above := c.failed(len(e.Bank.LearningRates))
			t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.0f %%", 100*(below+above))))
		}
	}
	return t
}

// chosenAt writes a setting: only η if nothing else is tuned.
func (r TuningResult) chosenAt(s Setting) string {
	text := chart.Format(chart.Round(s.LearningRate, 2), 0)
	if len(r.Bank.Trainings) > 1 {
		text += fmt.Sprintf(" (γ %.3f, %.0f epochs)", s.SamplingRate, s.Epochs)
	}
	return text
}
