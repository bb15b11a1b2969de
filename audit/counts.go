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

// steps are the counts of every distinct threshold test, from the strictest (nobody is
// called a member) to the laxest (everybody is). Tied scores are called together.
type steps struct {
	tp, fp []int32
	n1, n0 int
}

func (s sample) steps() steps {
	out := steps{n1: len(s.member), n0: len(s.nonMember)}
	out.tp = append(make([]int32, 0, out.n1+1), 0)
	out.fp = append(make([]int32, 0, out.n1+1), 0)
	i, j := out.n1, out.n0 // scores not yet called members
	for i > 0 || j > 0 {
		x := s.next(i, j)
		for i > 0 && s.member[i-1] == x {
			i--
		}
		for j > 0 && s.nonMember[j-1] == x {
			j--
		}
		out.tp = append(out.tp, int32(out.n1-i))
		out.fp = append(out.fp, int32(out.n0-j))
	}
	return out
}

// next returns the largest score among the first i members and the first j non-members.
func (s sample) next(i, j int) float64 {
	if j == 0 || i > 0 && s.member[i-1] >= s.nonMember[j-1] {
		return s.member[i-1]
	}
	return s.nonMember[j-1]
}

func (s steps) len() int { return len(s.tp) }

// counts returns the errors at step i.
func (s steps) counts(i int) Counts {
	return Counts{Members: s.n1, NonMembers: s.n0, FalseNegatives: s.n1 - int(s.tp[i]), FalsePositives: int(s.fp[i])}
}
