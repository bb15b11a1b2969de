package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/tails"
)

// newRanked returns the sample that the rank statistics of a report work on.
func newRanked(scores Scores, seed uint64) (sample, error) {
	s, err := newSample(scores)
	if err != nil {
		return s, err
	}
	return s.untied(seed), nil
}

// randomizedResponse draws n bits of each class that tell the truth with chance e^ε/(1+e^ε).
func randomizedResponse(seed uint64, n int, epsilon float64) Scores {
	keep := tails.Logistic(epsilon)
	d := discrete{member: []float64{keep, 1 - keep}, nonMember: []float64{1 - keep, keep}}
	return d.draw(rand.New(rand.NewPCG(seed, 47)), n, n)
}

// Bits are no reason for silence: at ε = 3 and 1,000 games of each class the rank tests gave
// 0.000 when ties counted against the audit, and a claim of ε = 0.1 had p = .44 where the truth
// is 1. The truth is a limit: seeds are fixed, and each bound exceeds it with chance 5 % at most.
func TestTiedScoresAreNotSilent(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		r := must(Bounds(randomizedResponse(seed, 1000, 3), Config{Seed: seed + 11}))
		for name, least := range map[string]float64{"rank-two-tail": 1, "rank-one-tail": 1, "clopper-pearson-bonferroni": 2.4} {
			if b, _ := r.Bound(name); !(b.Epsilon >= least && b.Epsilon <= 3) {
				t.Errorf("seed %d: %v, want at least %g and at most 3", seed, b, least)
			}
		}
		v := must(TestClaim(randomizedResponse(seed, 1000, 1), EpsilonDelta{Epsilon: 0.1}, Config{Seed: seed + 11}))
		if !(v.PValue < 1e-10) {
			t.Errorf("seed %d: %v", seed, v)
		}
	}
}

// Equal scores and seeds give equal bits, in any order of the games, and the functions without a
// Config agree once the ties are broken.
func TestTiesAreBrokenAlikeEverywhere(t *testing.T) {
	scores := randomizedResponse(1, 300, 2)
	cfg := Config{Delta: 1e-5, Seed: 5}
	r := must(Bounds(scores, cfg))
	byScore := Scores{slices.Sorted(slices.Values(scores.Member)), slices.Sorted(slices.Values(scores.NonMember))}
	if again := must(Bounds(byScore, cfg)); !reflect.DeepEqual(r.Bounds, again.Bounds) {
		t.Error("a file sorted by score gives other bounds, with one seed")
	}
	ranked := must(scores.BreakTies(5))
	for _, b := range []Bound{must(RankTwoTail(ranked, 2, level95)), must(RankOneTail(ranked, 2, level95)), must(GDPAUC(ranked, level95, nil)), must(GDPRank(ranked, 60, level95))} {
		if want, _ := r.Bound(b.Name); b.Epsilon != want.Epsilon {
			t.Errorf("%s = %g, in the report %g", b.Name, b.Epsilon, want.Epsilon)
		}
	}
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		ranked := must(scores.BreakTies(seed + 1))
		a, b := must(Bounds(ranked, Config{Seed: 99})), must(Bounds(scores, Config{Seed: seed + 1}))
		if a.Bounds[0].Epsilon != b.Bounds[0].Epsilon || a.Tied != 0 {
			t.Errorf("seed %d: %v\nafter BreakTies, %g tied: %v", seed, b.Bounds[0], a.Tied, a.Bounds[0])
		}
	}
}

