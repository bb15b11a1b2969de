package tuned

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// AccuracyResult has what the stored runs show of the paper's claims about accuracy.
type AccuracyResult struct {
	Claims []AccuracyClaims // of Figures 2, 3, 4 and 8
	Banks  []int            // the number of repeats of each bank
	Biases []float64        // estimates for the baseline in one repeat, by bank and level
}

// AccuracyClaims counts, for one figure, the data sets and final ε at which one method is more
// accurate than another, by the paper's bounds.
type AccuracyClaims struct {
	Figures string // as the experiments have them
	Joint   bool   // γ and the epochs are tuned too: the paper then claims that variant 2 is ahead of 1

	Variant1, Variant2 figures.Cases // more accurate than the baseline
	Variants           figures.Cases // variant 1 more accurate than variant 2

	banks  []int     // the number of repeats of each
	biases []float64 // of the baseline in one repeat, by level
}

// compared are the experiments of each figure. The embedded digits are not the paper's.
var compared = [][]Trained{
	{FashionSGD, CIFARSGD, IMDBSGD, MNISTMLPSGD, MNISTSGD},
	{FashionAdam, CIFARAdam, IMDBAdam, MNISTMLPAdam, MNISTAdam},
	{FashionAllSGD, MNISTAllSGD, CIFARAllSGD, IMDBAllSGD},
	{FashionAllAdam, MNISTAllAdam, CIFARAllAdam, IMDBAllAdam},
}

// Accuracy evaluates the stored runs at the ε by the paper's bounds.
func Accuracy() (AccuracyResult, error) {
	r := AccuracyResult{Claims: make([]AccuracyClaims, len(compared))}
	err := parallel.Each(len(compared), func(i int) error {
		for _, t := range compared[i] {
			if err := r.Claims[i].add(t); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range r.Claims {
		r.Banks, r.Biases = append(r.Banks, c.banks...), append(r.Biases, c.biases...)
	}
	return r, err
}

// add counts the ε of one experiment.
func (c *AccuracyClaims) add(t Trained) error {
	stored, err := bank.Largest(t.Experiment)
	if err != nil {
		return err
	}
	b := stored.Result
	r := TuningResult{Config: t.config(stored.Profile, t.Title), Bank: b.Config}
	if err := r.price(false); err != nil {
		return err
	}
	c.Figures, c.Joint = t.Figures, len(b.Config.Trainings) > 1
	c.banks = append(c.banks, b.Repeats)
	runs, b := law.Poisson{MeanRepeats: r.Config.MeanRepeats}, b.OnTestData()
	bias := baselineBias(b, runs, b.Config.Runs)
	repeats := b.Repeats
	if floats.HasNaN(bias) { // not known, so it may decide any sign
		bias, repeats = make([]float64, len(bias)), 1
	}
	c.biases = append(c.biases, bias...)
	var each [][]Differences // of each repeat, as it is and without the bias
	for s := range b.Repeats {
		all := accuracies(b.Repeat(s), runs)
		each = append(each, r.differences(all, true))
		all[baseline] = slices.Clone(all[baseline])
		floats.Sub(all[baseline], bias)
		each = append(each, r.differences(all, true))
	}
	for i := range r.Config.Epsilons {
		for _, claim := range []struct {
			cases *figures.Cases
			of    func(Differences) float64
		}{
			{&c.Variant1, func(d Differences) float64 { return d.OverBaseline1.Value }},
			{&c.Variant2, func(d Differences) float64 { return d.OverBaseline2.Value }},
			{&c.Variants, func(d Differences) float64 { return d.Variants.Value }},
		} {
			var values []float64
			for _, repeat := range each {
				values = append(values, claim.of(repeat[i]))
			}
			addAgreed(claim.cases, repeats, values)
		}
	}
	return nil
}

// addAgreed counts a case if the method is priced on both sides of the ε. It is resolved if there
// are at least two repeats, and all their differences have one sign, those without the baseline's
// bias included.
func addAgreed(c *figures.Cases, repeats int, differences []float64) {
	low, high := slices.Min(differences), slices.Max(differences)
	switch {
	case math.IsNaN(low):
	case repeats < 2 || low <= 0 && high >= 0:
		c.Open++
	default:
		c.AddIf(low > 0)
	}
}

// Table lists, for each claim, at how many data sets and ε it holds in all repeats, fails in all,
// or is not resolved.
func (r AccuracyResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-accuracy", Title: "Claims about accuracy: at how many data sets and final ε, by the paper's bounds",
		Columns: []string{"figures", "more accurate", "than", "in all repeats", "in no repeat", "repeats disagree"},
		Notes: []string{
			fmt.Sprintf("Banks have %s repeats. Chance alone makes two repeats agree in half of the cases, and three in a quarter. One data set has up to four ε, with runs in common.",
				between(slices.Min(r.Banks), slices.Max(r.Banks))),
			fmt.Sprintf("The best of K runs out of the few of one repeat is worse than the best of K new runs: the baseline's bias is %s to %s. Repeats also count as disagreeing if this bias decides a sign.",
				Difference{Value: slices.Min(r.Biases), StdErr: math.NaN()}.write("%+.2f", ""), Difference{Value: slices.Max(r.Biases), StdErr: math.NaN()}.write("%+.2f", " points")),
		},
	}
	add := func(figure, better, than string, c figures.Cases) {
		t.Rows = append(t.Rows, []string{figure, better, than, fmt.Sprint(c.Hold), fmt.Sprint(c.Fail), fmt.Sprint(c.Open)})
	}
	for _, c := range r.Claims {
		add(c.Figures, methodNames[variant1], methodNames[baseline], c.Variant1)
		add(c.Figures, methodNames[variant2], methodNames[baseline], c.Variant2)
		if c.Joint {
			add(c.Figures, methodNames[variant2], methodNames[variant1], figures.Cases{Hold: c.Variants.Fail, Fail: c.Variants.Hold, Open: c.Variants.Open})
		} else {
			add(c.Figures, methodNames[variant1], methodNames[variant2], c.Variants)
		}
	}
	return t
}

// between writes the range of a number, or the number.
func between(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
