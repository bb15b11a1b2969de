package audit

import (
	"flag"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// go test -run Coverage -v -audits 10000 -games 1000 is the long simulation.
var (
	coverageAudits = flag.Int("audits", 120, "audits simulated for each null")
	coverageGames  = flag.Int("games", 200, "games of each class in a simulated audit")
)

// null draws audits of mechanisms that reach their claim exactly: a bound above the truth is
// a false alarm, and tightness makes alarms as frequent as they can be.
type null struct {
	name    string
	level   Config
	epsilon float64 // the true ε at level.Delta
	gdp     bool    // the trade-off is Gaussian too
	draw    func(rng *rand.Rand, n int) Scores
}

func laplaceDraw(rng *rand.Rand) float64 {
	x := rng.ExpFloat64()
	if rng.IntN(2) == 0 {
		return -x
	}
	return x
}

func fill(rng *rand.Rand, n int, member, nonMember func() float64) Scores {
	s := Scores{make([]float64, n), make([]float64, n)}
	for i := range n {
		s.Member[i], s.NonMember[i] = member(), nonMember()
	}
	return s
}

var nulls = []null{
	{"no leak", Config{Delta: 1e-5}, 0, true, func(rng *rand.Rand, n int) Scores {
		return fill(rng, n, rng.NormFloat64, rng.NormFloat64)
	}},
	{"Laplace", Config{}, 1, false, func(rng *rand.Rand, n int) Scores {
		return fill(rng, n, func() float64 { return laplaceDraw(rng) + 1 }, func() float64 { return laplaceDraw(rng) })
	}},
	{"least favorable", Config{Delta: 1e-3}, 2, false, func(rng *rand.Rand, n int) Scores {
		claim := EpsilonDelta{2, 1e-3}
		return fill(rng, n, func() float64 { return -claim.FPR(rng.Float64()) }, func() float64 { return -rng.Float64() })
	}},
	{"randomized response", Config{}, 1.5, false, func(rng *rand.Rand, n int) Scores {
		keep := tails.Logistic(1.5)
		bit := func(truth bool) float64 {
			if (rng.Float64() < keep) == truth {
				return 1
			}
			return 0
		}
		return fill(rng, n, func() float64 { return bit(true) }, func() float64 { return bit(false) })
	}},
	{"rare top tail", Config{}, 3, false, func(rng *rand.Rand, n int) Scores {
		// A rare event, e³ times more likely for members; elsewhere hardly a difference.
		const out = 0.002
		draw := func(rare float64) float64 {
			if rng.Float64() < rare {
				return 2 + rng.Float64()
			}
			return rng.Float64()
		}
		in := out * math.Exp(3)
		return fill(rng, n, func() float64 { return draw(in) }, func() float64 { return draw(out) })
	}},
	{"Gaussian, µ = 1", Config{Delta: 1e-5}, 4.377178095681224, true, func(rng *rand.Rand, n int) Scores {
		return fill(rng, n, func() float64 { return rng.NormFloat64() + 1 }, rng.NormFloat64)
	}},
	{"Gaussian, µ = 1, rounded", Config{Delta: 1e-5}, 4.377178095681224, true, func(rng *rand.Rand, n int) Scores {
		return fill(rng, n, func() float64 { return math.Floor(rng.NormFloat64() + 1) }, func() float64 { return math.Floor(rng.NormFloat64()) })
	}},
	{"no leak, two scores", Config{Delta: 1e-5}, 0, true, func(rng *rand.Rand, n int) Scores {
		coin := func() float64 { return float64(rng.IntN(2)) }
		return fill(rng, n, coin, coin)
	}},
	{"all equal", Config{Delta: 1e-5}, 0, true, func(rng *rand.Rand, n int) Scores {
		return fill(rng, n, func() float64 { return 1 }, func() float64 { return 1 })
	}},
	{"hardly any difference", Config{Delta: 1e-5}, 0, true, func(rng *rand.Rand, n int) Scores {
		rare := func() float64 { return math.Floor(rng.Float64() + 0.005) }
		return fill(rng, n, rare, rare)
	}},
	{"least favorable, 10 levels", Config{Delta: 0.01}, 1.5, false, func(rng *rand.Rand, n int) Scores {
		claim := EpsilonDelta{1.5, 0.01}
		return fill(rng, n, func() float64 { return math.Floor(-10 * claim.FPR(rng.Float64())) }, func() float64 { return math.Floor(-10 * rng.Float64()) })
	}},
	{"δ masses, else tied", Config{Delta: 0.05}, 0, false, func(rng *rand.Rand, n int) Scores {
		mass := func(score float64) func() float64 {
			return func() float64 {
				if rng.Float64() < 0.05 {
					return score
				}
				return 0
			}
		}
		return fill(rng, n, mass(1), mass(-1))
	}},
}

// alarms counts, for each bound, the audits in which it exceeds the truth. For the rank
// tests that is where the p-value of the truth is at most the significance, which saves the
// search for the bound.
func (z null) alarms(audits, n int) map[string]int {
	count := map[string]int{}
	level := z.level
	alpha, truth := level.Significance(), EpsilonDelta{z.epsilon, level.Delta}
	var convict [4]int // by rank, the least sum of both tails that refutes the truth
	for k := range convict {
		convict[k] = sort.Search(2*n, func(sum int) bool { return twoTailP(truth, n, n, k, sum) <= alpha })
	}
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		scores := z.draw(rng, n)
		s := must(newRanked(scores, uint64(i)+1)) // as if drawn
		note := func(name string, alarm bool) {
			if alarm {
				count[name]++
			} else {
				count[name] += 0
			}
		}
		k := i % 4
		top, bottom := s.top(k), s.bottom(k)
		note("rank-two-tail", top.hits+bottom.hits >= convict[k])
		note("rank-one-tail", oneTailP(truth, n, n, k, top.hits) <= alpha)
		note("clopper-pearson", must(ClopperPearson(scores.CountAt(0.5), level)).Epsilon > z.epsilon)
		note("clopper-pearson-bonferroni", epsilonTest(level.Delta).bonferroni(s, level).Epsilon > z.epsilon)
		values := must(newSample(scores))
		note("clopper-pearson-split", values.clopperPearsonSplit(1, level, rng).Epsilon > z.epsilon)
		note("clopper-pearson-multi-split", values.clopperPearsonSplit(5, level, rng).Epsilon > z.epsilon)
		if z.gdp {
			note("gdp-auc", s.gdpAUC(level, rng).Mu > z.mu())
			note("gdp-rank", oneTailP(GDP{z.mu()}, n, n, n/5, s.top(n/5).hits) <= alpha)
			note("gdp-clopper-pearson", must(GDPClopperPearson(scores.CountAt(0.5), level)).Mu > z.mu())
			note("gdp-clopper-pearson-bonferroni", muTest.bonferroni(s, level).Mu > z.mu())
		}
	}
	return count
}

