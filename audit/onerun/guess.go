package onerun

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Guess calls the ceil(r/2) canaries with the largest scores members and the floor(r/2) with the
// smallest non-members, and counts the right guesses. If the scores have two values, only canaries
// with the larger one are called members, and only those with the smaller one non-members. The two
// numbers are then as near to these as that allows. Guess returns an error unless r is in [1,
// number of canaries].
//
// Ties at the two borders count against the audit: among equal scores it guesses those that make
// the guess wrong. [audit.Scores.BreakTies] breaks ties at random. The choice of canaries may
// depend on coins that the mechanism does not see, and on the scores of all canaries, but not on
// which are members.
func Guess(scores audit.Scores, r int) (Guesses, error) {
	if err := scores.Validate(); err != nil {
		return Guesses{}, err
	}
	return guess(scores, r, membersCalled(scores, r))
}

// membersCalled returns how many of r guesses are members. It sees the scores of both classes
// together, so it does not depend on which canaries are members.
func membersCalled(s audit.Scores, r int) int {
	all := slices.Concat(s.Member, s.NonMember)
	half, larger := r-r/2, slices.Max(all)
	smaller := slices.Min(all)
	count := 0
	for _, x := range all {
		if x != smaller && x != larger {
			return half
		}
		if x == larger {
			count++
		}
	}
	if smaller == larger {
		return half
	}
	return min(max(half, r-(len(all)-count)), count)
}

// guess is Guess with so many members among r guesses.
func guess(scores audit.Scores, r, top int) (Guesses, error) {
	s := audit.Scores{Member: slices.Clone(scores.Member), NonMember: slices.Clone(scores.NonMember)}
	slices.Sort(s.Member)
	slices.Sort(s.NonMember)
	g := Guesses{Canaries: len(s.Member) + len(s.NonMember), Guessed: r}
	if err := g.Validate(); err != nil {
		return Guesses{}, err
	}
	// Beyond a border all guesses are certain. Among equal scores take the wrong ones first.
	if top > 0 {
		upper := smallest(s, g.Canaries-top)
		certain, certainWrong := above(s.Member, upper), above(s.NonMember, upper)
		tiedWrong := len(s.NonMember) - below(s.NonMember, upper) - certainWrong
		g.Correct = certain + max(0, top-certain-certainWrong-tiedWrong)
	}
	if bottom := r - top; bottom > 0 {
		lower := smallest(s, bottom-1)
		certain, certainWrong := below(s.NonMember, lower), below(s.Member, lower)
		tiedWrong := len(s.Member) - above(s.Member, lower) - certainWrong
		g.Correct += certain + max(0, bottom-certain-certainWrong-tiedWrong)
	}
	return g, nil
}

// smallest returns the k-th smallest score of both classes, k from 0.
func smallest(s audit.Scores, k int) float64 {
	i, j := 0, 0
	for {
		var x float64
		if j == len(s.NonMember) || i < len(s.Member) && s.Member[i] <= s.NonMember[j] {
			x, i = s.Member[i], i+1
		} else {
			x, j = s.NonMember[j], j+1
		}
		if i+j > k {
			return x
		}
	}
}

// below returns how many of the ascending scores are < x.
func below(sorted []float64, x float64) int {
	n, _ := slices.BinarySearch(sorted, x)
	return n
}

// above returns how many of the ascending scores are > x, which is finite.
func above(sorted []float64, x float64) int {
	return len(sorted) - below(sorted, math.Nextafter(x, math.Inf(1)))
}

// maxMu is the largest leak that an audit can be planned for, as in audit.Config.
const maxMu = 50

// bestGuesses returns the number of guesses that maximizes the expected bound of [Bound]. The
// scores of the m canaries are N(µ,1) and N(0,1).
func bestGuesses(mu float64, canaries int, cfg audit.Config) int {
	mu = math.Max(0, math.Min(maxMu, mu))
	best, top := 1, math.Inf(-1)
	for r := min(canaries, 8); ; r = min(canaries, r+r/4+1) {
		correct := int(float64(r) * expectedAccuracy(mu, float64(r)/float64(canaries)))
		if eps := steinke(Guesses{canaries, r, correct}, cfg); eps > top {
			best, top = r, eps
		}
		if r == canaries {
			return best
		}
	}
}

// expectedAccuracy is the share of right guesses when a share s of the canaries is guessed, half at
// each end. By symmetry it is that of members above the threshold x at which the mixture has the
// tail s/2.
func expectedAccuracy(mu, s float64) float64 {
	tail := func(x float64) float64 { return (numeric.NormalCDF(mu-x) + numeric.NormalCDF(-x)) / 2 }
	x, _ := tails.LastBelow(func(x float64) float64 { return -tail(x) }, -s/2, -9, 60, 1e-6)
	return numeric.NormalCDF(mu-x) / (numeric.NormalCDF(mu-x) + numeric.NormalCDF(-x))
}

// GuessesFor guesses the number of canaries in cfg.Guesses, or the best number for cfg.ExpectedMu.
// Ties are broken at random by cfg.Seed; if it is 0, a seed is drawn.
func GuessesFor(scores audit.Scores, cfg audit.Config) (Guesses, error) {
	if err := errors.Join(scores.Validate(), cfg.Validate()); err != nil {
		return Guesses{}, err
	}
	r := cfg.Guesses
	if r == 0 {
		r = bestGuesses(cmp.Or(cfg.ExpectedMu, 1), len(scores.Member)+len(scores.NonMember), cfg)
	}
	untied, err := scores.BreakTies(cfg.Seeded().Seed)
	if err != nil {
		return Guesses{}, err
	}
	return guess(untied, r, membersCalled(scores, r))
}
