package law

import "math"

// Limited returns the least of weight, a bound on MaxLogWeight at an order. It applies weight to
// the law itself and, for a truncated or withheld law, to the law without the limit:
//
//	L̃(∞) <= L(∞),    L̃(λ) <= max(0, L(λ) + ln(E[K]/(E[K̃] (1-τ)))/(λ-1)),    τ = P[K > Max]
//
// E[K̃] <= E[K] too, so by privacy profiles a truncated law never costs more than the law. The f'
// of a Withheld law is that of a truncated one, times 1-τ. The same holds for it, with E[K; K <=
// Max] for E[K̃] (1-τ). The proof is at the end of the file.
func (d Distribution) Limited(order float64, weight func(Distribution) float64) float64 {
	l, ok := d.form.(*list)
	if !ok || l.whole.form == nil {
		return weight(d)
	}
	alone := *l
	alone.whole = Distribution{}
	least := weight(Distribution{d.law, &alone})
	whole := l.whole.Limited(order, weight)
	if !math.IsInf(order, 1) {
		whole = math.Max(0, whole+l.excess/(order-1))
	}
	return math.Min(least, whole)
}

// Searched reports whether MaxLogWeight searches ranks in a table. Then the profile should be
// Memoized.
func (d Distribution) Searched() bool {
	switch d.form.(type) {
	case *list, *twoPoint:
		return true
	}
	return false
}

// Proof. Let g(x) = Σ_{k<=Max} k x^(k-1) P[K=k] and h(x) the same sum over k > Max. Then f' = g + h
// and f̃' = g/(1-τ). Every term of h has a higher power of x than every term of g, so h/g does not
// fall. For q >= q' therefore
//
//	f'(q)/f'(q') = g(q)/g(q') · (1 + h(q)/g(q))/(1 + h(q')/g(q')) >= g(q)/g(q') = f̃'(q)/f̃'(q'),
//
// and for q < q' the right side is at most 1: L̃(∞) <= L(∞), which is at least 0.
//
// At order λ the weight is w̃ = f̃'(q)^λ f̃'(q')^(1-λ), and L̃(λ) is the largest
// ln(w̃/E[K̃])/(λ-1). As g <= f', for q >= q' w̃ is at most w/(1-τ), where
// w = f'(q)^λ f'(q')^(1-λ) <= E[K] e^((λ-1)L(λ)). For q < q' it is at most f̃'(q) <= E[K̃].
// Finally E[K given K <= Max] <= E[K], as it is the mean of the smaller values. ∎
