package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/logmath"
	"github.com/dplab/dplab/accounting/rdp"
)

// mixtureEpsilon returns an ε at delta of a mechanism in which one record takes part in A
// with chance q and in B otherwise, for both directions of add-or-remove-one. Its outputs
// are C without the record, and qA + (1-q)B with it. inside and outside give an ε at a δ of
// A against C and of B against C, both ways.
//
// With (ε1, δ1) of A and (ε2, δ2) of B, for every event S
//
//	qA(S) + (1-q)B(S) <= (q e^ε1 + (1-q) e^ε2) C(S) + q δ1 + (1-q) δ2
//	C(S) <= e^ε' (qA(S) + (1-q)B(S)) + w δ1 + (1-w) δ2,   e^-ε' = q e^-ε1 + (1-q) e^-ε2,
//	                                                      w = q e^(ε'-ε1)
//
// (the second by weighing C <= e^ε1 A + δ1 and C <= e^ε2 B + δ2 with w and 1-w). ε' is at
// most ε = ln(q e^ε1 + (1-q) e^ε2), so ε holds for both directions if both right-hand δ are
// at most delta. The split of delta is searched; every split is valid.
//
// For RestOfData A changes the tuning alone and B the training alone; for AllData A changes
// both, and B the training. The sample of the other records is shared: mixtures over it are
// covered by the joint convexity of the hockey-stick divergence.
//
// The first line is the usual argument for subsampling with ε2 = 0 (Balle, Barthe, Gaboardi
// 2018, arXiv:1807.01647v2, Theorem 8); the bound for two parts that both cost is ours.
func mixtureEpsilon(rate, delta float64, inside, outside fate) float64 {
	if rate == 1 {
		return inside.full(delta)
	}
	value := func(logOdds float64, in, out func(float64) float64) float64 {
		delta1, delta2 := splitDelta(rate, delta, logOdds)
		if !(delta1 > 0 && delta1 < 1 && delta2 > 0 && delta2 < 1) {
			return math.Inf(1)
		}
		return mixedEpsilon(rate, delta, in(delta1), delta1, out(delta2), delta2)
	}
	least := math.Inf(1)
	best := 0.0
	for logOdds := -12.0; logOdds <= 12; logOdds += 0.25 {
		if v := value(logOdds, inside.quick, outside.quick); v < least {
			least, best = v, logOdds
		}
	}
	return value(best, inside.full, outside.full)
}

// fate is what is known of one fate of a record: ε at δ, quickly for the search of a split,
// and as well as it is known for the result.
type fate struct{ quick, full func(delta float64) float64 }

// splitDelta returns δ1 and δ2 with q δ1 + (1-q) δ2 a little below delta, for rounding.
func splitDelta(rate, delta, logOdds float64) (delta1, delta2 float64) {
	budget := delta * (1 - 1e-12)
	share := 1 / (1 + math.Exp(-logOdds))
	return budget * share / rate, budget * (1 - share) / (1 - rate)
}

// mixedEpsilon returns ε of one split, +Inf if the second direction needs more than delta.
func mixedEpsilon(rate, delta, epsilon1, delta1, epsilon2, delta2 float64) float64 {
	if math.IsInf(epsilon1, 1) || math.IsInf(epsilon2, 1) {
		return math.Inf(1)
	}
	logIn, logOut := math.Log(rate), math.Log1p(-rate)
	back := -logmath.Add(logIn-epsilon1, logOut-epsilon2)
	w := math.Min(1, math.Exp(logIn+back-epsilon1))
	if w*delta1+(1-w)*delta2 > delta {
		return math.Inf(1)
	}
	return math.Max(0, logmath.Add(logIn+epsilon1, logOut+epsilon2))
}

// quickConversion returns ε at δ of a curve from a fixed table of orders.
func quickConversion(curve rdp.Curve) func(delta float64) float64 {
	var orders, divergences []float64
	for a := 0.1; a < maxIntegerOrder; a *= 1.15 {
		order := 1 + a
		if order > 8 {
			order = math.Round(order)
		}
		orders, divergences = append(orders, order), append(divergences, curve(order))
	}
	return func(delta float64) float64 {
		least := math.Inf(1)
		for i, order := range orders {
			least = lesser(least, rdp.CanonneKamathSteinke.Epsilon(order, divergences[i], delta))
		}
		return least
	}
}
