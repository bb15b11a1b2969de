package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Guess calls the ceil(r/2) canaries with the largest scores members and the floor(r/2) with
// the smallest non-members, and counts what is right. Ties at the two borders are broken at
// random, see [Scores.BreakTies]: which canaries are guessed may depend on coins that the
// mechanism does not see. It returns an error unless r is in [1, number of canaries].
func (s Scores) Guess(r int) (Guesses, error) {
	ranked, err := newRanked(s, 0)
	if err != nil {
		return Guesses{}, err
	}
	return ranked.guess(r)
}

func (s sample) guess(r int) (Guesses, error) {
	g := Guesses{Canaries: len(s.member) + len(s.nonMember), Guessed: r}
	if err := g.Validate(); err != nil {
		return g, err
	}
	all := slices.Concat(s.member, s.nonMember)
	slices.Sort(all)
	top, bottom := r-r/2, r/2
	upper := all[len(all)-top]
	// Above the border all guesses are certain; of scores that are all equal take the wrong ones first.
	certain, certainWrong := above(s.member, upper), above(s.nonMember, upper)
	tiedWrong := len(s.nonMember) - below(s.nonMember, upper) - certainWrong
	g.Correct = certain + max(0, top-certain-certainWrong-tiedWrong)
	if bottom > 0 {
		lower := all[bottom-1]
		certain, certainWrong = below(s.nonMember, lower), below(s.member, lower)
		tiedWrong = atMost(s.member, lower) - certainWrong
		g.Correct += certain + max(0, bottom-certain-certainWrong-tiedWrong)
	}
	return g, nil
}

// BestGuesses returns the number of guesses that maximizes the bound of [OneRun] to be
// expected from m canaries whose scores are N(µ,1) and N(0,1).
func BestGuesses(mu float64, canaries int, level Level) int {
	mu = math.Max(0, math.Min(maxExpectedMu, mu))
	best, top := 1, math.Inf(-1)
	for r := min(canaries, 8); ; r = min(canaries, r+r/4+1) {
		correct := int(float64(r) * expectedAccuracy(mu, float64(r)/float64(canaries)))
		if eps := steinke(Guesses{canaries, r, correct}, level); eps > top {
			best, top = r, eps
		}
		if r == canaries {
			return best
		}
	}
}

// expectedAccuracy is the share of right guesses when a share s of the canaries is guessed,
// half at each end: by symmetry, that of members above the threshold x at which the mixture
// has the tail s/2.
func expectedAccuracy(mu, s float64) float64 {
	tail := func(x float64) float64 { return (numeric.NormalCDF(mu-x) + numeric.NormalCDF(-x)) / 2 }
	x, _ := tails.LastBelow(func(x float64) float64 { return -tail(x) }, -s/2, -9, 60, 1e-6)
	return numeric.NormalCDF(mu-x) / (numeric.NormalCDF(mu-x) + numeric.NormalCDF(-x))
}

var errOneRunIntervals = errors.New("the canaries of one run are not independent: the intervals of AUC and TPR describe this run only")

// OneRunBounds returns every bound on the scores of the canaries of one run, of which all
// count, guessed or not. The member scores are those of the canaries that were included.
func OneRunBounds(scores Scores, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	s, err := newSample(scores)
	if err != nil {
		return Report{}, err
	}
	level := cfg.level().withDefaults()
	m := len(s.member) + len(s.nonMember)
	// All guesses are right with chance 2^-m without a leak, which must be below the significance.
	if need := int(math.Floor(1e-9-math.Log2(level.Significance()))) + 1; m < need {
		return Report{}, fmt.Errorf("audit: %d canaries: even all guesses right would not show an ε above 0 at confidence %g; %d would do", m, level.Confidence, need)
	}
	guesses, err := cfg.guessesFor(s.untied(scores, cfg.Seed))
	if err != nil {
		return Report{}, err
	}
	report := s.describe(level)
	report.OneRun = true
	report.add(OneRun(guesses, level))
	report.add(OneRunMax(guesses, level))
	report.add(OneRunFDP(guesses, level))
	for i := range report.Bounds {
		report.Bounds[i].doubtTies(report.Tied)
	}
	report.Warnings = append(report.Warnings, errOneRunIntervals)
	return report, nil
}

// GuessesFor guesses as many canaries as the configuration says, or as [BestGuesses] does.
func (c Config) GuessesFor(scores Scores) (Guesses, error) {
	s, err := newRanked(scores, c.Seed)
	if err = errors.Join(err, c.Validate()); err != nil {
		return Guesses{}, err
	}
	return c.guessesFor(s)
}

func (c Config) guessesFor(s sample) (Guesses, error) {
	if c.Guesses > 0 {
		return s.guess(c.Guesses)
	}
	mu := c.ExpectedMu
	if mu == 0 {
		mu = 1
	}
	return s.guess(BestGuesses(mu, len(s.member)+len(s.nonMember), c.level()))
}
