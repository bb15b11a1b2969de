package bank

import (
	"cmp"
	"slices"

	"github.com/dplab/dplab/accounting/selection/law"
)

// Winner returns for each run the chance that it is the best of K draws. Each draw is run i with
// chance weights[i], and ties are broken by a fair die. With f the generating function of K, and F
// the chance that a draw is at most s:
//
//	P[the best score is s] = f(F(s)) - f(F(s-))
//
// Runs with one score share its chance in proportion to their weights. The chances add up to 1 -
// f(0), where f(0) is the chance of no draw. Winner panics if the lists differ in length.
func Winner(k law.Distribution, scores, weights []float64) []float64 {
	if len(scores) != len(weights) {
		panic("bank: scores and weights differ in length")
	}
	order := make([]int, len(scores))
	total := 0.0
	for i := range order {
		order[i] = i
		total += weights[i]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	chances := make([]float64, len(scores))
	below := 0.0
	for first := 0; first < len(order); {
		last, tied := first, 0.0
		for ; last < len(order) && scores[order[last]] == scores[order[first]]; last++ {
			tied += weights[order[last]]
		}
		chance := k.PGF(min(1, (below+tied)/total)) - k.PGF(below/total)
		for _, i := range order[first:last] {
			chances[i] = chance * weights[i] / tied
		}
		first, below = last, below+tied
	}
	return chances
}
