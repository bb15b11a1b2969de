package audits

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// Figures7to9Result has the scores of the released runs, without the foreign example and with it.
type Figures7to9Result struct {
	Games  TuningGames
	Charts []ScoreChart // Figure 7 first, all base ε of each
}

// ScoreChart is one histogram. Scores are minus mean losses, in increasing order.
type ScoreChart struct {
	Figure, Setup string
	BaseEpsilon   float64
	Without, With []float64
	Weights       [2][]float64 // of the scores without z and with it; nil for equal ones
	Distance      float64      // of Kolmogorov and Smirnov, between the two
	Limit         float64      // of it, at 5 %, if the scores do not depend on z (asymptotic)
}

// Figures7to9 compares the distributions of the released scores.
func Figures7to9(games TuningGames) Figures7to9Result {
	r := Figures7to9Result{Games: games}
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
			c.Distance, c.Limit = stat.KolmogorovSmirnov(c.Without, nil, c.With, nil), distanceByChance(len(c.Without), len(c.With))
			r.Charts = append(r.Charts, c)
		}
	}
	return r
}

// distanceByChance returns the distance of Kolmogorov and Smirnov that two samples of one
// continuous law exceed in 5 % (asymptotic).
func distanceByChance(n0, n1 int) float64 {
	return math.Sqrt(-math.Log(0.025)/2) * math.Sqrt(1/float64(n0)+1/float64(n1))
}

// Figure draws one row for each figure.
func (r Figures7to9Result) Figure() chart.Figure {
	p := chart.Panels{
		Name: "xiang2024-figures7to9", Title: "Figures 7 to 9: scores of released runs, with and without z", Columns: max(1, len(r.Games.Audits)), Sources: []string{r.Games.Account},
		Notes: []string{r.Games.about(), "z is the foreign example. The score is minus the mean loss: of the validation data (NTNV), of z (NTCV, ETCV)."},
	}
	for i, c := range r.Charts {
		p.Charts = append(p.Charts, c.chart(i))
	}
	return p
}

func (c ScoreChart) chart(index int) chart.Chart {
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
	return chart.Chart{
		Name: fmt.Sprintf("xiang2024-figures7to9-%d", index+1), Title: fmt.Sprintf("%s: %s, ε_B = %g", c.Figure, c.Setup, c.BaseEpsilon),
		XLabel: "score of the released run", YLabel: "share of the games", Curves: []chart.Curve{curve("without z", c.Without, c.Weights[0]), curve("with z", c.With, c.Weights[1])},
	}
}

// Table lists how far apart the two histograms of each chart are.
func (r Figures7to9Result) Table() figures.Table {
	t := figures.Table{Name: "xiang2024-figures7to9-distances", Title: "Kolmogorov distance of the scores with and without z",
		Columns: []string{"figure", "setup", "ε_B", "distance", "by chance, in 95 %, at most", "told apart"}}
	for _, c := range r.Charts {
		apart := "no"
		if c.Distance > c.Limit {
			apart = "yes"
		}
		t.Rows = append(t.Rows, []string{c.Figure, c.Setup, fmt.Sprint(c.BaseEpsilon), fmt.Sprintf("%.3f", c.Distance), fmt.Sprintf("%.3f", c.Limit), apart})
	}
	return t
}
