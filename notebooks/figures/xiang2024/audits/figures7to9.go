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

	panels chart.Panels // without charts
	unit   string       // whose share is drawn
	heads  []string     // of the table, empty for a column that is not there
}

// ScoreChart is one histogram. Scores are minus mean losses, in increasing order.
type ScoreChart struct {
	Figure, Setup string
	Data          string // its name for readers; empty for games
	Runs          int    // of each world; 0 for games
	BaseEpsilon   float64
	Without, With []float64
	Weights       [2][]float64 // of the scores without z and with it; nil for equal ones
	Distance      float64      // of Kolmogorov and Smirnov, between the released runs of both worlds
	Single        float64      // between scores that are independent draws: single runs, or games
	Limit         float64      // of Single, at 5 %, if the scores do not depend on z (asymptotic)
}

// apart reports whether the worlds differ. The law of a released score is f(F), with F that of a
// single run and f increasing. So released scores of the two worlds have one law if and only if
// single runs have, and single runs are independent.
func (c ScoreChart) apart() bool { return c.Single > c.Limit }

// compared returns the chart with its distances.
func (c ScoreChart) compared() ScoreChart {
	c.Distance, c.Single = stat.KolmogorovSmirnov(c.Without, c.Weights[0], c.With, c.Weights[1]), stat.KolmogorovSmirnov(c.Without, nil, c.With, nil)
	c.Limit = distanceByChance(len(c.Without), len(c.With))
	return c
}

// distanceByChance returns the distance of Kolmogorov and Smirnov that two samples of one
// continuous law exceed in 5 % (asymptotic).
func distanceByChance(n0, n1 int) float64 {
	return math.Sqrt(-math.Log(0.025)/2) * math.Sqrt(1/float64(n0)+1/float64(n1))
}

// Figures7to9 compares the distributions of the scores that games release.
func Figures7to9(games TuningGames) ScoresResult {
	r := ScoresResult{unit: "the games", heads: []string{"figure", "setup", "", "ε_B", "", "distance", "", "by chance, in 95 %, at most", "told apart"}}
	r.panels = chart.Panels{
		Name: "xiang2024-figures7to9", Title: "Figures 7 to 9: scores of released runs, with and without z", Columns: max(1, len(games.Audits)), Sources: []string{games.Account},
		Notes: []string{games.about(), "z is the foreign example. The score is minus the mean loss: of the validation data (NTNV), of z (NTCV, ETCV)."},
	}
	for i, s := range setups {
		if s.dirac {
			continue
		}
		for _, a := range games.Audits {
			without, with := s.worlds(a)
			_, _, g0 := s.scores(without)
			_, _, g1 := s.scores(with)
			c := ScoreChart{Figure: fmt.Sprintf("Figure %d", 7+i), Setup: s.name, BaseEpsilon: a.BaseEpsilon, Without: sum(g0, nil, 0), With: sum(g1, nil, 0)}
			slices.Sort(c.Without)
			slices.Sort(c.With)
			r.Charts = append(r.Charts, c.compared())
		}
	}
	return r
}

// BankFigures7to9 compares the distributions of the scores of single runs, weighted by rank.
func BankFigures7to9(banks []Bank) ScoresResult {
	r := ScoresResult{unit: "released runs", heads: []string{"figure", "setup", "data", "ε_B", "runs of each world", "distance of released runs", "of single runs", "of single runs by chance, in 95 %, at most", "worlds differ"}}
	sources, notes := accounts(banks)
	r.panels = chart.Panels{
		Name: "xiang2024-bank-figures7to9", Title: "Figures 7 to 9: scores of released runs, from single runs weighted by rank", Columns: 3, Sources: sources,
		Notes: append(notes, "The score is minus the mean loss: of the validation data (NTNV), of the foreign z (NTCV, ETCV)."),
	}
	for i, s := range setups {
		if s.dirac {
			continue
		}
		for _, b := range banks {
			k := b.Config.Law.Distribution()
			for _, at := range b.used() {
				w0, w1 := s.bankWorlds(b.Runs[at])
				r.Charts = append(r.Charts, ScoreChart{
					Figure: fmt.Sprintf("Figure %d", 7+i), Setup: s.name, Data: b.name(), Runs: len(w0.scores), BaseEpsilon: b.Config.BaseEpsilons[at], Without: w0.scores, With: w1.scores,
					Weights: [2][]float64{releasedWeights(k, w0.scores, nil), releasedWeights(k, w1.scores, nil)},
				}.compared())
			}
		}
	}
	return r
}

// Figure draws one chart for each figure, data set and ε_B.
func (r ScoresResult) Figure() chart.Figure {
	p := r.panels
	for i, c := range r.Charts {
		panel := c.chart()
		panel.Name, panel.YLabel = fmt.Sprintf("%s-%d", p.Name, i+1), "share of "+r.unit
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
			share := 1 / float64(len(scores))
			if weights != nil {
				share = weights[i]
			}
			k.Y[min(int((s-low)/width), bins-1)] += share
		}
		k.Y[bins] = k.Y[bins-1] // the last bin ends here
		return k
	}
	on := c.Setup
	if c.Data != "" {
		on += ", " + c.Data
	}
	return chart.Chart{
		Title: fmt.Sprintf("%s: %s, ε_B = %g", c.Figure, on, c.BaseEpsilon), XLabel: "score of the released run",
		Curves: []chart.Curve{curve("without z", c.Without, c.Weights[0]), curve("with z", c.With, c.Weights[1])},
	}
}

// Table lists how far apart the two worlds of each chart are.
func (r ScoresResult) Table() figures.Table {
	t := figures.Table{Name: r.panels.Name + "-distances", Title: "Kolmogorov distance of the scores with and without z", Columns: r.heads}
	for _, c := range r.Charts {
		apart := "no"
		if c.apart() {
			apart = "yes"
		}
		row := []string{c.Figure, c.Setup, c.Data, fmt.Sprint(c.BaseEpsilon), fmt.Sprint(c.Runs), fmt.Sprintf("%.3f", c.Distance), fmt.Sprintf("%.3f", c.Single), fmt.Sprintf("%.3f", c.Limit), apart}
		for i, head := range r.heads {
			if head == "" {
				row[i] = ""
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t.WithoutEmptyColumns()
}
