package audit

// DeltaLower returns the lower bound on δ at a given ε, from the two-tail rank test with rank
// k fixed before the scores were seen: with the given confidence the mechanism is
// (ε, δ)-DP for no smaller δ. Over several ε it is the audited privacy profile; each point
// holds by itself, all together with Bonferroni's correction.
func DeltaLower(scores Scores, epsilon float64, k int, confidence float64) (float64, error) {
	level := Level{Confidence: confidence}.withDefaults()
	s, err := rankInput(scores, k, level)
	if err != nil {
		return 0, err
	}
	if err := (EpsilonDelta{Epsilon: epsilon}).Validate(); err != nil {
		return 0, err
	}
	n1, n0 := len(s.member), len(s.nonMember)
	sum := s.top(k).hits + s.bottom(k).hits
	deltas := family{func(delta float64) Curve { return EpsilonDelta{epsilon, delta} }, 1 - 1e-9}
	p := func(g Curve) float64 { return twoTailP(g, n1, n0, k, sum) }
	return deltas.lowerBound(p, level.significance()), nil
}
