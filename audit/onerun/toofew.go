package onerun

import (
	"fmt"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/tails"
)

// mostSought is where the search for enough guesses ends.
const mostSought = 10_000

// allRight returns the least number of canaries that are enough if all are guessed, and right.
// found is false if no number up to mostSought is.
func allRight(enough func(Guesses) bool) (n int, found bool) {
	return tails.First(mostSought, func(n int) bool { return enough(Guesses{n, n, n}) })
}

// tooFewFor returns the warning that no guesses of g could contradict the claim.
func tooFewFor(g Guesses, claim audit.Curve, cfg audit.Config) error {
	doubt := fmt.Sprintf("%d guesses of %d canaries cannot contradict the claim %v at confidence %s, even if all are right", g.Guessed, g.Canaries, claim, digits.Confidence(1-cfg.Significance()))
	n, found := allRight(func(g Guesses) bool { return refuted(g, claim, cfg.Significance()) })
	if !found {
		return fmt.Errorf("%s, nor can %d of %d", doubt, mostSought, mostSought)
	}
	return fmt.Errorf("%s: %d of %d could", doubt, n, n)
}

// doubtCeiling warns about a bound whose ceiling is 0, with a number of guesses that is enough.
func doubtCeiling(b *audit.Bound, g Guesses, enough func(Guesses) bool) {
	if b.Ceiling > 0 {
		return
	}
	doubt := fmt.Sprintf("%s: %d guesses of %d canaries, even if all are right, would not show an ε above 0 at δ = %g and confidence %s",
		b.Name, g.Guessed, g.Canaries, b.Delta, digits.Confidence(b.AskedConfidence))
	if n, found := allRight(enough); found {
		doubt += fmt.Sprintf(": %d of %d would", n, n)
	}
	b.Warnings = append(b.Warnings, fmt.Errorf("%s", doubt))
}
