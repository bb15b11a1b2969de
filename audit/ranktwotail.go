package audit

import (
	"fmt"
)

// RankTwoTail returns the lower bound on ε from both tails at once. It adds the members strictly
// above the (k+1)-th largest non-member score and the non-members strictly below the (k+1)-th
// smallest member score. k must be fixed before the scores were seen. It assumes nothing of the
// mechanism and is the answer of a report ([Report.Headline]).
//
// Among assumption-free bounds it was the largest in all settings with continuous scores that were
// tried. On scores with few values a threshold between them shows more, and Clopper-Pearson bounds
// are larger. Ties count against the audit; [Scores.BreakTies] breaks them at random.
func RankTwoTail(scores Scores, k int, cfg Config) (Bound, error) {
	s, err := rankInput(scores, k, cfg)
	if err != nil {
		return Bound{}, err
	}
	b := s.rankTwoTail(k, cfg)
	b.doubtCeiling(func(n int) bool {
		return k < n && twoTailP(EpsilonDelta{Delta: cfg.Delta}, n, n, k, 2*n) < cfg.Significance()
	})
	return b, nil
}

func (s sample) rankTwoTail(k int, cfg Config) Bound {
	n1, n0 := len(s.member), len(s.nonMember)
	bound := func(sum int) float64 {
		return epsilonFamily(cfg.Delta).twoTailBound(n1, n0, k, sum, cfg.Significance())
	}
	b := NewBound("rank-two-tail", AssumeNothing, cfg, rankReference)
	b.Epsilon = bound(s.top(k).hits + s.bottom(k).hits)
	b.Ceiling = bound(n1 + n0)
	b.ChosenBefore = fmt.Sprintf("rank k = %d in both tails, stated as fixed beforehand", k)
	return b
}

// RankTwoTailP returns the p-value of a claim by the test of [RankTwoTail]. For more than 1,000
// games it returns an upper bound on the p-value. With an error it is 1.
func RankTwoTailP(scores Scores, claim Curve, k int) (float64, error) {
	if err := ValidateClaim(claim); err != nil {
		return 1, err
	}
	s, err := rankInput(scores, k, Config{})
	if err != nil {
		return 1, err
	}
	return twoTailP(claim, len(s.member), len(s.nonMember), k, s.top(k).hits+s.bottom(k).hits), nil
}

// DeltaLower returns the lower bound on δ at a given ε, from the two-tail rank test with rank k
// fixed before the scores were seen. With the confidence of cfg the mechanism is (ε, δ)-DP for no
// smaller δ. Over several ε it is the audited privacy profile. Each point holds by itself; all hold
// together with Bonferroni's correction.
func DeltaLower(scores Scores, epsilon float64, k int, cfg Config) (float64, error) {
	s, err := rankInput(scores, k, cfg)
	if err != nil {
		return 0, err
	}
	if err := (EpsilonDelta{Epsilon: epsilon}).Validate(); err != nil {
		return 0, err
	}
	n1, n0 := len(s.member), len(s.nonMember)
	sum := s.top(k).hits + s.bottom(k).hits
	deltas := family{func(delta float64) Curve { return EpsilonDelta{epsilon, delta} }, 1 - 1e-9}
	return deltas.twoTailBound(n1, n0, k, sum, cfg.Significance()), nil
}
