package koskela2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// figuresOf are those of the paper with this ratio in their legends.
func (w work) figuresOf() string {
	switch {
	case w.Joint && w.Optimizer == "sgd":
		return "4 and 7"
	case w.Joint:
		return "8"
	case w.Optimizer == "sgd":
		return "2 and 5"
	}
	return "3 and 6"
}

var optimizerNames = map[string]string{"sgd": "DP-SGD", "adam": "DP-Adam"}

// Table lists the ratio of gradients, the measured ratio of times, and the seconds behind it.
func (r TimesResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-times", Title: "Time of the baseline over that of the faster variant, at the paper's sizes",
		Columns: []string{"figures", "data", "optimizer", "µ", "ratio of gradients", "ratio of times", "one training on the sample", "on the rest", "on all data"},
		Notes: []string{
			fmt.Sprintf("q = %g. Ratio of times: seconds of the baseline over those of the faster variant, with K at its mean. Seconds are those of all steps of one training, from the time of %s steps: processor time, or by the clock on a GPU.",
				r.Config.TuningRate, r.timedSteps()),
			"The examples are random, in the paper's number and shape. Reading the data, compiling and testing are not counted. " + r.Account,
		},
	}
	for _, w := range r.work() {
		t.Rows = append(t.Rows, []string{
			w.figuresOf(), w.Dataset, optimizerNames[w.Optimizer], fmt.Sprint(w.MeanRepeats), fmt.Sprintf("%.2f", w.counted(r.Config.TuningRate)), fmt.Sprintf("%.2f", w.ratio()),
			fmt.Sprintf("%.3g s", w.Candidate.Sample), fmt.Sprintf("%.3g s", w.Candidate.Rest), fmt.Sprintf("%.3g s", w.Candidate.All),
		})
	}
	return t
}

// timedSteps writes the least and the largest number of steps in a round.
func (r TimesResult) timedSteps() string {
	least, most := r.Config.Settings[0].Steps, 0
	for _, s := range r.Config.Settings {
		least, most = min(least, s.Steps), max(most, s.Steps)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// anotherMachine is why our ratio need not be the printed one.
const anotherMachine = "the paper's times are those of GPUs of two kinds, with K as drawn"

// timesDiffer is by how much a ratio of times is uncertain: repeated measurements on a shared
// machine differed by up to a tenth.
const timesDiffer = 0.1

// Compare sets the ratios next to what the text prints of them. Its machines are others, so a
// difference does not show that the paper is wrong.
func (r TimesResult) Compare() figures.Comparison {
	p := papers.Koskela2023.Times
	c := figures.Comparison{Name: "koskela2023-times", Title: "Figures 2 to 8, legends: the ratio of times"}
	var slower figures.Cases
	for _, w := range r.work() {
		ratio, counted := w.ratio(), w.counted(r.Config.TuningRate)
		if math.Abs(ratio/counted-1) <= timesDiffer {
			slower.Open++
		} else {
			slower.AddIf(ratio < counted)
		}
		switch {
		case !w.Joint && w.Dataset == "CIFAR-10" && w.Optimizer == "sgd":
			c.Rows = append(c.Rows, figures.Against(p.CIFARSGD, ratio).WithErr(timesDiffer*ratio).ByOurChoice().WithNote(anotherMachine))
		case !w.Joint && w.Dataset == "FashionMNIST" && w.Optimizer == "adam":
			c.Rows = append(c.Rows, figures.Against(p.FashionAdam, ratio).WithErr(timesDiffer*ratio).ByOurChoice().
				WithNote("gradients are %.2f times as many; %s", counted, anotherMachine))
		}
	}
	c.Rows = append(c.Rows, slower.Against(p.Slower).ByOurChoice().WithNote("here a step of more than 512 examples takes several calls; in a small model they cost more than the examples"))
	return c
}
