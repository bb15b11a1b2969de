package onerun

import (
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// coins includes canaries by fair coins, and gives those that are in N(µ, 1) and the others N(0, 1).
func coins(rng *rand.Rand, canaries int, mu float64) (s audit.Scores) {
	for range canaries {
		if score := rng.NormFloat64(); rng.IntN(2) == 0 {
			s.NonMember = append(s.NonMember, score)
		} else {
			s.Member = append(s.Member, score+mu)
		}
	}
	return s
}

// How many canaries of one training catch an engine with half of its noise, 2µ for µ, in some 95 % of
// audits at confidence 0.95: 500 for µ = 1, of whose coins 140 are guessed (0.955 of these audits), and 1,000 for µ = 2, 531
// of them guessed (0.946). A third as many do not (0.41, and none). The honest engine is accused in
// next to none. The limits are five standard deviations away.
func TestCanariesThatCatchHalfTheNoise(t *testing.T) {
	const audits = 1000
	for _, c := range []struct {
		mu                float64
		canaries, guesses int
		caughtAtLeast     int
		caughtAtMost      int
	}{{1, 500, 140, 922, audits}, {1, 167, 47, 0, 489}, {2, 1000, 531, 910, audits}, {2, 333, 177, 0, 0}} {
		convicts := firstAlarm(c.canaries, c.guesses, func(g Guesses) bool { return refuted(g, audit.GDP{Mu: c.mu}, 0.05) })
		caught, accused := 0, 0
		for i := range audits {
			rng := rand.New(rand.NewPCG(uint64(i), 59))
			if must(Guess(coins(rng, c.canaries, 2*c.mu), c.guesses)).Correct >= convicts {
				caught++
			}
			if must(Guess(coins(rng, c.canaries, c.mu), c.guesses)).Correct >= convicts {
				accused++
			}
		}
		t.Logf("µ = %g, %d canaries, %d guesses: %d right convict; caught in %.3f of audits, accused %.3f", c.mu, c.canaries, c.guesses, convicts, float64(caught)/audits, float64(accused)/audits)
		if caught < c.caughtAtLeast || caught > c.caughtAtMost {
			t.Errorf("µ = %g, %d canaries: half of the noise is caught in %d of %d audits, want %d to %d", c.mu, c.canaries, caught, audits, c.caughtAtLeast, c.caughtAtMost)
		}
		if limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 }); accused > limit {
			t.Errorf("µ = %g, %d canaries: the honest engine is accused in %d of %d audits, want at most %d", c.mu, c.canaries, accused, audits, limit)
		}
	}
}
