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
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/audit"
)

// Audit is the audit of games of one number.
type Audit struct {
	delta    float64
	quantile []float64 // Φ⁻¹ of the upper bound on an error rate, by the number of errors
}

// known has the quantiles of audits, by level. Figures ask for few sizes at one level many times.
var known sync.Map

type level struct {
	games      int
	confidence float64
}

// New returns the audit of so many games in each world.
func New(games int, cfg audit.Config) Audit {
	at := level{games, cmp.Or(cfg.Confidence, audit.DefaultConfidence)}
	if quantile, ok := known.Load(at); ok {
		return Audit{cfg.Delta, quantile.([]float64)}
	}
	var quantile []float64
	for errors := range games + 1 {
		quantile = append(quantile, distuv.UnitNormal.Quantile(audit.RateUpper(errors, games, (1-at.confidence)/2)))
	}
	known.Store(at, quantile)
	return Audit{cfg.Delta, quantile}
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
