package audit

import (
	"errors"
	"fmt"
)

// GDPRank returns the lower bound on µ, and so on ε, from the number of members strictly
// above the (k+1)-th largest non-member score, k fixed before the scores were seen, if the
// mechanism is µ-GDP: the exact test of [RankOneTail] with a Gaussian ceiling.
func GDPRank(scores Scores, k int, level Level) (Bound, error) {
	s, err := topInput(scores, k, level)
	if err = errors.Join(err, validateGDPDelta(level.Delta)); err != nil {
		return Bound{}, err
	}
	b := s.gdpRank(k, level)
	sorted, _ := newSample(scores)
	b.doubtTies(sorted.tiedShare())
	return b, nil
}

func (s sample) gdpRank(k int, level Level) Bound {
	n1, n0 := len(s.member), len(s.nonMember)
	bound := func(hits int) float64 {
		p := func(g Curve) float64 { return oneTailP(g, n1, n0, k, hits) }
		return gdpFamily.lowerBound(p, level.significance())
	}
	b := newBound("gdp-rank", AssumeGDP, level, rankReference)
	b.finishGDP(bound(s.top(k).hits), bound(n1))
	b.Fixed = fmt.Sprintf("rank k = %d, fixed beforehand", k)
	return b
}