// A seed that is not given is drawn, the report has it, and it gives the report again. Two reports
// have the same with chance 2^-53.
func TestSeedIsDrawn(t *testing.T) {
	scores := randomizedResponse(1, 40, 2)
	first, second := must(Bounds(scores, Config{})), must(Bounds(scores, Config{}))
	if first.Seed == 0 || first.Seed == second.Seed || first.Seed >= 1<<53 {
		t.Errorf("seeds %d and %d", first.Seed, second.Seed)
	}
	if again := must(Bounds(scores, Config{Seed: first.Seed})); !reflect.DeepEqual(again, first) {
		t.Errorf("seed %d gives another report", first.Seed)
	}
	if text := first.String(); !strings.Contains(text, fmt.Sprintf("\nseed %d gives this report again\n", first.Seed)) {
		t.Errorf("the report does not say its seed:\n%s", text)
	}
	verdict := must(TestClaim(scores, GDP{1}, Config{}))
	if again := must(TestClaim(scores, GDP{1}, Config{Seed: verdict.Seed})); verdict.Seed == 0 || !reflect.DeepEqual(again, verdict) {
		t.Errorf("seed %d: %v, then %v", verdict.Seed, verdict, again)
	}
	if got := (Config{Seed: 7}).Seeded().Seed; got != 7 {
		t.Errorf("a seed of 7 becomes %d", got)
	}
}

// Each way in which ties can fall, with its chance: all values that draw could return.
func everyOrder(s sample, visit func(sample, float64)) {
	for path := []int{}; ; {
		depth, chance, sizes := 0, 1.0, []int{}
		ordered := s.ordered(func(n int) int {
			if depth == len(path) {
				path = append(path, 0)
			}
			sizes, chance = append(sizes, n), chance/float64(n)
			depth++
			return path[depth-1]
		})
		visit(ordered, chance)
		for len(path) > 0 && path[len(path)-1] == sizes[len(path)-1]-1 {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return
		}
		path[len(path)-1]++
	}
}

// Enumerated exactly: all scores of few games on the levels 0, 1, 2, by the least favorable pair of
// (ε, δ)-DP on them, and all ways in which the ties fall. The chance of a p-value at most α is at
// most α, for all α that are p-values: that is what a valid test is. With ties against the audit it
// is smaller. The p-values have their own error, below 1e-6, added.
func TestTiesAreValidExactly(t *testing.T) {
	for _, c := range []struct {
		members, nonMembers, k int
		claim                  EpsilonDelta
		other                  []float64 // chances of the levels without the canary
	}{
		{3, 3, 0, EpsilonDelta{Epsilon: 0}, []float64{0.5, 0.5, 0}},
		{3, 3, 1, EpsilonDelta{Epsilon: 1}, []float64{0.6, 0.3, 0.1}},
		{4, 3, 0, EpsilonDelta{Epsilon: 0.5, Delta: 0.1}, []float64{0.7, 0.2, 0.1}},
		{2, 4, 1, EpsilonDelta{Epsilon: 2}, []float64{0.9, 0.05, 0.05}},
	} {
		// The member's chance of a level at or above a threshold is the ceiling's: ROC = G at the
		// thresholds.
		member := make([]float64, 3)
		top, taken := 0.0, 0.0
		for level := 2; level >= 0; level-- {
			top += c.other[level]
			member[level] = c.claim.TPR(math.Min(1, top)) - taken
			if top == 0 {
				member[level] = 0
			}
			taken += member[level]
		}
		both := func(s sample) int { return s.top(c.k).hits + s.bottom(c.k).hits }
		for name, test := range map[string]struct {
			hits func(sample) int
			p    func(hits int) float64
		}{
			"two-tail": {both, func(hits int) float64 { return twoTailP(c.claim, c.members, c.nonMembers, c.k, hits) }},
			"one-tail": {func(s sample) int { return s.top(c.k).hits }, func(hits int) float64 { return oneTailP(c.claim, c.members, c.nonMembers, c.k, hits) }},
		} {
			known := map[int]float64{}
			p := func(s sample) float64 {
				hits := test.hits(s)
				if _, ok := known[hits]; !ok {
					known[hits] = test.p(hits)
				}
				return known[hits]
			}
			random, against, total := map[float64]float64{}, map[float64]float64{}, 0.0
			everyScores(member, c.members, func(in []float64, chanceIn float64) {
				everyScores(c.other, c.nonMembers, func(out []float64, chanceOut float64) {
					chance := chanceIn * chanceOut
					if chance == 0 {
						return
					}
					s := sample{in, out}
					total += chance
					against[p(s)] += chance
					everyOrder(s, func(ordered sample, share float64) { random[p(ordered)] += chance * share })
				})
			})
			near(t, "all chances", total, 1, 1e-9, "a law")
			for kind, law := range map[string]map[float64]float64{"random": random, "against": against} {
				for alpha := range law {
					rejected := 0.0
					for p, chance := range law {
						if p <= alpha {
							rejected += chance
						}
					}
					if rejected > alpha+1e-9 {
						t.Errorf("%+v, %s, ties %s: p <= %.6g with chance %.6g", c, name, kind, alpha, rejected)
					}
				}
			}
			if len(random) < 2 {
				t.Errorf("%+v, %s: p-values %v", c, name, random)
			}
		}
	}
}

