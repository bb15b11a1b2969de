package audit

import (
	"errors"
	"fmt"
)

var errUncorrected = errors.New("the threshold is the best on the same scores, uncorrected as in the papers: no confidence is guaranteed, and it is wrong more often the more games there are")

// clopperPearsonBest is the bound that papers report: the best over all thresholds.
func clopperPearsonBest(s steps, level Level) Bound {
	b := newBound("clopper-pearson", AssumeNothing, level, clopperPearsonReference)
	half := level.significance() / 2
	fnr, fpr := newRateCache(s.n1, half), newRateCache(s.n0, half)
	best, top := bestStep(s, func(c Counts) float64 {
		return epsilonOfRates(fnr.upper(c.FalseNegatives), fpr.upper(c.FalsePositives), level.Delta)
	})
	b.Epsilon = top
	b.Ceiling = clopperPearson(s.counts(0).perfect(), level.Delta, half)
	b.uncorrected(s, best)
	return b
}

// gdpClopperPearsonBest is the same for the bound under a Gaussian trade-off.
func gdpClopperPearsonBest(s steps, level Level) Bound {
	b := newBound("gdp-clopper-pearson", AssumeGDP, level, gdpClopperPearsonReference)
	half := level.significance() / 2
	fnr, fpr := newRateCache(s.n1, half), newRateCache(s.n0, half)
	best, top := bestStep(s, func(c Counts) float64 {
		return muOfRates(fnr.upper(c.FalseNegatives), fpr.upper(c.FalsePositives))
	})
	b.finishGDP(top, gdpClopperPearson(s.counts(0).perfect(), half))
	b.uncorrected(s, best)
	return b
}

func (b *Bound) uncorrected(s steps, step int) {
	c := s.counts(step)
	b.Confidence = 0
	b.Fixed = fmt.Sprintf("nothing: the best of %d thresholds on the same scores (%d of %d members missed, %d of %d non-members accused)",
		s.len(), c.FalseNegatives, c.Members, c.FalsePositives, c.NonMembers)
	b.Warnings = append(b.Warnings, errUncorrected)
}
