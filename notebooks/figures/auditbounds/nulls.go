package auditbounds

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/audit"
)

// null draws scores of a mechanism that reaches its claim, so that a bound which is wrong too often is likely to
// show it.
type null struct {
	name    string
	epsilon float64 // the true ε at delta
	delta   float64
	mu      float64 // the true µ, if the trade-off is Gaussian; else -1
	member  func(*rand.Rand) float64
	other   func(*rand.Rand) float64
}

func (z null) draw(rng *rand.Rand, n int) audit.Scores {
	s := audit.Scores{Member: make([]float64, n), NonMember: make([]float64, n)}
	for i := range n {
		s.Member[i], s.NonMember[i] = z.member(rng), z.other(rng)
	}
	return s
}

func normal(mu float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return rng.NormFloat64() + mu }
}

func laplace(shift float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		if rng.IntN(2) == 0 {
			return shift - rng.ExpFloat64()
		}
		return shift + rng.ExpFloat64()
	}
}

// coin is 1 with the given chance, else 0: randomized response, all ties.
func coin(chance float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		if rng.Float64() < chance {
			return 1
		}
		return 0
	}
}

// rare is uniform on [0, 1), save for a rare event of the given chance that scores above 2.
func rare(chance float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		if rng.Float64() < chance {
			return 2 + rng.Float64()
		}
		return rng.Float64()
	}
}

// nulls returns the tight nulls. delta is that of the Gaussian one.
func nulls(delta float64) ([]null, error) {
	gaussian, err := audit.EpsilonOfMu(1, delta)
	if err != nil {
		return nil, err
	}
	pair := audit.EpsilonDelta{Epsilon: 2, Delta: 1e-3}
	keep := 1 / (1 + math.Exp(-1.5))
	return []null{
		{"no leak", 0, delta, 0, normal(0), normal(0)},
		{"Gaussian µ = 1", gaussian, delta, 1, normal(1), normal(0)},
		{"Laplace ε = 1", 1, 0, -1, laplace(1), laplace(0)},
		{"least favorable pair, ε = 2, δ = 0.001", pair.Epsilon, pair.Delta, -1,
			func(rng *rand.Rand) float64 { return -pair.FPR(rng.Float64()) },
			func(rng *rand.Rand) float64 { return -rng.Float64() }},
		{"randomized response ε = 1.5", 1.5, 0, -1, coin(keep), coin(1 - keep)},
		{"rare top ε = 3", 3, 0, -1, rare(0.002 * math.Exp(3)), rare(0.002)},
	}, nil
}
