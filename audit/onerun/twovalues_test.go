package onerun

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// If all canaries are guessed and scores have two values, a guess is right where the score is 1 for
// a member and 0 for a non-member: no tie forces a wrong one. At δ = 0 the bound is then that of
// Clopper and Pearson (1934) on the share of right guesses p, at ln(p/(1-p)): P[Bin(m, p) >= v] =
// 0.05, found here by bisection of the sum.
func TestTwoScoresForceNoWrongGuess(t *testing.T) {
	const m, epsilon = 1000, 6.0
	for seed := range uint64(3) {
		scores := randomizedResponse(rand.New(rand.NewPCG(seed, 5)), m, epsilon)
		right := 0
		for _, x := range scores.Member {
			right += int(x)
		}
		for _, x := range scores.NonMember {
			right += 1 - int(x)
		}
		r := must(Bounds(scores, audit.Config{Guesses: m, Seed: 1}))
		b, ok := r.Headline()
		low, high := 0.5, 1-1e-12
		for range 60 {
			if p := (low + high) / 2; atLeast(right, m, p) < 0.05 {
				low = p
			} else {
				high = p
			}
		}
		want := numeric.Log(low / (1 - low))
		if !ok || math.Abs(b.Epsilon-want) > 1e-6 {
			t.Errorf("seed %d: %v for %d right of %d, want ε >= %.6f, the Clopper-Pearson bound", seed, b, right, m, want)
		}
		for _, g := range []Guesses{must(Guess(scores, m)), must(GuessesFor(scores, audit.Config{Guesses: m}))} {
			if g.Correct != right {
				t.Errorf("seed %d: %d guesses of %d are right, want %d", seed, g.Correct, m, right)
			}
		}
		// The classes change places with the sign of the scores: then right guesses are wrong.
		for _, class := range [][]float64{scores.Member, scores.NonMember} {
			for i := range class {
				class[i] = -class[i]
			}
		}
		if g := must(Guess(scores, m)); g.Correct != m-right {
			t.Errorf("seed %d, signs changed: %d right, want %d", seed, g.Correct, m-right)
		}
	}
	// By hand: 3 of 5 scores are larger. Two guesses of four are members, and three of five.
	few := audit.Scores{Member: []float64{9, 9}, NonMember: []float64{9, 1, 1}}
	for r, want := range map[int]int{5: 3, 4: 2, 3: 2, 2: 1, 1: 1} {
		if got := membersCalled(few, r); got != want {
			t.Errorf("%d guesses of 3 larger and 2 smaller scores: %d members, want %d", r, got, want)
		}
	}
	few.Member[0] = 5 // three values: half
	if got := membersCalled(few, 5); got != 3 {
		t.Errorf("three values: %d members of 5 guesses, want 3", got)
	}
}

// atLeast returns P[Bin(n, p) >= v], term by term.
func atLeast(v, n int, p float64) float64 {
	sum := 0.0
	for k := v; k <= n; k++ {
		all, _ := math.Lgamma(float64(n + 1))
		in, _ := math.Lgamma(float64(k + 1))
		out, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(all - in - out + float64(k)*numeric.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return sum
}

// On scores of two values of mechanisms that attain ε the headline is above the truth in at most
// the significance, however many scores are the larger value. The number of false alarms is at most
// binomial. The limits are exceeded with chance 1e-7 at most each.
func TestTwoScoresKeepTheLevel(t *testing.T) {
	trainings := 4000
	if testing.Short() {
		trainings = 400
	}
	const m, epsilon, alpha = 200, 1.0, 0.05
	limit := sort.Search(trainings, func(k int) bool { return tails.BinomialUpper(k+1, trainings, alpha) <= 1e-7 })
	for _, r := range []int{m, m - 20, m / 2} {
		alarm := firstAlarm(m, r, func(g Guesses) bool { return must(Max(g, audit.Config{})).Epsilon > epsilon })
		for _, larger := range []float64{0.05, 0.3, tails.Logistic(epsilon)} { // chance of the larger value, of members
			rng, alarms := rand.New(rand.NewPCG(uint64(r), 9)), 0
			for i := range trainings {
				var s audit.Scores
				for range m {
					if u := rng.Float64(); rng.IntN(2) == 0 {
						s.Member = append(s.Member, valueAbove(u, 1-larger))
					} else {
						s.NonMember = append(s.NonMember, valueAbove(u, 1-larger*math.Exp(-epsilon)))
					}
				}
				if must(GuessesFor(s, audit.Config{Guesses: r, Seed: uint64(i) + 1})).Correct >= alarm {
					alarms++
				}
			}
			if alarms > limit {
				t.Errorf("%d of %d canaries guessed, chance %.2f of the larger score: %d false alarms of %d, want at most %d", r, m, larger, alarms, trainings, limit)
			}
			t.Logf("%d of %d canaries guessed, chance %.2f: %d false alarms of %d, limit %d", r, m, larger, alarms, trainings, limit)
		}
	}
}

// valueAbove is 1 where u is above x, and 0 elsewhere.
func valueAbove(u, x float64) float64 {
	if u > x {
		return 1
	}
	return 0
}
