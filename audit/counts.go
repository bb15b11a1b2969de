package audit

import (
	"errors"
	"fmt"
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
	var errs []error
	check := func(errorName string, count int, name string, n int) {
		if n < 1 {
			errs = append(errs, fmt.Errorf("audit: Counts.%s %d: must be >= 1", name, n))
		} else if count < 0 || count > n {
			errs = append(errs, fmt.Errorf("audit: Counts.%s %d: must be in [0, %s = %d]", errorName, count, name, n))
		}
	}
	check("FalseNegatives", c.FalseNegatives, "Members", c.Members)
	check("FalsePositives", c.FalsePositives, "NonMembers", c.NonMembers)
	return errors.Join(errs...)
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
