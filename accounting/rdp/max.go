package rdp

import (
	"math"
)

// Max returns the curve of a mechanism whose divergence is, for each pair of neighbors, at
// most that of one of curves: see accounting.Parallel and accounting.WorstCase. No curves cost 0.
//
// For WorstCase it rests on the joint quasi-convexity of Rényi divergences (van Erven and
// Harremoës (2014), arXiv:1206.2459v2, Theorem 13): a mixture over a choice that both data
// sets share diverges by at most the worst of its parts. Koskela and Kulkarni (NeurIPS 2023) have
// it as Lemma 9, and Parallel as Corollary 13.
func Max(curves ...Curve) Curve {
	return func(order float64) float64 {
		if !(order > 1) {
			return math.Inf(1)
		}
		largest := 0.0
		for _, curve := range curves {
			largest = max(largest, atMost(curve(order)))
		}
		return largest
	}
}
