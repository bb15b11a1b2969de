package audit

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func gaussianScores(n int, mu float64) Scores {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	return fill(rng, n, func() float64 { return rng.NormFloat64() + mu }, rng.NormFloat64)
}

// All bounds together: at most 100 ms for 5,000 + 5,000 scores, 2 s for half a million each.
func BenchmarkBounds(b *testing.B) {
	for _, n := range []int{1000, 5000, 500000} {
		scores := gaussianScores(n, 1)
		b.Run(fmt.Sprint(2*n), func(b *testing.B) {
			for b.Loop() {
				must(Bounds(scores, Config{Seed: 1, Delta: 1e-5}))
			}
		})
	}
}
