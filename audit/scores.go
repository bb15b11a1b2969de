package audit

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/check"
)

// Scores are the outcomes of the games of one audit.
type Scores struct {
	Member    []float64 // scores of the games with the canary; larger means more like a member
	NonMember []float64 // scores of the games without it
}

// Validate returns an error that names class and index of the first score that is NaN or infinite.
// An empty class is an error too.
func (s Scores) Validate() error {
	var errs []error
	for _, class := range []struct {
		name   string
		scores []float64
	}{{"Member", s.Member}, {"NonMember", s.NonMember}} {
		if err := validateClass(class.name, class.scores); err != nil {
			errs = append(errs, err)
		}
	}
	if len(s.Member) == 0 && len(s.NonMember) == 0 {
		return errors.New("audit: Scores are empty: must hold member and non-member scores")
	}
	return errors.Join(errs...)
}

func validateClass(name string, scores []float64) error {
	if len(scores) == 0 {
		return fmt.Errorf("audit: Scores.%s is empty: all scores are of one class, must hold both", name)
	}
	for i, x := range scores {
		if !check.Finite.Holds(x) {
			return check.Finite.Of(fmt.Sprintf("audit: Scores.%s[%d]", name, i), x)
		}
	}
	return nil
}

// sample is a validated set of scores, both classes sorted ascending.
type sample struct {
	member, nonMember []float64
}

func newSample(s Scores) (sample, error) {
	if err := s.Validate(); err != nil {
		return sample{}, err
	}
	sorted := sample{slices.Clone(s.Member), slices.Clone(s.NonMember)}
	slices.Sort(sorted.member)
	slices.Sort(sorted.nonMember)
	return sorted, nil
}

// above returns how many of the ascending scores are > x.
func above(sorted []float64, x float64) int { return len(sorted) - atMost(sorted, x) }

// atMost returns how many of the ascending scores are <= x.
func atMost(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// below returns how many of the ascending scores are < x.
func below(sorted []float64, x float64) int {
	n, _ := slices.BinarySearch(sorted, x)
	return n
}

// constant reports whether all scores of both classes are one number.
func (s sample) constant() bool {
	first := s.member[0]
	return s.member[len(s.member)-1] == first && s.nonMember[0] == first && s.nonMember[len(s.nonMember)-1] == first
}

// Counts are the errors of one threshold test on the games.
type Counts struct {
	Members        int // games with the canary, n1
	NonMembers     int // games without it, n0
	FalseNegatives int // members that the test called non-members
	FalsePositives int // non-members that the test called members
}

// Validate returns an error unless there are games of both classes and the error counts are between
// 0 and the numbers of games.
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
