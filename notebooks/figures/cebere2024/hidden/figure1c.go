package hidden

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1cResult is Figure 1c: audits of a network of 68 weights over the steps, a panel for each
// learning rate.
type Figure1cResult struct {
	Audits
	Repetitions int // of each curve
	Parts       []Part
}

// Figure1c takes the bounds of A_GC-R, A_GC-S and A_L from the scores of [FCNN]. If some curves
// have fewer repetitions, it takes as many as all have.
//
// The paper leaves some settings open. Ours: a house is of class 1 from 180,000 dollars on.
// Features are scaled by public constants (data/housing). The network is 8-6-2 with ReLU, which has
// 68 weights, and its initial weights are Glorot's. The paper's loss is a binary cross-entropy.
// Ours is the cross-entropy of a softmax over the two outputs. The adversary knows the batches,
// which are the same in all runs, as in the paper. Ours are the parts of a fixed random order,
// taken in turn.
func Figure1c(a Audits) (Figure1cResult, error) {
	r := Figure1cResult{Audits: a, Repetitions: a.Config.Repetitions}
	for i, s := range a.Config.Settings {
		lines, err := a.lines(i, random, simulated, loss)
		if err != nil {
			return r, fmt.Errorf("hidden: learning rate %g: %w", s.LearningRate, err)
		}
		for _, l := range lines {
			r.Repetitions = min(r.Repetitions, len(l.Bounds))
		}
		if len(lines) > 0 {
			r.Parts = append(r.Parts, Part{Title: fmt.Sprintf("learning rate %g", s.LearningRate), Curves: lines})
		}
	}
	for _, part := range r.Parts {
		for i := range part.Curves {
			l := &part.Curves[i]
			l.Bounds, l.scores = l.Bounds[:r.Repetitions], l.scores[:r.Repetitions]
		}
	}
	return r, nil
}

// name depends on the data.
func (r Figure1cResult) name() string {
	return "cebere2024-figure1c-" + map[string]string{"housing": "housing", "digit-columns": "digits"}[r.Config.Data]
}

// about writes the data and how many models there are of both worlds.
func (r Figure1cResult) about() string {
	return fmt.Sprintf("%s, %d models", datasets[r.Config.Data].name, 2*r.Config.Games)
}

// Figure draws the bounds over the steps: the mean of the repetitions, and a band from the least to
// the largest.
func (r Figure1cResult) Figure() chart.Figure {
	c := r.Config
	p := chart.Panels{
		Name: r.name(), Columns: len(r.Parts), Title: "Figure 1c: hidden-state audits of 68 parameters, " + r.about(),
		Notes: []string{
			fmt.Sprintf("σ = %g, clip norm %g, batches of %d, known to the adversary; canary at every step.", c.NoiseMultiplier, c.Settings[0].ClipNorm, c.BatchSize),
			"Bounds as in the paper: best threshold on the same scores, nothing corrected, Gaussian trade-off assumed.",
			fmt.Sprintf("Mean and range of %d audits. %s", r.Repetitions, r.aboveNote()),
		},
		Sources: []string{r.Account},
	}
	if r.Repetitions == 1 {
		p.Notes[2] = "One audit each. " + r.aboveNote()
	}
	if len(r.Parts) > 1 {
		p.Notes = append(p.Notes, "The panels are paired: their games share data order, initial weights and noise.")
	}
	for i, part := range r.Parts {
		p.Charts = append(p.Charts, part.chart(fmt.Sprintf("%s-rate-%d", r.name(), i+1)))
	}
	return p
}

// Table returns the bounds at the last step: as the paper takes them, and two that pay for what
// they choose.
func (r Figure1cResult) Table() (figures.Table, error) {
	c := r.Config
	perfect, err := audit.RankTwoTail(apart(c.Games), 2, c.level())
	t := figures.Table{
		Name: r.name() + "-bounds", Title: fmt.Sprintf("ε at δ = %s after %d steps, %s", chart.Scientific(c.Delta), c.Settings[0].Steps(), r.about()),
		Columns: []string{"learning rate", "adversary", "accountant", "as in the paper (range)", "Gaussian trade-off, AUC", "no assumption"},
		Notes: append(c.boundNotes(), fmt.Sprintf("%s Without an assumption perfect scores of %d models would show %.2f.",
			r.aboveNote(), 2*c.Games, perfect.Ceiling)),
	}
	for _, part := range r.Parts {
		for _, line := range part.Curves {
			row, err := line.row()
			if err != nil {
				return t, err
			}
			t.Rows = append(t.Rows, append([]string{fmt.Sprint(line.Setting.LearningRate), line.Label}, row[1:]...))
		}
	}
	return t, err
}

// aboveNote counts the drawn bounds that exceed the accountant's ε, which are false. A part of
// 1 - confidence may be: each bound has its own chance.
func (r Figure1cResult) aboveNote() string {
	above, part := aboveAccountant(r.Parts, paperBounds), ""
	if above.Hold > 0 {
		part = fmt.Sprintf(" (%.2g %%)", 100*float64(above.Hold)/float64(above.Of()))
	}
	return fmt.Sprintf("%d of %d audits%s are above the accountant; at %.3g %% confidence %.3g %% may be, on average: audits along one run share its games.",
		above.Hold, above.Of(), part, 100*r.Config.Confidence, 100*(1-r.Config.Confidence))
}

// Compare sets the claims of the text next to our numbers. The text gives no numbers. Our errors
// are half-widths of 95 % intervals over at least two repetitions. Rows of another setting have no
// reference.
func (r Figure1cResult) Compare() figures.Comparison {
	c := figures.Comparison{Name: r.name(), Title: "Figure 1c, claims of the text"}
	said := papers.Cebere2024
	for _, part := range r.Parts {
		add := func(v papers.Value, ours, err float64, note string) {
			row := figures.Against(v, ours).Of(fmt.Sprintf(", learning rate %g", part.Curves[0].Setting.LearningRate)).WithErr(err).WithNote("%s", note)
			row.OurChoice = true // the paper prints two learning rates
			if r.Repetitions < 2 || !part.Curves[0].paperSize() {
				row = row.OursOnly("not the paper's setting").WithErr(0)
			}
			c.Rows = append(c.Rows, row)
		}
		randomly, okRandom := find(part.Curves, random)
		lost, okLoss := find(part.Curves, loss)
		chosen, okChosen := find(part.Curves, simulated)
		if okRandom && okLoss {
			differences := randomly.Last()
			for i, bound := range lost.Last() {
				differences[i] -= bound
			}
			e := figures.EstimateOf(differences)
			sign, err := figures.Sign(e.Mean, e.HalfWidth())
			add(said.FCNNRandomOverLoss, sign, err, "difference "+figures.PlusMinus(e.Mean, e.HalfWidth()))
		}
		if okRandom && okChosen {
			high, low, below := slices.Max(randomly.Last()), slices.Min(chosen.Last()), 0.0
			if high < low {
				below = 1
			}
			add(said.FCNNRandom, below, 0, fmt.Sprintf("at most %.2f, at least %.2f", high, low))
		}
		if okChosen {
			accountant := chosen.Accountant[len(chosen.Accountant)-1]
			e := figures.EstimateOf(chosen.Last())
			add(said.FCNNSimulated, e.Mean/accountant, e.HalfWidth()/accountant,
				fmt.Sprintf("%s of %.2f; ± 0.15 for \"nearly tight\" is our choice", figures.PlusMinus(e.Mean, e.HalfWidth()), accountant))
		}
	}
	return c
}
