package audit

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/audit/internal/tails"
)

// RateUpper returns the Clopper-Pearson upper bound on a rate of which count of n trials
// showed it: the p with P[Bin(n, p) <= count] = significance, rounded up.
//
// Special cases are:
//
//	count = n  returns 1
//	count = 0  returns 1 - significance^(1/n)
//
// Counts outside [0, n], n < 1 and a significance outside (0, 1) say nothing: they give 1.
//
// Reference: Clopper and Pearson (1934), Biometrika 26(4).
func RateUpper(count, n int, significance float64) float64 {
	switch {
	case count >= n || count < 0 || !(significance > 0 && significance < 1):
		return 1
	case count == 0:
		return -math.Expm1(math.Log(significance) / float64(n))
	}
	return tails.BetaUpperQuantile(significance, float64(count+1), float64(n-count))
}

// rateLower returns the Clopper-Pearson lower bound on a rate, rounded down. What says nothing
// to [RateUpper] gives 0.
func rateLower(count, n int, significance float64) float64 {
	switch {
	case count <= 0 || count > n || !(significance > 0 && significance < 1):
		return 0
	case count == n:
		return math.Exp(math.Log(significance) / float64(n))
	}
	return tails.BetaLowerQuantile(significance, float64(count), float64(n-count+1))
}

const clopperPearsonReference = "Clopper-Pearson bounds on both error rates, half of the significance each; Nasr et al. (2021), arXiv:2101.04535"

// ClopperPearson returns the lower bound on ε of a test whose threshold was fixed before
// the scores were seen.
//
//	ε = max( ln((1-δ-FNR⁺)/FPR⁺), ln((1-δ-FPR⁺)/FNR⁺), 0 )
//
// FNR⁺ and FPR⁺ are upper bounds at half of the significance each. Both inequalities of
// (ε, δ)-DP use the same two events, so that taking the larger costs nothing more.
//
// Reference: Kairouz, Oh, Viswanath (2015), Theorem 2.1; Nasr et al. (2021), arXiv:2101.04535.
func ClopperPearson(c Counts, level Level) (Bound, error) {
	if err := errors.Join(c.Validate(), level.Validate()); err != nil {
		return Bound{}, err
	}
	b := NewBound("clopper-pearson", AssumeNothing, level, clopperPearsonReference)
	b.Fixed = "the threshold, fixed beforehand"
	half := level.Significance() / 2
	b.Epsilon = clopperPearson(c, level.Delta, half)
	b.Ceiling = clopperPearson(c.perfect(), level.Delta, half)
	return b, nil
}

// clopperPearson spends significance each on the two error rates.
func clopperPearson(c Counts, delta, significance float64) float64 {
	fnr := RateUpper(c.FalseNegatives, c.Members, significance)
	fpr := RateUpper(c.FalsePositives, c.NonMembers, significance)
	return epsilonOfRates(fnr, fpr, delta)
}

// epsilonOfRates returns the largest ε that upper bounds on the error rates refute, or 0.
func epsilonOfRates(fnr, fpr, delta float64) float64 {
	return math.Max(0, math.Max(logRatio(1-delta-fnr, fpr), logRatio(1-delta-fpr, fnr)))
}

func logRatio(num, den float64) float64 {
	if !(num > den) {
		return 0
	}
	return math.Log(num / den)
}

// Bonferroni over thresholds that were fixed before the scores: a grid of ranks in both
// tails (see rankGrid): 2 log2 n thresholds, instead of the 2n that other
// tools pay for. The best of J bounds at significance/J each is a bound at significance.

func clopperPearsonBonferroni(s sample, level Level) Bound {
	b := NewBound("clopper-pearson-bonferroni", AssumeNothing, level, clopperPearsonReference)
	tests := s.gridTests()
	each := level.Significance() / float64(2*len(tests))
	for _, t := range tests {
		b.Epsilon = math.Max(b.Epsilon, clopperPearson(t.counts(len(s.member), len(s.nonMember)), level.Delta, each))
	}
	b.Ceiling = clopperPearson(Counts{Members: len(s.member), NonMembers: len(s.nonMember)}, level.Delta, each)
	b.Fixed = bonferroniFixed(len(tests))
	return b
}

func gdpClopperPearsonBonferroni(s sample, level Level) Bound {
	b := NewBound("gdp-clopper-pearson-bonferroni", AssumeGDP, level, gdpClopperPearsonReference)
	tests := s.gridTests()
	each := level.Significance() / float64(2*len(tests))
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

// gridTests are the tests at the ranks of the grid in both tails.
func (s sample) gridTests() []rankTest {
	var tests []rankTest
	for _, k := range rankGrid(len(s.nonMember)) {
		tests = append(tests, s.top(k))
	}
	for _, k := range rankGrid(len(s.member)) {
		tests = append(tests, s.bottom(k))
	}
	return tests
}
