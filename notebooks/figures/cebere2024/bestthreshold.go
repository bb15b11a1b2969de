package cebere2024

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/audit"
)

// paperAudit is the audit of the paper: the best threshold on the same scores, Clopper-Pearson bounds on both error rates, a
// Gaussian trade-off curve. It is the bound "gdp-clopper-pearson" of audit.Bounds. A figure takes it of thousands of samples
// of one size; so the bounds of all counts are computed once.
type paperAudit struct {
	delta    float64
	quantile []float64 // Φ⁻¹ of the upper bound on an error rate, by the number of errors
}

// newPaperAudit returns the audit of games in each world.
func newPaperAudit(games int, level audit.Level) paperAudit {
	significance := 1 - cmp.Or(level.Confidence, audit.DefaultConfidence)
	a := paperAudit{delta: level.Delta}
	for errors := range games + 1 {
		a.quantile = append(a.quantile, distuv.UnitNormal.Quantile(audit.RateUpper(errors, games, significance/2)))
	}
	return a
}

// epsilon returns the ε that the paper would report. Both classes of scores have as many games as the audit; it sorts them.
func (a paperAudit) epsilon(scores audit.Scores) (float64, error) {
	slices.Sort(scores.Member)
	slices.Sort(scores.NonMember)
	games, below, mu := len(scores.NonMember), 0, 0.0
	for missed, x := range scores.Member { // the threshold just below x misses the members before it
		for below < games && scores.NonMember[below] < x {
			below++
		}
		mu = math.Max(mu, -a.quantile[missed]-a.quantile[games-below])
	}
	return audit.EpsilonOfMu(mu, a.delta)
}
