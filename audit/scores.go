package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting/check"
)

// Scores are the outcomes of the games of one audit.
type Scores struct {
	Member    []float64 // scores of the games with the canary; larger means more like a member
	NonMember []float64 // scores of the games without it
}

// Validate returns an error that names class and index of the first score that is NaN or
// infinite, or says that a class is empty.
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
	n, _ := slices.BinarySearchFunc(sorted, x, func(e, x float64) int {
		if e <= x {
			return -1
		}
		return 1
	})
	return n
}

// below returns how many of the ascending scores are < x.
func below(sorted []float64, x float64) int {
	n, _ := slices.BinarySearch(sorted, x)
	return n
}

// constant tells whether all scores of both classes are one number.
func (s sample) constant() bool {
	first := s.member[0]
	return s.member[len(s.member)-1] == first && s.nonMember[0] == first && s.nonMember[len(s.nonMember)-1] == first
}
