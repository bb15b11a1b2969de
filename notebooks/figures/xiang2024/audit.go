package xiang2024

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// audit plays the reduced games of Figure 5 for all charts of the law at index and adds a lower
// bound on ε to each point: Clopper-Pearson at a threshold that is chosen on a random half of the
// games, so that its confidence holds. All points of a law use the same draws: N(µ, 1) is
// N(0, 1) moved by µ. This makes their differences sharper.
func (r Figure6Result) audit(index int, stream uint64) error {
	law := r.Config.Laws[index]
	rng := rand.New(rand.NewPCG(r.Config.Seed, stream))
	var draws [2][]float64
	for range r.Config.Games / 2 {
		for i := range draws {
			x, err := bestOf(law, rng)
			if err != nil {
				return err
			}
			draws[i] = append(draws[i], x)
		}
	}
	slices.Sort(draws[0]) // the audit sorts: this is quicker than once for each point
	slices.Sort(draws[1])
	n := len(r.Config.BaseEpsilons)
	bounds := make([]float64, n*len(r.Charts))
	err := parallel.Each(len(bounds), func(k int) error {
		if !r.hasLaw(k/n, index) {
			return nil
		}
		moved := make([]float64, len(draws[1]))
		for i, x := range draws[1] {
			moved[i] = x + r.Charts[k/n].MuO[k%n]
		}
		level := audit.Config{Delta: r.Config.Delta, Confidence: r.Config.Confidence}
		halves := rand.New(rand.NewPCG(r.Config.Seed+1, stream))
		bound, err := audit.ClopperPearsonSplit(audit.Scores{NonMember: draws[0], Member: moved}, 1, level, halves)
		bounds[k] = bound.Epsilon
		return err
	})
	for k, epsilon := range bounds {
		if c := r.Charts[k/n]; r.hasLaw(k/n, index) {
			c.Audits[k%n] = append(c.Audits[k%n], epsilon)
		}
	}
	return err
}

// hasLaw reports whether a chart is of the law at index: charts are sorted by rates, then laws.
func (r Figure6Result) hasLaw(chart, index int) bool { return chart%len(r.Config.Laws) == index }

// bestOf draws the largest of K standard normal numbers: its rank is U^(1/K).
func bestOf(l law.Law, rng *rand.Rand) (float64, error) {
	k, err := l.Distribution().Rand(rng)
	if err != nil {
		return 0, err
	}
	above := -math.Expm1(-rng.ExpFloat64() / float64(k)) // 1 - U^(1/K)
	return -mathext.NormalQuantile(above), nil
}
