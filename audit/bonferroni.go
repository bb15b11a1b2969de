package audit

import (
	"fmt"
	"math"
)

// Bonferroni over thresholds that were fixed before the scores: a grid of ranks in both
// tails (see rankGrid): 2 log2 n thresholds, instead of the 2n that other
// tools pay for. The best of J bounds at significance/J each is a bound at significance.

func clopperPearsonBonferroni(s sample, level Level) Bound {
	b := newBound("clopper-pearson-bonferroni", AssumeNothing, level, clopperPearsonReference)
	tests := s.gridTests()
	each := level.significance() / float64(2*len(tests))
	for _, t := range tests {
		b.Epsilon = math.Max(b.Epsilon, clopperPearson(t.counts(len(s.member), len(s.nonMember)), level.Delta, each))
	}
	b.Ceiling = clopperPearson(Counts{Members: len(s.member), NonMembers: len(s.nonMember)}, level.Delta, each)
	b.Fixed = bonferroniFixed(len(tests))
	return b
}

func gdpClopperPearsonBonferroni(s sample, level Level) Bound {
	b := newBound("gdp-clopper-pearson-bonferroni", AssumeGDP, level, gdpClopperPearsonReference)
	tests := s.gridTests()
	each := level.significance() / float64(2*len(tests))
	mu := math.Inf(-1)
	for _, t := range tests {
		mu = math.Max(mu, gdpClopperPearson(t.counts(len(s.member), len(s.nonMember)), each))
	}
	b.finishGDP(mu, gdpClopperPearson(Counts{Members: len(s.member), NonMembers: len(s.nonMember)}, each))
	b.Fixed = bonferroniFixed(len(tests))
	return b
}

func bonferroniFixed(thresholds int) string {
	return fmt.Sprintf("%d thresholds, fixed beforehand by rank; Bonferroni", thresholds)
}
