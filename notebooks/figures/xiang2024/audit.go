package xiang2024

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/audit"
)

// auditGame plays the reduced game of Figure 5 and returns a lower bound on ε: Clopper-Pearson
// at a threshold that is chosen on a random half of the games, so that its confidence holds.
func auditGame(cfg Figure6Config, game selection.MonotoneGaussian, stream uint64) (float64, error) {
	rng := rand.New(rand.NewPCG(cfg.Seed, stream))
	var scores audit.Scores
	for range cfg.Games / 2 {
		without, err := bestOf(game.Law, rng)
		if err != nil {
			return 0, err
		}
		with, err := bestOf(game.Law, rng)
		if err != nil {
			return 0, err
		}
		scores.NonMember = append(scores.NonMember, without)
		scores.Member = append(scores.Member, game.Mu+with)
	}
	bound, err := audit.ClopperPearsonSplit(scores, 1, audit.Level{Delta: cfg.Delta, Confidence: cfg.Confidence}, rng)
	return bound.Epsilon, err
}

// bestOf draws the largest of K standard normal numbers: its rank is U^(1/K).
func bestOf(law selection.Law, rng *rand.Rand) (float64, error) {
	k, err := law.Distribution().Rand(rng)
	if err != nil {
		return 0, err
	}
	above := -math.Expm1(-rng.ExpFloat64() / float64(k)) // 1 - U^(1/K)
	return -mathext.NormalQuantile(above), nil
}
