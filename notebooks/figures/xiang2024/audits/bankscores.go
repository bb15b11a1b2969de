package audits

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// BankScoresResult has the scores of released runs, without the foreign example and with it, from
// banks of single runs.
type BankScoresResult struct {
	Banks  []Bank
	Charts []BankScoreChart // Figure 7 first; of each figure by data set, then by ε_B
}

// BankScoreChart is one histogram. Its Distance is that of released runs. Its Limit is of single
// runs, like Single.
type BankScoreChart struct {
	ScoreChart
	Data   string  // its name for readers
	Runs   int     // of each world
	Single float64 // distance of Kolmogorov and Smirnov between the single runs of both worlds
}

// apart reports whether the worlds differ. The law of a released score is f(F), with F that of a
// single run and f increasing. So released scores of the two worlds have one law if and only if
// single runs have, and single runs are independent.
func (c BankScoreChart) apart() bool { return c.Single > c.Limit }

// BankFigures7to9 compares the distributions of the released scores.
func BankFigures7to9(banks []Bank) BankScoresResult {
	r := BankScoresResult{Banks: banks}
	for i, s := range setups {
		if s.dirac {
			continue
		}
		for _, b := range banks {
			k := b.Config.Law.Distribution()
			for _, at := range b.used() {
				w0, w1 := s.bankWorlds(b.Runs[at])
				c := BankScoreChart{Data: b.name(), Runs: len(w0.scores), ScoreChart: ScoreChart{
					Figure: fmt.Sprintf("Figure %d", 7+i), Setup: s.name, BaseEpsilon: b.Config.BaseEpsilons[at], Without: w0.scores, With: w1.scores,
					Weights: [2][]float64{releasedWeights(k, w0.scores, nil), releasedWeights(k, w1.scores, nil)},
				}}
				c.Distance = stat.KolmogorovSmirnov(c.Without, c.Weights[0], c.With, c.Weights[1])
				c.Single, c.Limit = stat.KolmogorovSmirnov(c.Without, nil, c.With, nil), distanceByChance(len(c.Without), len(c.With))
				r.Charts = append(r.Charts, c)
			}
		}
	}
	return r
}

// Figure draws one chart for each figure, data set and ε_B.
func (r BankScoresResult) Figure() chart.Figure {
	sources, notes := accounts(r.Banks)
	p := chart.Panels{
		Name: "xiang2024-bank-figures7to9", Title: "Figures 7 to 9: scores of released runs, from single runs weighted by rank", Columns: 3, Sources: sources,
		Notes: append(notes, "The score is minus the mean loss: of the validation data (NTNV), of the foreign z (NTCV, ETCV)."),
	}
	for i, c := range r.Charts {
		panel := c.chart(i)
		panel.Name, panel.Title = fmt.Sprintf("xiang2024-bank-figures7to9-%d", i+1), fmt.Sprintf("%s: %s, %s, ε_B = %g", c.Figure, c.Setup, c.Data, c.BaseEpsilon)
		panel.YLabel = "share of released runs"
		p.Charts = append(p.Charts, panel)
	}
	return p
}

// Table lists how far apart the two worlds of each chart are.
func (r BankScoresResult) Table() figures.Table {
	t := figures.Table{Name: "xiang2024-bank-figures7to9-distances", Title: "Kolmogorov distance of the scores with and without z",
		Columns: []string{"figure", "setup", "data", "ε_B", "runs of each world", "distance of released runs", "of single runs", "of single runs by chance, in 95 %, at most", "worlds differ"}}
	for _, c := range r.Charts {
		apart := "no"
		if c.apart() {
			apart = "yes"
		}
		t.Rows = append(t.Rows, []string{c.Figure, c.Setup, c.Data, fmt.Sprint(c.BaseEpsilon), fmt.Sprint(c.Runs),
			fmt.Sprintf("%.3f", c.Distance), fmt.Sprintf("%.3f", c.Single), fmt.Sprintf("%.3f", c.Limit), apart})
	}
	return t
}
