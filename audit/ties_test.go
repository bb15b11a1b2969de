package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

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
		r := must(Bounds(randomizedResponse(seed, 1000, 3), Config{Seed: seed}))
		for name, least := range map[string]float64{"rank-two-tail": 1.9, "rank-one-tail": 1.5, "clopper-pearson-bonferroni": 2.4} {
			if b, _ := r.Bound(name); !(b.Epsilon >= least && b.Epsilon <= 3) {
				t.Errorf("seed %d: %v, want at least %g and at most 3", seed, b, least)
			}
		}
		v := must(TestClaim(randomizedResponse(seed, 1000, 1), EpsilonDelta{Epsilon: 0.1}, Config{Seed: seed}))
		if !(v.PValue < 1e-10) {
			t.Errorf("seed %d: %v", seed, v)
		}
	}
}

// Functions with a Config and those without agree, and equal input gives equal bits.
func TestTiesAreBrokenAlikeEverywhere(t *testing.T) {
	scores := randomizedResponse(1, 300, 2)
	r := must(Bounds(scores, Config{Delta: 1e-5}))
	again := must(Bounds(Scores{slices.Clone(scores.Member), slices.Clone(scores.NonMember)}, Config{Delta: 1e-5}))
	if !reflect.DeepEqual(r.Bounds, again.Bounds) {
		t.Error("equal scores and seeds give different bounds")
	}
	for _, b := range []Bound{must(RankTwoTail(scores, 2, level95)), must(RankOneTail(scores, 2, level95)), must(GDPAUC(scores, level95, nil)), must(GDPRank(scores, 60, level95))} {
		if want, _ := r.Bound(b.Name); b.Epsilon != want.Epsilon {
			t.Errorf("%s = %g, in the report %g", b.Name, b.Epsilon, want.Epsilon)
		}
	}
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		ranked := must(scores.BreakTies(seed))
		a, b := must(Bounds(ranked, Config{Seed: 99})), must(Bounds(scores, Config{Seed: seed}))
		if a.Bounds[0].Epsilon != b.Bounds[0].Epsilon || a.Tied != 0 {
			t.Errorf("seed %d: %v\nafter BreakTies, %g tied: %v", seed, b.Bounds[0], a.Tied, a.Bounds[0])
		}
	}
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
		if ranked.wins() < against.wins() {
			t.Errorf("%d wins, fewer than %d without the ties", ranked.wins(), against.wins())
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
	r := must(Bounds(randomizedResponse(1, 500, 3), Config{Delta: 1e-5}))
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
	if n := doubted(r.Bounds); n != 4 {
		t.Errorf("%d bounds warn of ties, want the 4 that assume a Gaussian trade-off", n)
	}
	if n := doubted([]Bound{must(GDPAUC(randomizedResponse(1, 500, 3), level95, nil)), must(GDPRank(randomizedResponse(1, 500, 3), 2, level95))}); n != 2 {
		t.Errorf("GDPAUC and GDPRank: %d warn of ties, want both", n)
	}
	r = must(Bounds(gaussianScores(500, 1), Config{Delta: 1e-5}))
	if r.Tied != 0 || doubted(r.Bounds) != 0 {
		t.Errorf("without ties: share %g, %d warnings", r.Tied, doubted(r.Bounds))
	}
	near(t, "share", must(Bounds(Scores{[]float64{1, 2, 3, 4, 9}, []float64{9, 0, -1, -2, 4}}, Config{})).Tied, 0.4, 0, "by hand: two 4 and two 9 of ten")
}
