package audits

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// ScoresResult has the scores of released runs, without the foreign example and with it.
type ScoresResult struct {
	Charts []ScoreChart // Figure 7 first; of each figure by data set, then by ε_B

	sources, notes []string
}

// ScoreChart is one histogram. Scores are minus mean losses of single runs, in increasing order.
type ScoreChart struct {
	Figure, Setup string
	Data          string // its name for readers
	BaseEpsilon   float64
	Without, With []float64
	Weights       [2][]float64 // of the scores without z and with it
	Distance      float64      // of Kolmogorov and Smirnov, between the released runs of both worlds
	Single        float64      // between single runs, which are independent
	Limit         float64      // of Single, at 5 %, if the scores do not depend on z (asymptotic)
}

// apart reports whether the worlds differ. The law of a released score is f(F), with F that of a
// single run and f increasing. So released scores of the two worlds have one law if and only if
// single runs have, and single runs are independent.
func (c ScoreChart) apart() bool { return c.Single > c.Limit }

// Figures7to9 compares the distributions of the scores of single runs, weighted by rank.
func Figures7to9(banks []Bank) (r ScoresResult) {
	r.sources, r.notes = accounts(banks)
	for i, s := range setups {
		if s.dirac {
			continue
		}
		for _, b := range banks {
			k := b.Config.Law.Distribution()
			for _, at := range b.used() {
				w0, w1 := s.bankWorlds(b.Runs[at])
				c := ScoreChart{
					Figure: fmt.Sprintf("Figure %d", 7+i), Setup: s.name, Data: b.name(), BaseEpsilon: b.Config.BaseEpsilons[at], Without: w0.scores, With: w1.scores,
					Weights: [2][]float64{releasedWeights(k, w0.scores, nil), releasedWeights(k, w1.scores, nil)},
					Single:  stat.KolmogorovSmirnov(w0.scores, nil, w1.scores, nil),
					Limit:   math.Sqrt(-math.Log(0.025) / 2 * (1/float64(len(w0.scores)) + 1/float64(len(w1.scores)))),
				}
				c.Distance = stat.KolmogorovSmirnov(c.Without, c.Weights[0], c.With, c.Weights[1])
				r.Charts = append(r.Charts, c)
			}
		}
	}
	return r
}

// Figure draws one chart for each figure, data set and ε_B.
func (r ScoresResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: "xiang2024-bank-figures7to9", Title: "Figures 7 to 9: scores of released runs, from single runs weighted by rank", Columns: 3, Sources: r.sources,
		Notes: append(slices.Clone(r.notes), "The score is minus the mean loss: of the validation data (NTNV), of the foreign z (NTCV, ETCV)."),
	}
	for i, c := range r.Charts {
		panel := c.chart()
		panel.Name = fmt.Sprintf("%s-%d", p.Name, i+1)
		p.Charts = append(p.Charts, panel)
	}
	return p
}

func (c ScoreChart) chart() chart.Chart {
	const bins = 24
	low, high := min(c.Without[0], c.With[0]), max(c.Without[len(c.Without)-1], c.With[len(c.With)-1])
	width := math.Max(high-low, 1e-9) / bins
	curve := func(label string, scores, weights []float64) chart.Curve {
		k := chart.Curve{Label: label, Kind: chart.Step, X: make([]float64, bins+1), Y: make([]float64, bins+1)}
		for i := range k.X {
			k.X[i] = low + width*float64(i)
		}
		for i, s := range scores {
			k.Y[min(int((s-low)/width), bins-1)] += weights[i]
		}
		k.Y[bins] = k.Y[bins-1] // the last bin ends here
		return k
	}
	return chart.Chart{
		Title: fmt.Sprintf("%s: %s, %s, ε_B = %g", c.Figure, c.Setup, c.Data, c.BaseEpsilon), XLabel: "score of the released run", YLabel: "share of released runs",
		Curves: []chart.Curve{curve("without z", c.Without, c.Weights[0]), curve("with z", c.With, c.Weights[1])},
	}
}

// Table lists how far apart the two worlds of each chart are.
func (r ScoresResult) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-bank-figures7to9-distances", Title: "Kolmogorov distance of the scores with and without z",
		Columns: []string{"figure", "setup", "data", "ε_B", "runs of each world", "distance of released runs", "of single runs", "of single runs by chance, in 95 %, at most", "worlds differ"},
	}
	for _, c := range r.Charts {
		t.Rows = append(t.Rows, []string{c.Figure, c.Setup, c.Data, fmt.Sprint(c.BaseEpsilon), fmt.Sprint(len(c.Without)),
			fmt.Sprintf("%.3f", c.Distance), fmt.Sprintf("%.3f", c.Single), fmt.Sprintf("%.3f", c.Limit), map[bool]string{true: "yes", false: "no"}[c.apart()]})
	}
	return t
}
