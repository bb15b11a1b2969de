package audit

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
)

// Config says what [Bounds] computes. The zero value, with a Delta, is a fair choice.
type Config struct {
	Delta      float64 // δ in [0, 1)
	Confidence float64 // in (0, 1); 0 means 0.95

	// Threshold, if not nil, was fixed before the scores were seen: a score above it is
	// called a member. The Clopper-Pearson bounds then hold with their confidence.
	// If nil they take the best threshold on the same scores, uncorrected.
	Threshold *float64

	// Rank, if not nil, is the k of the rank tests, fixed before the scores were seen.
	// If nil it is the best for ExpectedMu; if that is not given either it is 2, or in
	// TestClaim what suits the claim.
	Rank *int

	// ExpectedMu, if > 0, is the leak that the audit was planned for.
	ExpectedMu float64

	// Guesses is how many canaries of one run are guessed, fixed before the scores were seen.
	// 0 means the best for ExpectedMu, or for µ = 1. Only package onerun uses it.
	Guesses int

	// Seed starts the random splits and simulations that some bounds use, and breaks ties at
	// random. If it is 0 a seed is drawn by the system's random numbers, independent of the scores,
	// and Report.Seed has it: as the Seed it gives the same report again. A Seed that is given must
	// have been fixed before the scores were seen. It must not be chosen by the report that it
	// gives: the first report counts.
	Seed uint64
}

func (c Config) level() Level { return Level{Delta: c.Delta, Confidence: c.Confidence} }

// Validate returns an error that names every field out of range.
func (c Config) Validate() error {
	f := check.In("audit: Config.")
	f.Add(c.level().Validate())
	if t := c.Threshold; t != nil {
		f.Number("Threshold", *t, check.Finite)
	}
	if c.Rank != nil {
		f.Count("Rank", *c.Rank, 0)
	}
	f.Count("Guesses", c.Guesses, 0)
	f.Number("ExpectedMu", c.ExpectedMu, check.Between(0, maxExpectedMu))
	return f.Err()
}

const maxExpectedMu = 50

// rank returns the k of the rank tests for n1 and n0 games.
func (c Config) rank(n1, n0 int) (int, error) {
	switch {
	case c.Rank != nil:
		return *c.Rank, checkRank(*c.Rank, n1, n0)
	case c.ExpectedMu > 0:
		return bestRank(c.ExpectedMu, n1, n0), nil
	}
	return min(2, min(n1, n0)/8), nil
}

// Seeded returns the configuration with its seed, or if that is 0 with one that was drawn.
func (c Config) Seeded() Config {
	for c.Seed == 0 {
		var word [8]byte
		cryptorand.Read(word[:])                           // never fails: it ends the program instead
		c.Seed = binary.LittleEndian.Uint64(word[:]) >> 11 // below 2^53: a number of JSON holds it exactly
	}
	return c
}

// rand returns the stream of one purpose.
func (c Config) rand(purpose string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "audit %d %s", c.Seed, purpose))))
}
