package audit

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// Counts are the errors of one threshold test on the games.
type Counts struct {
	Members        int // games with the canary, n1
	NonMembers     int // games without it, n0
	FalseNegatives int // members that the test called non-members
	FalsePositives int // non-members that the test called members
}

// Validate returns an error unless there are games of both classes and the error counts
// are between 0 and the numbers of games.
func (c Counts) Validate() error {
	f := check.In("audit: Counts.")
	f.Count("Members", c.Members, 1)
	f.Count("NonMembers", c.NonMembers, 1)
	f.That(c.Members < 1 || c.FalseNegatives >= 0 && c.FalseNegatives <= c.Members, "FalseNegatives", c.FalseNegatives,
		fmt.Sprintf("must be in [0, Members = %d]", c.Members))
	f.That(c.NonMembers < 1 || c.FalsePositives >= 0 && c.FalsePositives <= c.NonMembers, "FalsePositives", c.FalsePositives,
		fmt.Sprintf("must be in [0, NonMembers = %d]", c.NonMembers))
	return f.Err()
}

// perfect returns the counts of a test without errors on as many games.
func (c Counts) perfect() Counts {
	return Counts{Members: c.Members, NonMembers: c.NonMembers}
}

// CountAt returns the errors of the test that calls a score above threshold a member.
func (s Scores) CountAt(threshold float64) Counts {
	c := Counts{Members: len(s.Member), NonMembers: len(s.NonMember)}
	for _, x := range s.Member {
		if !(x > threshold) {
			c.FalseNegatives++
		}
	}
	for _, x := range s.NonMember {
		if x > threshold {
			c.FalsePositives++
		}
	}
	return c
}
