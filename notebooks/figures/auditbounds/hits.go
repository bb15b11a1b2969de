package auditbounds

import (
	"slices"

	"github.com/dplab/dplab/audit"
)

// oneTailHits counts members above the (k+1)-th largest score of non-members: all that the one-tail rank test sees of scores without ties.
func oneTailHits(s audit.Scores, k int) (hits int) {
	threshold := slices.Sorted(slices.Values(s.NonMember))[len(s.NonMember)-k-1]
	for _, x := range s.Member {
		if x > threshold {
			hits++
		}
	}
	return hits
}

// twoTailHits adds the non-members below the (k+1)-th smallest score of members, as the two-tail rank test does.
func twoTailHits(s audit.Scores, k int) int {
	hits := oneTailHits(s, k)
	threshold := slices.Sorted(slices.Values(s.Member))[k]
	for _, x := range s.NonMember {
		if x < threshold {
			hits++
		}
	}
	return hits
}
