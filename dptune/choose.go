package dptune

import (
	"math"
	"math/rand/v2"
)

// best returns the index of the outcome with the highest score, or -1 if there is none.
// NaN counts below every number. Ties go to the highest of one uniform draw per outcome:
// outcomes with their draws are totally ordered by a rule that knows no data, as Theorem 2
// of papernot2022 (arXiv:2110.03620v2) asks.
func best[O any](outcomes []Outcome[O], rng *rand.Rand) int {
	winner, winnerTie := -1, 0.0
	for i, o := range outcomes {
		tie := rng.Float64()
		if winner < 0 || above(o.Score, outcomes[winner].Score) ||
			(!above(outcomes[winner].Score, o.Score) && tie > winnerTie) {
			winner, winnerTie = i, tie
		}
	}
	return winner
}

// above reports whether score a ranks strictly above b.
func above(a, b float64) bool {
	return a > b || (math.IsNaN(b) && !math.IsNaN(a))
}
