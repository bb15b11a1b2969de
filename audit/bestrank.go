package audit

import (
	"math"

	"github.com/dplab/dplab/audit/internal/tails"
)

// BestRank returns the rank k that maximizes the two-tail bound to be expected when the
// scores are N(µ,1) against N(0,1), from the approximation
//
//	ε ≈ ln(n T/(k+1)) - 1.645 √(1/(2(k+1)) + 1/(2 n T)),  T = G_µ((k+1)/n),  n = min(n1, n0)
//
// It is about 16 for µ near 0.5, 4 near 1, and 0 to 2 from 2 on. mu is clamped to [0, 50].
func BestRank(mu float64, n1, n0 int) int {
	n := min(n1, n0)
	curve := GDP{math.Max(0, math.Min(maxExpectedMu, mu))}
	best, top := 0, math.Inf(-1)
	for k := 0; k < max(1, n/2); k++ {
		hits := float64(n) * curve.TPR(float64(k+1)/float64(n))
		eps := math.Log(hits/float64(k+1)) - tails.NormalUpperQuantile(0.05)*math.Sqrt(0.5/float64(k+1)+0.5/hits)
		if eps > top {
			best, top = k, eps
		}
		if k > 20*(best+1)+100 {
			break
		}
	}
	return best
}