// everyScores visits the ascending scores of n games on levels 0, 1, 2, with their chances.
func everyScores(law []float64, n int, visit func(scores []float64, chance float64)) {
	for zeros := 0; zeros <= n; zeros++ {
		for ones := 0; ones <= n-zeros; ones++ {
			twos := n - zeros - ones
			ways := math.Exp(lgamma(n+1) - lgamma(zeros+1) - lgamma(ones+1) - lgamma(twos+1))
			chance := ways * math.Pow(law[0], float64(zeros)) * math.Pow(law[1], float64(ones)) * math.Pow(law[2], float64(twos))
			visit(slices.Concat(make([]float64, zeros), slices.Repeat([]float64{1}, ones), slices.Repeat([]float64{2}, twos)), chance)
		}
	}
}

func lgamma(n int) float64 {
	x, _ := math.Lgamma(float64(n))
	return x
}

// A file that is sorted by score holds the counts alone. 16 + 16 games that leak nothing, whose
// score is 1 with chance 0.05: a seed that was the same for all accused 30.1 % of them at
// confidence 0.95. Over all counts, by their chances, and seeds that are drawn, the rate is at most
// 0.05. The mean over 2,000 seeds of exact rates, each in [0, 1], is more than 0.06 above its
// expectation with chance e^-14.4 < 1e-6 (Hoeffding 1963).
func TestSortedFilesKeepTheConfidence(t *testing.T) {
	const n, k = 16, 2
	seeds := 2000
	if testing.Short() {
		seeds = 300
	}
	convicts := sort.Search(2*n, func(sum int) bool { return twoTailP(EpsilonDelta{}, n, n, k, sum) <= 0.05 })
	rate, total, fixed := 0.0, 0.0, 0.0
	rng := rand.New(rand.NewPCG(7, 59)) // in the system's place
	for a := 0; a <= 6; a++ {
		for b := 0; b <= 6; b++ {
			chance := tails.BinomialPMF(a, n, 0.05) * tails.BinomialPMF(b, n, 0.05)
			s := sample{slices.Concat(make([]float64, n-a), slices.Repeat([]float64{1}, a)), slices.Concat(make([]float64, n-b), slices.Repeat([]float64{1}, b))}
			accused := func(seed uint64) bool {
				r := s.untied(seed)
				return r.top(k).hits+r.bottom(k).hits >= convicts
			}
			for range seeds {
				if accused(rng.Uint64()) {
					rate += chance / float64(seeds)
				}
			}
			if accused(0) {
				fixed += chance
			}
			total += chance
		}
	}
	if rate > 0.05+0.06 || total < 0.999 {
		t.Errorf("accused: %.4f, want at most 0.05; of counts with chance %.4f", rate, total)
	}
	t.Logf("accused: %.4f by drawn seeds, %.4f by seed 0", rate, fixed)
}

// All orders of a group of equal scores have the same chance: 3 of two members and a
// non-member, 5.6 standard errors, chance 2e-8 each. So it is over seeds, and with one seed over
// data, here numbers that change nothing but the hash.
func TestBreakTiesIsFair(t *testing.T) {
	const draws = 6000
	for name, scores := range map[string]func(i int) (Scores, uint64){
		"seeds": func(i int) (Scores, uint64) { return Scores{[]float64{1, 1}, []float64{1, 0}}, uint64(i) },
		"data":  func(i int) (Scores, uint64) { return Scores{[]float64{1, 1}, []float64{1, -float64(i)}}, 0 },
	} {
		count := map[string]int{}
		for i := range draws {
			s, seed := scores(i)
			count[fmt.Sprint(must(s.BreakTies(seed)))]++
		}
		if len(count) != 3 {
			t.Errorf("%s: %d orders %v, want 3", name, len(count), count)
		}
		for order, c := range count {
			near(t, name+" "+order, float64(c)/draws, 1./3, 5.6*math.Sqrt(2./9/draws), "equal chances")
		}
	}
}

