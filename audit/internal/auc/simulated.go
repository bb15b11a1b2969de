package auc

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Simulations is how many audits are drawn.
const Simulations = 19999

// withMargin is a count of simulated audits plus two of its standard errors. With the count itself
// the chance of a false alarm is at most the significance on average over seeds. But most audits
// have the same seed, and so they share the error of its draws, here 0.15 % at 5 %. With the two
// standard errors about 98 % of seeds stay below the significance, each by itself.
func withMargin(count int) float64 { return float64(count) + 2*math.Sqrt(float64(count)) }

// SimulateBelow is the number of games of the smaller class below which the law of the AUC is
// simulated. From there on it is taken as normal.
const SimulateBelow = 200

// Simulates reports whether the law of the AUC of so many games is simulated.
func Simulates(n1, n0 int) bool { return min(n1, n0) < SimulateBelow }

// fineRanks returns ascending indices into n sorted scores, with both ends. It has all indices up
// to 32 from an end. Farther in, its steps are 1/16 of the distance to the nearer end.
func fineRanks(n int) []int {
	var low []int
	for k := 0; 2*k < n; k += max(1, k/16) {
		low = append(low, k)
	}
	ranks := slices.Clone(low)
	for i := len(low) - 1; i >= 0; i-- {
		if k := n - 1 - low[i]; k > ranks[len(ranks)-1] {
			ranks = append(ranks, k)
		}
	}
	return ranks
}

// Law draws audits of n1 and n0 games. It keeps the scores at the ranks of the grid.
type Law struct {
	n1, n0              int
	members, nonMembers []int // the grid
	in, out             []float64
}

// NewLaw returns the law of audits of n1 member and n0 non-member games.
func NewLaw(n1, n0 int) *Law {
	l := &Law{n1: n1, n0: n0, members: fineRanks(n1), nonMembers: fineRanks(n0)}
	l.in, l.out = make([]float64, len(l.members)), make([]float64, len(l.nonMembers))
	return l
}

// Observe returns the wins of ascending scores.
func (l *Law) Observe(members, nonMembers []float64) int {
	at(l.in, members, l.members)
	at(l.out, nonMembers, l.nonMembers)
	return l.wins(0)
}

func at(kept, sorted []float64, ranks []int) {
	for i, r := range ranks {
		kept[i] = sorted[r]
	}
}

// wins counts the wins when shift is added to the members' scores. A member at a grid rank
// represents those up to the next, a non-member those down to the last.
func (l *Law) wins(shift float64) int {
	wins, beaten, j := 0, 0, 0
	for i, x := range l.in {
		for ; j < len(l.out) && l.out[j] < x+shift; j++ {
			beaten = l.nonMembers[j] + 1
		}
		next := l.n1
		if i+1 < len(l.members) {
			next = l.members[i+1]
		}
		wins += beaten * (next - l.members[i])
	}
	return wins
}

// drawUniform draws both classes as uniform order statistics.
func (l *Law) drawUniform(rng *rand.Rand) {
	orderStatistics(l.in, l.members, l.n1, rng)
	orderStatistics(l.out, l.nonMembers, l.n0, rng)
}

// orderStatistics fills xs with those of n uniforms at ascending ranks. They are ratios of sums of
// exponentials. The k exponentials between two ranks add up to a Gamma(k) variable.
func orderStatistics(xs []float64, ranks []int, n int, rng *rand.Rand) {
	sum, last := 0.0, -1
	for i, r := range ranks {
		sum += exponentials(r-last, rng)
		xs[i], last = sum, r
	}
	sum += exponentials(n-last, rng)
	for i := range xs {
		xs[i] /= sum
	}
}

// exponentials returns the sum of k exponential variables.
func exponentials(k int, rng *rand.Rand) float64 {
	if k == 1 {
		return rng.ExpFloat64()
	}
	return numeric.DrawGamma(float64(k), rng)
}

// enoughBeyond is how many simulated audits at least as extreme as the scores decide a p-value.
const enoughBeyond = 500