func (z null) mu() float64 {
	if z.epsilon == 0 {
		return 0
	}
	return 1
}

// On tight nulls every bound that claims a confidence keeps it: false alarms are at most
// binomial with chance 0.05. The limit is the count that a binomial exceeds with chance
// 1e-8 at most; with 12 nulls, 6 bounds each and 4 more where the trade-off is Gaussian, the
// test fails by chance at most 1e-6 of the time.
// gdp-auc rests on a normal approximation whose error at n = 200 is allowed for: 0.06.
func TestCoverageOnTightNulls(t *testing.T) {
	audits, n := *coverageAudits, *coverageGames
	if testing.Short() {
		audits /= 5
	}
	for i, z := range nulls {
		if testing.Short() && i%6 != 2 {
			continue
		}
		for name, count := range z.alarms(audits, n) {
			rate := 0.05
			if name == "gdp-auc" {
				rate = 0.06
			}
			limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, rate) <= 1e-8 })
			if count > limit {
				t.Errorf("%s: %s exceeds the true ε %g in %d of %d audits, want at most %d", z.name, name, z.epsilon, count, audits, limit)
			}
			t.Logf("%-20s %-32s %.4f", z.name, name, float64(count)/float64(audits))
		}
	}
}

// Without a leak the bounds are near 0, and never 3.8: the defect of taking the absolute
// value of a negative bound would show in half of all audits. P[µ bound > 0.5] is below
// 1e-9 at n = 1000 (its standard error is 0.05), so that 25 audits fail by chance at most 1e-7.
func TestNoLeakGivesAboutZero(t *testing.T) {
	audits := 25
	if testing.Short() {
		audits = 8
	}
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		r := must(Bounds(nulls[0].draw(rng, 1000), Config{Seed: 1, Delta: 1e-5}))
		for _, b := range r.Ordered() {
			if b.Mu > 0.5 || b.Epsilon > 2 || b.Mu < 0 || b.Epsilon < 0 {
				t.Errorf("audit %d without a leak: %v", i, b)
			}
		}
	}
}