func TestBreakTiesKeepsTheRest(t *testing.T) {
	free := Scores{[]float64{3, 1, 1}, []float64{2, 0, 0}}
	if got := must(free.BreakTies(1)); fmt.Sprint(got) != "{[1 1 3] [0 0 2]}" {
		t.Errorf("without ties between the classes: %v, want the scores", got)
	}
	same := Scores{[]float64{7, 7}, []float64{7}}
	if got := must(same.BreakTies(1)); fmt.Sprint(got) != "{[7 7] [7]}" {
		t.Errorf("equal scores become %v: they carry no evidence", got)
	}
	if _, err := (Scores{}).BreakTies(1); err == nil {
		t.Error("no scores are no error")
	}
	rng := rand.New(rand.NewPCG(2, 51))
	for range 50 {
		s := Scores{make([]float64, 1+rng.IntN(40)), make([]float64, 1+rng.IntN(40))}
		for i := range s.Member {
			s.Member[i] = float64(rng.IntN(6))
		}
		for i := range s.NonMember {
			s.NonMember[i] = float64(rng.IntN(6))
		}
		against, ranked := must(newSample(s)), must(newRanked(s, rng.Uint64()))
		if n := ranked.tied(); n != 0 && !against.constant() {
			t.Fatalf("%d scores are still tied", n)
		}
		for i, x := range against.member {
			for j, y := range against.nonMember {
				if x != y && (x > y) != (ranked.member[i] > ranked.nonMember[j]) {
					t.Fatalf("%g and %g change their order", x, y)
				}
			}
		}
		// Random ties never give less than ties that count against the audit.
		if got, least := auc.Wins(ranked.member, ranked.nonMember), auc.Wins(against.member, against.nonMember); got < least {
			t.Errorf("%d wins, fewer than %d without the ties", got, least)
		}
		for k := range min(len(s.Member), len(s.NonMember)) {
			if ranked.top(k).hits < against.top(k).hits || ranked.bottom(k).hits < against.bottom(k).hits {
				t.Errorf("k = %d: fewer hits than without the ties", k)
			}
		}
	}
}

// The report says what share of the scores is tied, and that a discrete mechanism is not Gaussian.
func TestReportSaysTies(t *testing.T) {
	r := must(Bounds(randomizedResponse(1, 500, 3), Config{Seed: 1, Delta: 1e-5}))
	if r.Tied != 1 {
		t.Errorf("share of tied bits: %g, want 1", r.Tied)
	}
	doubted := func(bounds []Bound) (n int) {
		for _, b := range bounds {
			for _, w := range b.Warnings {
				if strings.Contains(w.Error(), "not Gaussian") {
					n++
				}
			}
		}
		return n
	}
	if n := doubted(r.Ordered()); n != 4 {
		t.Errorf("%d bounds warn of ties, want the 4 that assume a Gaussian trade-off", n)
	}
	if n := doubted([]Bound{must(GDPAUC(randomizedResponse(1, 500, 3), level95, nil)), must(GDPRank(randomizedResponse(1, 500, 3), 2, level95))}); n != 2 {
		t.Errorf("GDPAUC and GDPRank: %d warn of ties, want both", n)
	}
	r = must(Bounds(gaussianScores(500, 1), Config{Seed: 1, Delta: 1e-5}))
	if r.Tied != 0 || doubted(r.Ordered()) != 0 {
		t.Errorf("without ties: share %g, %d warnings", r.Tied, doubted(r.Ordered()))
	}
	near(t, "share", must(Bounds(Scores{[]float64{1, 2, 3, 4, 9}, []float64{9, 0, -1, -2, 4}}, Config{Seed: 1})).Tied, 0.4, 0, "by hand: two 4 and two 9 of ten")
}
