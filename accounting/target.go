package accounting

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// Target is an (ε, δ) that something must not exceed. Its fields are named, so that the two
// numbers cannot be exchanged.
//
//	accounting.Target{Epsilon: 3, Delta: 1e-5}
type Target struct {
	Epsilon float64 // in nats, >= 0 and finite
	Delta   float64 // in (0, 1)
}

// likelyExchanged is the δ from which a target whose ε is above 0 and below δ is refused. Such
// a pair is far from any use, and it is what an ε of 0.01 or more and a δ look like when exchanged.
const likelyExchanged = 0.01

// Validate returns an error unless Epsilon is >= 0 and finite and Delta is in (0, 1). It also
// refuses 0 < Epsilon < Delta with Delta >= 0.01, which are an ε and a δ that were exchanged.
func (t Target) Validate() error {
	f := check.In("accounting: Target.")
	f.Number("Epsilon", t.Epsilon, check.NotNegative.OfAnySize())
	f.Number("Delta", t.Delta, check.OpenUnit)
	f.That(!(t.Epsilon > 0 && t.Epsilon < t.Delta && t.Delta >= likelyExchanged && t.Delta < 1),
		"Epsilon", fmt.Sprintf("%g, Delta %g", t.Epsilon, t.Delta), "must not be exchanged: Epsilon is the larger of the two, or 0, where Delta is 0.01 or more")
	return f.Err()
}

// String returns the pair, for instance "ε 3, δ 1e-05".
func (t Target) String() string { return fmt.Sprintf("ε %g, δ %g", t.Epsilon, t.Delta) }