// P returns a p-value of a claim for the wins observed. fpr(t) is the least false positive rate
// that the claim asks for a true positive rate t. The p-value is h/b if the b-th simulated audit is
// the h-th with at least as many wins, h = enoughBeyond. Else it is (1+g)/(Simulations+1), with g
// the number of audits with as many wins. Both numerators have a margin.
//
// It is valid. Without the margin, p <= h/b only if fewer than h of the first b-1 draws have as
// many wins as the scores. Then the scores are among the h most extreme of b that are exchangeable
// under the claim.
//
// Reference: Besag and Clifford (1991), Biometrika 78(2), Section 2.
func (l *Law) P(fpr func(t float64) float64, wins int, rng *rand.Rand) float64 {
	beyond := 0
	for b := 1; b <= Simulations; b++ {
		l.drawUniform(rng)
		l.toScores(fpr)
		if l.wins(0) >= wins {
			if beyond++; beyond == enoughBeyond {
				return math.Min(1, withMargin(beyond)/float64(b))
			}
		}
	}
	return withMargin(1+beyond) / (Simulations + 1)
}

// toScores turns uniforms into scores of the claim's least favorable pair: -u with u uniform for
// non-members, and u = G^-1(uniform) for members.
func (l *Law) toScores(fpr func(t float64) float64) {
	for i, t := range l.in {
		l.in[i] = -fpr(t)
	}
	for j, v := range l.out {
		l.out[j] = -v
	}
	slices.Reverse(l.in)
	slices.Reverse(l.out)
}

// LargestMu returns the µ that the wins refute at the significance, and that of perfect scores.
//
// In the b-th audit in = Z+µ and out = Z'. It shows at least w wins from a least µ_b on. With p(µ)
// = (1 + #{b: µ_b <= µ})/(B+1) the bound inf{µ: p > α} is the r-th smallest µ_b, r = floor(α(B+1)).
// Here r is the largest that is not above that with its margin. A µ_b above the r smallest so far
// needs no search.
func (l *Law) LargestMu(wins int, significance float64, rng *rand.Rand) (bound, ceiling float64) {
	rank := refutingRank(significance)
	if rank == 0 {
		return 0, 0
	}
	observed, perfect := newSmallest(rank), newSmallest(rank)
	for range Simulations {
		l.drawUniform(rng)
		normal(l.in)
		normal(l.out)
		apart := l.out[len(l.out)-1] - l.in[0] // above it all pairs are won
		perfect.add(apart)
		if hi := math.Min(apart+1e-9, observed.cut); l.wins(hi) >= wins {
			observed.add(l.leastMu(wins, hi))
		}
	}
	return observed.last(), perfect.last()
}

// CanRefute reports whether so many simulated audits reach a significance.
func CanRefute(significance float64) bool { return refutingRank(significance) > 0 }

// refutingRank is the largest r that LargestMu may take at a significance. It is 0 if so many draws
// cannot reach the significance.
func refutingRank(significance float64) int {
	return sort.Search(Simulations, func(r int) bool { return withMargin(r+1) > significance*(Simulations+1) })
}

func normal(uniforms []float64) {
	for i, u := range uniforms { // a sum of exponentials may round to the next, u then to 1
		uniforms[i] = tails.NormalQuantile(math.Max(1e-300, math.Min(1-0x1p-53, u)))
	}
}

// leastMu returns the least shift up to hi with that many wins, rounded down by at most 1e-8.
func (l *Law) leastMu(wins int, hi float64) float64 {
	lo := l.out[0] - l.in[len(l.in)-1] // no pair is won
	mu, _ := tails.LastBelow(func(mu float64) float64 { return float64(l.wins(mu)) }, float64(wins)-0.5, lo, hi, 1e-8)
	return mu
}

// smallest keeps the least numbers of many. A number above cut is not among them.
type smallest struct {
	keep int
	xs   []float64
	cut  float64
}

func newSmallest(keep int) *smallest { return &smallest{keep: keep, cut: math.Inf(1)} }

func (s *smallest) add(x float64) {
	if s.xs = append(s.xs, x); len(s.xs) >= 2*s.keep {
		s.trim()
	}
}

func (s *smallest) trim() {
	slices.Sort(s.xs)
	s.xs = s.xs[:s.keep]
	s.cut = s.xs[s.keep-1]
}

// last returns the largest of the least; there must be as many.
func (s *smallest) last() float64 {
	s.trim()
	return s.cut
}
