package audit

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// A threshold may be fixed beforehand by rank: "the (k+1)-th largest non-member score". Its false
// positive rate is Beta(k+1, n0-k). Its upper bound is therefore the Clopper-Pearson bound of k
// false positives, whatever the scores are. The members strictly above it are binomial. Ties have
// been broken at random, or count against the audit (ties.go). The other tail, "the (k+1)-th
// smallest member score", is the same with the classes swapped.

// rankTest is the outcome of one threshold fixed by rank.
type rankTest struct {
	rank   int  // k
	hits   int  // scores of the other class strictly beyond the threshold
	bottom bool // the threshold is the (k+1)-th smallest member score
}

// counts returns the errors that the bounds may assume of the test.
func (r rankTest) counts(n1, n0 int) Counts {
	if r.bottom {
		return Counts{Members: n1, NonMembers: n0, FalseNegatives: r.rank, FalsePositives: n0 - r.hits}
	}
	return Counts{Members: n1, NonMembers: n0, FalseNegatives: n1 - r.hits, FalsePositives: r.rank}
}

// top tests at the (k+1)-th largest non-member score; it needs k < n0.
func (s sample) top(k int) rankTest {
	threshold := s.nonMember[len(s.nonMember)-1-k]
	return rankTest{rank: k, hits: above(s.member, threshold)}
}

// bottom tests at the (k+1)-th smallest member score; it needs k < n1.
func (s sample) bottom(k int) rankTest {
	return rankTest{rank: k, hits: below(s.nonMember, s.member[k]), bottom: true}
}

// rankGrid returns the ranks 0, 1, 2, 4, 8, ... below n/2, each twice the last. The best threshold
// is near one of them, and they are known before the scores.
func rankGrid(n int) []int {
	grid := []int{0}
	for k := 1; k < (n+1)/2; k *= 2 {
		grid = append(grid, k)
	}
	return grid
}

// bestRank returns the rank k that maximizes the expected two-tail bound when the scores are N(µ,1)
// against N(0,1), from the approximation
//
//	ε ≈ ln(n T/(k+1)) - 1.645 √(1/(2(k+1)) + 1/(2 n T)),  T = G_µ((k+1)/n),  n = min(n1, n0)
//
// It is about 16 for µ near 0.5, 4 near 1, and 0 to 2 from 2 on. mu is clamped to [0, 50].
func bestRank(mu float64, n1, n0 int) int {
	n := min(n1, n0)
	curve := GDP{math.Max(0, math.Min(maxExpectedMu, mu))}
	best, top := 0, math.Inf(-1)
	for k := 0; k < max(1, n/2); k++ {
		hits := float64(n) * curve.TPR(float64(k+1)/float64(n))
		eps := numeric.Log(hits/float64(k+1)) - tails.NormalUpperQuantile(0.05)*math.Sqrt(0.5/float64(k+1)+0.5/hits)
		if eps > top {
			best, top = k, eps
		}
		if k > 20*(best+1)+100 {
			break
		}
	}
	return best
}

// rank returns the k of the rank tests for n1 and n0 games.
func (c Config) rank(n1, n0 int) (int, error) {
	if k, ok := c.Rank.Value(); ok {
		return k, checkRank(k, n1, n0)
	}
	if c.ExpectedMu > 0 {
		return bestRank(c.ExpectedMu, n1, n0), nil
	}
	return defaultRank(c.Delta, min(n1, n0)), nil
}

// mostHiding is the largest δ that raises the default rank.
const mostHiding = 0.1

// defaultRank returns the rank for n games of the smaller class if nothing else was fixed:
//
//	min(2, n/8), or δ n if that is more and δ is at most 0.1, rounded down.
//
// The outermost δ n scores of a class show nothing at δ: an (ε, δ)-DP mechanism may give away that
// many. For scores N(1, 1) against N(0, 1) and δ n from 2 to 40, ranks from δ n to 2 δ n show the
// most. Larger leaks show more at lower ranks. At rank k no scores show more than ln((1-δ) n/k).
//
// δ and n are known before the scores are. So the rank is too, and the level is that of any rank
// that was fixed beforehand.
func defaultRank(delta float64, n int) int {
	k := min(2, n/8)
	if delta <= mostHiding && n > 0 {
		k = max(k, countWithin(delta, n))
	}
	return k
}

// topInput checks the input of a test at the (k+1)-th largest non-member score.
func topInput(scores Scores, k int, cfg Config) (sample, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate()); err != nil {
		return s, err
	}
	if n0 := len(s.nonMember); k < 0 || k >= n0 {
		return s, fmt.Errorf("audit: rank %d: must be in [0, %d), the number of non-member scores", k, n0)
	}
	return s, nil
}

// rankInput checks the input of a test in both tails.
func rankInput(scores Scores, k int, cfg Config) (sample, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate()); err != nil {
		return s, err
	}
	return s, checkRank(k, len(s.member), len(s.nonMember))
}

func checkRank(k, n1, n0 int) error {
	if k < 0 || k >= min(n1, n0) {
		return fmt.Errorf("audit: rank %d: must be in [0, %d), the smaller number of scores of a class", k, min(n1, n0))
	}
	return nil
}
