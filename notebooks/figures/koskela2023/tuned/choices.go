package tuned

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Choice is what the tuning on a sample saw and chose at one level of noise, and how the last
// training on all data ended.
type Choice struct {
	BestScores []float64 // the best run on each sample
	Chances    []float64 // of each point of the grid to be chosen
	Last       []float64 // mean accuracy of the last training, for each point
}

// choices returns the choices of variant 2.
func choices(b bank.Bank, runs law.Law) (list []Choice) {
	for level := range b.Config.Levels() {
		c := Choice{BestScores: make([]float64, b.Repeats), Chances: b.TuneThenTrain(runs, level, bank.All).Chances}
		for i := range b.Config.Points() {
			t, rate := i/len(b.Config.LearningRates), b.Config.LearningRates[i%len(b.Config.LearningRates)]
			c.Last = append(c.Last, bank.MeanAccuracy(b.At(bank.All, t, level, b.Config.Scaled(rate, bank.All))))
			for s := range c.BestScores {
				for _, run := range b.Repeat(s).At(bank.Sample, t, level, rate) {
					c.BestScores[s] = max(c.BestScores[s], run.Score)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// failed returns the shares of the draws whose last training fails with a learning rate below and
// above the best one. A training fails if its accuracy is nearer to the worst of the grid than to
// the best.
func (c Choice) failed(rates int) (below, above float64) {
	least, most := slices.Min(c.Last), slices.Max(c.Last)
	best, total := slices.Index(c.Last, most)%rates, 0.0
	for i, chance := range c.Chances {
		total += chance
		switch {
		case c.Last[i] >= (least+most)/2:
		case i%rates < best:
			below += chance
		case i%rates > best:
			above += chance
		}
	}
	return below / total, above / total // K = 0 is left out
}

// ChoicesTable lists, for variant 2 and each level of noise, what the tuning saw and chose, and how
// the last training ended. It shows why an accuracy can fall as ε grows.
func (r TuningResult) ChoicesTable() figures.Table {
	b := r.Bank
	t := figures.Table{
		Name: r.Config.Name + "-choices", Title: "Variant 2: what the tuning on a sample saw and chose, and how the last training ended",
		Columns: []string{"ε, paper's bounds", "σ", "best score on each sample", "chosen η: share of the draws, accuracy of the last training", "last training fails, η too small", "η too large", "accuracy with the best η"},
		Notes:   []string{fmt.Sprintf("A last training fails if its accuracy is nearer to the worst of the grid than to the best. Its η is %.3g times the chosen one.", b.Scaled(1, bank.All)), r.noiseNote()},
	}
	for level, c := range r.Choices {
		total, chosen := 0.0, map[float64][2]float64{}
		for i, chance := range c.Chances {
			_, rate := b.Point(i)
			at := chosen[rate]
			chosen[rate] = [2]float64{at[0] + chance, at[1] + chance*c.Last[i]}
			total += chance
		}
		var parts, scores []string
		for _, rate := range b.LearningRates {
			if at := chosen[rate]; at[0] >= 0.005*total {
				parts = append(parts, fmt.Sprintf("%s: %.0f %%, %s", chart.Scientific(chart.Round(rate, 3)), 100*at[0]/total, share(at[1]/at[0])))
			}
		}
		for _, score := range c.BestScores {
			scores = append(scores, fmt.Sprintf("%.1f %%", 100*score))
		}
		below, above := c.failed(len(b.LearningRates))
		t.Rows = append(t.Rows, []string{figures.Short(r.Methods[variant2].Paper[level]), r.noiseAt(level), strings.Join(scores, ", "), strings.Join(parts, "; "),
			fmt.Sprintf("%.0f %%", 100*below), fmt.Sprintf("%.0f %%", 100*above), share(slices.Max(c.Last))})
	}
	return t
}

// noiseAt writes the noise multipliers of a level.
func (r TuningResult) noiseAt(level int) string {
	var all []float64
	for _, t := range r.Bank.Trainings {
		all = append(all, t.NoiseMultipliers[level])
	}
	if low, high := slices.Min(all), slices.Max(all); low != high {
		return fmt.Sprintf("%g to %g", low, high)
	}
	return fmt.Sprint(all[0])
}

// noiseNote compares the size of the sample with that of the paper's. At an equal ε the mean
// gradients of a larger sample have less noise.
func (r TuningResult) noiseNote() string {
	i := slices.IndexFunc(papers.Koskela2023.Table2, func(g papers.Koskela2023Grid) bool {
		plain := strings.NewReplacer("-", "")
		return strings.HasPrefix(plain.Replace(r.Bank.Data), strings.ToLower(plain.Replace(g.Dataset)))
	})
	if i < 0 || r.Bank.Examples == 0 {
		return "At an equal ε, the smaller the sample, the larger the noise of its mean gradient."
	}
	theirs := float64(papers.Koskela2023.Table2[i].Train)
	return fmt.Sprintf("A sample has %s examples on average, the paper's %s: at an equal ε the noise of its mean gradient is %.3g times the paper's.",
		chart.Grouped(math.Round(r.Bank.TuningRate*float64(r.Bank.Examples))), chart.Grouped(math.Round(r.Bank.TuningRate*theirs)), theirs/float64(r.Bank.Examples))
}
