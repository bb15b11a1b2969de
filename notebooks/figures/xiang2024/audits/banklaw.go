package audits

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// BankLawResult compares single runs, weighted by rank, with real searches of the same networks.
type BankLawResult struct {
	Games TuningGames
	Rows  []BankLawRow
}

// BankLawRow is one world at one base ε. Distances are those of Kolmogorov and Smirnov.
type BankLawRow struct {
	BaseEpsilon float64
	World       string
	Runs, Games int     // single runs, and searches
	Weighted    float64 // distance of weighted runs from released ones
	Unweighted  float64 // the same without weights, as if nobody selected
	ByChance    float64 // in 95 % no row of the table exceeds it, if both samples have one law
}

// BankLaw takes the first runs of one trial of games, and the released runs of the other trials.
// Along the Dirac gradient λ_a is the score of NTCV, so no other number is needed. The two samples
// are independent. It returns an error if there is only one trial.
func BankLaw(games TuningGames) (BankLawResult, error) {
	r := BankLawResult{Games: games}
	size := games.Config.Games / games.Config.Trials
	k := games.Config.Law.Distribution()
	for _, a := range games.Audits {
		for i, world := range []TuningScores{a.Normal.Without, a.Normal.Dirac} {
			if len(world.BaseDirac) <= size {
				return r, fmt.Errorf("xiang2024: %d games at ε_B = %g: must be more than one trial of %d", len(world.BaseDirac), a.BaseEpsilon, size)
			}
			single, searched := sum(world.BaseDirac[:size], nil, 0), sum(world.ByCoordinate.Dirac[size:], nil, 0)
			r.Rows = append(r.Rows, BankLawRow{
				BaseEpsilon: a.BaseEpsilon, World: [...]string{"without z", "with z"}[i], Runs: len(single), Games: len(searched),
				Weighted: releasedDistance(k, single, single, searched), Unweighted: releasedDistance(law.Fixed{Count: 1}.Distribution(), single, single, searched),
				ByChance: releasedByChance(k, len(single), len(searched), 0.05/float64(2*len(games.Audits))),
			})
		}
	}
	return r, nil
}

// releasedDistance returns the distance between a proxy of single runs, weighted by their scores,
// and that of released runs.
func releasedDistance(k law.Distribution, scores, proxies, searched []float64) float64 {
	r := newReleased(experiments.FloatsOf(proxies), experiments.FloatsOf(scores), 0)
	weights := releasedWeights(k, r.scores, nil)
	var values, ordered []float64
	for _, i := range r.order[0] {
		values, ordered = append(values, r.proxies[0][i]), append(ordered, weights[i])
	}
	return stat.KolmogorovSmirnov(values, ordered, slices.Sorted(slices.Values(searched)), nil)
}

// releasedByChance returns the distance that weighted runs and games of one law exceed with a
// chance of at most significance, by the asymptotic law of two samples. Weighted runs count as
// their equivalent games. That is also right where the proxy is the score, for TNB(0, γ): the
// largest variance f'(t)² t(1-t) of the distribution function is at t = 1/(1+γ), where it is
// E[f'(U)²]/4.
func releasedByChance(k law.Distribution, runs, games int, significance float64) float64 {
	return math.Sqrt(-math.Log(significance/2)/2) * math.Sqrt(1/float64(games)+1/equivalentGames(k, runs))
}

// Table lists the distances.
func (r BankLawResult) Table() figures.Table {
	t := figures.Table{
		Name: "xiang2024-bank-law", Title: "Single runs weighted by rank, and real searches: Kolmogorov distance of λ_a",
		Columns: []string{"ε_B", "world", "single runs", "searches", "distance, weighted", "by chance, in 95 % of tables, at most", "distance, not weighted"},
		Notes:   []string{r.Games.about(), "NTCV with the Dirac gradient. The single runs are of one trial, the searches of the others."},
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%g", row.BaseEpsilon), row.World, fmt.Sprint(row.Runs), fmt.Sprint(row.Games),
			fmt.Sprintf("%.3f", row.Weighted), fmt.Sprintf("%.3f", row.ByChance), fmt.Sprintf("%.3f", row.Unweighted)})
	}
	return t
}
