package audit

import (
	"cmp"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit/internal/level"
)

// Config sets the δ and the confidence of a bound, and what was chosen before the scores were seen.
// The zero value, with a Delta, is a fair choice. [Bounds] uses every field except Guesses. A
// function for one bound uses Delta, Confidence, and the fields that its comment names.
type Config struct {
	Delta      float64 // δ in [0, 1)
	Confidence float64 // chance that a bound is true, in [0.5, 1); 0 means 0.95; reports warn below 0.9

	// Threshold, if given, was chosen before the scores were seen. A score above it is called a
	// member. The Clopper-Pearson bounds then hold with their confidence. Otherwise they take the best
	// threshold on the same scores, uncorrected.
	Threshold Choice[float64]

	// Rank, if given, is the k of the rank tests, chosen before the scores were seen. Otherwise it is
	// the best for ExpectedMu. If that is not given either, it is the rank that suits the claim in
	// TestClaim. In bounds it is then min(2, n/8), or δ n if that is more and δ is at most 0.1. n is
	// the smaller number of games of a class.
	Rank Choice[int]

	// ExpectedMu, if > 0, is the leak that the audit was planned for.
	ExpectedMu float64

	// Guesses is how many canaries of one run are guessed, fixed before the scores were seen.
	// 0 means the best for ExpectedMu, or for µ = 1. Only package onerun uses it.
	Guesses int

	// Seed starts the random splits and simulations of some bounds, and breaks ties at random. If it
	// is 0, the system draws a seed that is independent of the scores. Report.Seed returns it; as Seed
	// it gives the same report again. A given Seed must have been fixed before the scores were seen.
	// It must not be chosen by the report that it gives: the first report counts.
	Seed uint64
}

// Choice is a number that was chosen before the scores were seen, or none: the zero Choice.
type Choice[T int | float64] struct {
	value T
	given bool
}

// Chosen returns the choice of x, which may be 0.
func Chosen[T int | float64](x T) Choice[T] { return Choice[T]{x, true} }

// Value returns the number that was chosen. ok is false if none was.
func (c Choice[T]) Value() (x T, ok bool) { return c.value, c.given }

// DefaultConfidence is the confidence of a Config that gives none.
const DefaultConfidence = 0.95

func (c Config) withDefaults() Config {
	c.Confidence = cmp.Or(c.Confidence, DefaultConfidence)
	return c
}

// Significance returns the chance that a bound may be wrong, 1 - Confidence.
func (c Config) Significance() float64 { return 1 - c.withDefaults().Confidence }

// Validate returns an error that names every field out of range.
func (c Config) Validate() error {
	f := check.In("audit: Config.")
	f.Number("Delta", c.Delta, check.BelowOne)
	f.Add(level.Of("audit: Config.Confidence", c.withDefaults().Confidence))
	if t, ok := c.Threshold.Value(); ok {
		f.Number("Threshold", t, check.Finite)
	}
	if k, ok := c.Rank.Value(); ok {
		f.Count("Rank", k, 0)
	}
	f.Count("Guesses", c.Guesses, 0)
	f.Number("ExpectedMu", c.ExpectedMu, check.Between(0, maxExpectedMu))
	return f.Err()
}

const maxExpectedMu = 50

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
