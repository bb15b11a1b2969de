package fcnn

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/repeats"
	"github.com/dplab/dplab/notebooks/papers"
)

// Compare sets what the text says of the figure beside what we get. The text gives no numbers. Errors are 95 % half-widths
// over the repetitions. With another setting than the paper's there is nothing beside ours.
func (r Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: r.name(), Title: "Figure 1c, what the text says"}
	for _, panel := range r.Rates {
		c.Rows = append(c.Rows, r.rows(panel)...)
	}
	return c
}

func (r Result) rows(panel Rate) (rows []figures.ComparisonRow) {
	said := papers.Cebere2024
	add := func(v papers.Value, ours, err float64, note string) {
		row := figures.Against(v, ours)
		row.Quantity, row.OursErr, row.Note = fmt.Sprintf("%s, learning rate %g", v.Quantity, panel.LearningRate), err, note
		if !r.Config.paperSetup() {
			row = row.OursOnly("not the paper's setting")
		}
		if math.IsNaN(err) { // one repetition, which the paper's setting does not have
			row.OursErr = 0
		}
		rows = append(rows, row)
	}
	random, loss, simulated := panel.last("A_GC-R"), panel.last("A_L"), panel.last("A_GC-S")
	if random != nil && loss != nil {
		var differences []float64
		for i := range random {
			differences = append(differences, random[i]-loss[i])
		}
		mean, err := repeats.Mean(differences)
		sign, signErr := repeats.Sign(mean, err)
		add(said.FCNNRandomOverLoss, sign, signErr, fmt.Sprintf("difference %s", plusMinus(mean, err)))
	}
	if random != nil && simulated != nil {
		high, low, apart := slices.Max(random), slices.Min(simulated), 0.0
		if high < low {
			apart = 1
		}
		add(said.FCNNRandom, apart, 0, fmt.Sprintf("at most %.2f, at least %.2f", high, low))
	}
	if simulated != nil {
		accountant := r.Accountant[len(r.Accountant)-1]
		mean, err := repeats.Mean(simulated)
		add(said.FCNNSimulated, mean/accountant, err/accountant, fmt.Sprintf("%s of %.2f; ± 0.15 for \"nearly tight\" is our choice", plusMinus(mean, err), accountant))
	}
	return rows
}

// plusMinus writes a mean with its error, if it is known.
func plusMinus(mean, err float64) string {
	if math.IsNaN(err) {
		return fmt.Sprintf("%.2f", mean)
	}
	return figures.PlusMinus(mean, err)
}

// last returns the paper's bounds of all repetitions at the last step; nil if the adversary did not play.
func (p Rate) last(adversary string) (bounds []float64) {
	for _, c := range p.Curves {
		if c.Adversary == adversary {
			for _, a := range c.Audits {
				bounds = append(bounds, a.Paper[len(a.Paper)-1])
			}
		}
	}
	return bounds
}

// paperSetup reports whether the text of the paper is about this setting: Full, at any of its learning rates, with any of
// its adversaries, and with as many repetitions as it takes to see an error.
func (c Config) paperSetup() bool {
	full := Full()
	for _, rate := range c.LearningRates {
		if !slices.Contains(full.LearningRates, rate) {
			return false
		}
	}
	if c.Repetitions < 2 || c.Observe[len(c.Observe)-1] != full.Observe[len(full.Observe)-1] {
		return false
	}
	c.LearningRates, c.Repetitions, c.Observe = full.LearningRates, full.Repetitions, full.Observe
	return reflect.DeepEqual(c, full)
}
