// Package paperaudit is the audit of cebere2024: the best threshold on the same scores,
// Clopper-Pearson bounds on both error rates, a Gaussian trade-off curve. It is the bound
// "gdp-clopper-pearson" of audit.Bounds, which nothing corrects for the choice of the threshold. A
// figure takes it of thousands of samples of one size, so the bounds of all counts are computed
// once.
package paperaudit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/audit"
)

// Audit is the audit of games of one number.
type Audit struct {
	delta    float64
	quantile []float64 // Φ⁻¹ of the upper bound on an error rate, by the number of errors
}

// New returns the audit of so many games in each world.
func New(games int, cfg audit.Config) Audit {
	significance := 1 - cmp.Or(cfg.Confidence, audit.DefaultConfidence)
	a := Audit{delta: cfg.Delta}
	for errors := range games + 1 {
		a.quantile = append(a.quantile, distuv.UnitNormal.Quantile(audit.RateUpper(errors, games, significance/2)))
	}
	return a
}

// Mu returns the µ that the paper would report, at least 0. Both classes of scores have as many
// games as the audit; it sorts them.
func (a Audit) Mu(scores audit.Scores) float64 {
	slices.Sort(scores.Member)
	slices.Sort(scores.NonMember)
	games, below, mu := len(scores.NonMember), 0, 0.0
	for missed, x := range scores.Member { // the threshold just below x misses the members before it
		for below < games && scores.NonMember[below] < x {
			below++
		}
		mu = math.Max(mu, -a.quantile[missed]-a.quantile[games-below])
	}
	return mu
}

// Epsilon returns the ε that the paper would report, as Mu.
func (a Audit) Epsilon(scores audit.Scores) (float64, error) {
	return audit.EpsilonOfMu(a.Mu(scores), a.delta)
}
