package audit

import (
	"fmt"

	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Tests that cannot fail.
//
// Perfect scores are the strongest evidence that games can give: all members above all non-members.
// Under a claim they have the chance that the least favorable pair is so separated,
//
//	p = P[Bin(n1, G(V)) >= n1],  V ~ Beta(1, n0)
//
// which is the one-tail test at k = 0. No test of ranks has a smaller p-value for any scores. If
// that p is above the significance, the test accepts the claim whatever the scores are. p falls in
// both numbers of games, so there is a least number that may be enough.

// perfectP returns the chance of perfect scores under the claim.
func perfectP(claim Curve, n1, n0 int) float64 { return oneTailP(claim, n1, n0, 0, n1) }

// tooFewFor returns a warning if no scores of so many games could contradict the claim in
// [TestClaim] at rank k, and nil otherwise.
func tooFewFor(claim Curve, n1, n0, k int, cfg Config) error {
	const quadrature = 2 * quadratureTolerance // what oneTailP may add to p
	half := cfg.Significance() / 2             // TestClaim doubles the smaller p-value
	separated := perfectP(claim, n1, n0)
	aucCannot := separated > half+quadrature || simulatesClaim(n1, n0) && !auc.CanRefute(half)
	if !aucCannot || twoTailP(claim, n1, n0, k, n1+n0) <= half {
		return nil
	}
	doubt := fmt.Sprintf("%d member and %d non-member games cannot contradict the claim %v at confidence %s, whatever their scores are", n1, n0, claim, digits.Confidence(1-cfg.Significance()))
	if separated <= half+quadrature {
		return fmt.Errorf("%s: no simulation reaches this confidence", doubt)
	}
	n, found := tails.First(MaxPlannedGames, func(n int) bool { return perfectP(claim, n, n) <= half })
	if !found {
		return fmt.Errorf("%s, nor can %d of each", doubt, MaxPlannedGames)
	}
	return fmt.Errorf("%s: at least %d of each are needed", doubt, n)
}

// simulatesClaim reports whether [TestClaim] simulates the law of the AUC.
func simulatesClaim(n1, n0 int) bool { return auc.Simulates(n1, n0) || n1+n0 <= simulateClaimUpTo }

// doubtCeiling warns about a bound whose ceiling is 0. enough(n) reports whether n games of each
// class would give one above 0. It is true from some n on.
func (b *Bound) doubtCeiling(enough func(n int) bool) {
	if b.Ceiling > 0 {
		return
	}
	const most = 10_000
	needed := fmt.Sprintf("more than %d", most)
	if n, found := tails.First(most, enough); found {
		needed = fmt.Sprintf("at least %d", n)
	}
	b.Warnings = append(b.Warnings, fmt.Errorf("%s: even perfect scores of so few games would not show an ε above 0 at δ = %g and confidence %s: %s of each are needed",
		b.Name, b.Delta, digits.Confidence(b.AskedConfidence), needed))
}
