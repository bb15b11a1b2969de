package audit

// RankOneTailP returns the p-value of a claim by the test of [RankOneTail].
func RankOneTailP(scores Scores, claim Curve, k int) (float64, error) {
	if err := checkClaim(claim); err != nil {
		return 0, err
	}
	s, err := topInput(scores, k, Level{})
	if err != nil {
		return 0, err
	}
	return oneTailP(claim, len(s.member), len(s.nonMember), k, s.top(k).hits), nil
}

// RankTwoTailP returns an upper bound on the p-value of a claim by the test of [RankTwoTail].
func RankTwoTailP(scores Scores, claim Curve, k int) (float64, error) {
	if err := checkClaim(claim); err != nil {
		return 0, err
	}
	s, err := rankInput(scores, k, Level{})
	if err != nil {
		return 0, err
	}
	return twoTailP(claim, len(s.member), len(s.nonMember), k, s.top(k).hits+s.bottom(k).hits), nil
}
