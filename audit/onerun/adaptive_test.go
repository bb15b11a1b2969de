package onerun

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// raised gives three of ten included canaries a high score, and e^-3 as many of the others: ε = 3 at the top, and at the bottom
// ln(0.985/0.7) = 0.34.
func raised(rng *rand.Rand, canaries int) (s audit.Scores) {
	for range canaries {
		in, chance := rng.IntN(2) == 0, 0.3
		if !in {
			chance *= math.Exp(-3)
		}
		score := rng.Float64()
		if rng.Float64() < chance {
			score++
		}
		if in {
			s.Member = append(s.Member, score)
		} else {
			s.NonMember = append(s.NonMember, score)
		}
	}
	return s
}

// Guesses in turn go where a leak is, if it is at one end; where it is at both they lose nothing. The bound holds: more alarms
// than the limit come by chance at most 1e-8 of the time.
func TestGuessesInTurnGoWhereTheLeakIs(t *testing.T) {
	const audits, canaries, guesses = 200, 1000, 140
	level := audit.Config{Delta: 1e-6}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	for _, c := range []struct {
		name          string
		draw          func(*rand.Rand) audit.Scores
		epsilon       float64
		least, atMost float64 // of the gain
	}{
		{"high scores", func(rng *rand.Rand) audit.Scores { return raised(rng, canaries) }, 3, 0.8, 2},
		{"both ends alike", func(rng *rand.Rand) audit.Scores { return coins(rng, canaries, 1) }, math.Inf(1), -0.05, 0.05},
	} {
		var atOnce, inTurn float64
		alarms := 0
		for i := range audits {
			s := c.draw(rand.New(rand.NewPCG(uint64(i), 67)))
			adaptive := must(InTurn(must(GuessInTurn(s, guesses, 0)), level))
			atOnce += must(Max(must(Guess(s, guesses)), level)).Epsilon / audits
			inTurn += adaptive.Epsilon / audits
			if adaptive.Epsilon > c.epsilon {
				alarms++
			}
		}
		t.Logf("%s: ε >= %.3f in turn, %.3f at once, on average; %d alarms", c.name, inTurn, atOnce, alarms)
		if gain := inTurn - atOnce; gain < c.least || gain > c.atMost || alarms > limit {
			t.Errorf("%s: ε >= %g in turn and %g at once, %d alarms: want a gain in [%g, %g], and at most %d alarms", c.name, inTurn, atOnce, alarms, c.least, c.atMost, limit)
		}
	}
}

// Without a leak each guess is right with chance 1/2, whatever the rule makes of those before: the mean over audits, to 5.6
// standard errors (chance 2e-8). Equal scores count as wrong.
func TestGuessesInTurnWithoutALeak(t *testing.T) {
	const audits, guesses = 2000, 40
	right := 0
	for i := range audits {
		right += must(GuessInTurn(coins(rand.New(rand.NewPCG(uint64(i), 71)), 50, 0), guesses, uint64(i))).Correct
	}
	if mean := float64(right) / audits; math.Abs(mean-guesses/2) > 5.6*math.Sqrt(guesses/4./audits) {
		t.Errorf("%g of %d guesses right on average, want half", mean, guesses)
	}
	equal := audit.Scores{Member: []float64{1, 1, 1}, NonMember: []float64{1, 1}}
	if g := must(GuessInTurn(equal, 5, 0)); g.Correct != 0 {
		t.Errorf("of equal scores %d guesses are right, want none counted", g.Correct)
	}
	if _, err := GuessInTurn(equal, 6, 0); err == nil {
		t.Error("6 guesses of 5 canaries: no error")
	}
	apart := audit.Scores{Member: []float64{5, 6, 7}, NonMember: []float64{1, 2, 3, 4}}
	if g := must(GuessInTurn(apart, 6, 0)); g.Correct != 6 {
		t.Errorf("of scores that are apart %d of 6 guesses are right", g.Correct)
	}
}

// In 10,000 audits of bits by randomized response, which tie, guesses in turn refute the truth in no more than the significance and three
// standard errors: at δ = 0, where each guess is right with the chance that the bound counts with, and where all bits are shown with chance δ.
func TestGuessesInTurnHold(t *testing.T) {
	audits := 10_000
	if testing.Short() {
		audits = 1000
	}
	const canaries, guesses, alpha = 60, 30, 0.05
	for _, c := range []struct{ epsilon, delta float64 }{{0, 0}, {1, 0}, {2, 0}, {1, 1e-3}, {2, 1e-3}} {
		convicts := firstAlarm(canaries, guesses, func(g Guesses) bool { return must(InTurn(g, audit.Config{Delta: c.delta})).Epsilon > c.epsilon })
		alarms := 0
		for i := range audits {
			rng := rand.New(rand.NewPCG(uint64(i), 73))
			epsilon := c.epsilon
			if rng.Float64() < c.delta {
				epsilon = 500 // shown
			}
			if must(GuessInTurn(randomizedResponse(rng, canaries, epsilon), guesses, 0)).Correct >= convicts {
				alarms++
			}
		}
		share := float64(alarms) / float64(audits)
		t.Logf("%+v: %d of %d right convict; the truth is refuted in %.4f of audits", c, convicts, guesses, share)
		if share > alpha+3*math.Sqrt(alpha*(1-alpha)/float64(audits)) {
			t.Errorf("%+v: the truth is refuted in %.4f of %d audits, want at most %g and three standard errors", c, share, audits, alpha)
		}
	}
}