// A mechanism that claims µ = 1 and adds half the noise (µ = 2) is caught by both tests that an audit of a claim has, the one
// that assumes nothing too. 1,000 games, 500 of each world, are far more than it takes: 50 of each sufficed in 59 of 60
// audits, and 30 of each in 37 of 40.
func TestHalfTheNoiseIsCaught(t *testing.T) {
	type sizes struct{ games, audits, atLeast int }
	cases := []sizes{{500, 2, 2}, {50, 20, 19}}
	if testing.Short() {
		cases = []sizes{{200, 1, 1}}
	}
	for _, c := range cases {
		byBound, byClaim := 0, 0
		for i := range c.audits {
			rng := rand.New(rand.NewPCG(uint64(i), 13))
			scores := fill(rng, c.games, func() float64 { return rng.NormFloat64() + 2 }, rng.NormFloat64)
			if must(NormalScores(scores, level95)).Epsilon > 4.377 { // of µ = 1
				byBound++
			}
			if must(TestClaim(scores, GDP{1}, Config{Delta: 1e-5, Seed: uint64(i) + 1})).Contradicted {
				byClaim++
			}
		}
		t.Logf("%d games of each world: caught in %d of %d audits by the bound under normal scores, in %d by the test of the claim", c.games, byBound, c.audits, byClaim)
		if byBound < c.atLeast || byClaim < c.atLeast {
			t.Errorf("%d games of each world: caught in %d and %d of %d audits, want %d at least", c.games, byBound, byClaim, c.audits, c.atLeast)
		}
	}
}

// A counterexample to the AUC bound: Laplace noise with ε = 1 is not
// Gaussian, and the bound that assumes it says more than that.
func TestGaussianAssumptionIsNotFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 17))
	scores := nulls[1].draw(rng, 20000)
	b := must(GDPAUC(scores, level95, nil))
	// At n = 1000 it is about 3.2; it grows with n towards the µ of the same AUC: θ = 1 - e^-1 (1/2 + 1/4) = 0.7241, µ = √2 Φ^-1(θ) = 0.8416, ε = 3.5886.
	if !(b.Epsilon > 3.2 && b.Epsilon < 3.75) || b.Assumption != AssumeGDP {
		t.Errorf("%v on Laplace scores with ε = 1, want about 3.5 and the assumption named", b)
	}
	if b := must(RankTwoTail(scores, 2, Config{})); b.Epsilon > 1 {
		t.Errorf("%v on Laplace scores with ε = 1: the assumption-free bound must hold", b)
	}
}

// Why the best threshold on the same scores claims no confidence: on the least favorable
// pair with 5,000 games of each class it is wrong in some 17 % of audits. Of 60, at least 4 must
// be: a binomial with chance 0.17 has fewer with chance 0.6 %, and the seeds are fixed.
func TestUncorrectedThresholdsAreWrongTooOften(t *testing.T) {
	wrong, z := 0, nulls[2]
	for i := range 60 {
		s := must(newSample(z.draw(rand.New(rand.NewPCG(uint64(i), 5)), 5000)))
		b := epsilonTest(z.level.Delta).uncorrected(s.steps(), z.level)
		if b.Confidence != 0 || len(b.Warnings) == 0 {
			t.Fatalf("%v claims a confidence", b)
		}
		if b.Epsilon > z.epsilon {
			wrong++
		}
	}
	if wrong < 4 {
		t.Errorf("wrong in %d of 60 audits; if that is so it may claim its confidence", wrong)
	}
}
