package audit

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// convolvedGames is the number of games of both classes up to which the law of the two-tail sum is convolved.
const convolvedGames = 1000

// convolves tells whether twoTailExact takes the place of twoTailHoeffding. More hits than m1+m0 only crossed
// thresholds reach, and there the latter is exact.
func convolves(n1, n0, k, sum int) bool {
	return n1+n0 <= convolvedGames && sum > 1 && sum <= n1+n0-2*k-2
}

// twoTailExact returns the p-value that [twoTailHoeffding] bounds, in the same terms:
//
//	p = E[ 1 if G(V) >= 1-U, else P[Bin(m1, a) + Bin(m0, b) >= sum] ]
//
// by quadrature over two Beta laws around a convolution of two binomial ones, from above by about 1e-4 of scale, the p of
// interest. Where Hoeffding's bound is 0.05, p is 0.040 to 0.049: on N(µ, 1) scores ε grows by 0.04 for 50 games of
// each class, by 0.03 for 1,000 (µ = 1, k = 2), by less for larger µ.
func twoTailExact(g Curve, n1, n0, k, sum int, scale float64) float64 {
	nats := 18 - numeric.Log(scale)
	outer, inner := tails.NewBetaLawWithin(nats, float64(k+1), float64(n1-k)), tails.NewBetaLawWithin(nats, float64(k+1), float64(n0-k))
	kinks, tpr := g.Kinks(), quickTPR(g)
	var sums tails.BinomialSum
	given := func(u float64) float64 {
		crossed, gu := g.FPR(1-u), tpr(u)
		return inner.Expectation(func(v float64) float64 {
			if v >= crossed {
				return 1
			}
			return sums.AtLeast(sum, n1-k-1, math.Min(1, tpr(v)/(1-u)), n0-k-1, math.Min(1, gu/(1-v)))
		}, 1e-5*scale, append(slices.Clone(kinks), crossed)...)
	}
	var folds []float64 // where a kink of g meets the crossing
	for _, v := range kinks {
		folds = append(folds, v, 1-g.TPR(v))
	}
	return outer.Expectation(given, 1e-4*scale, folds...)
}

// twoTailBound returns the largest parameter that the two-tail test refutes at the significance, to 1e-5, or 0.
// What the bound on p refutes, p refutes: the search for p's root begins there.
func (f family) twoTailBound(n1, n0, k, sum int, significance float64) float64 {
	theta := f.lowerBound(func(g Curve) float64 { return twoTailHoeffding(g, n1, n0, k, sum) }, significance)
	if !convolves(n1, n0, k, sum) {
		return theta
	}
	logP := func(theta float64) float64 {
		return numeric.Log(math.Max(1e-300, twoTailExact(f.curve(theta), n1, n0, k, sum, significance)))
	}
	theta, _ = tails.LastBelowFrom(logP, numeric.Log(significance), theta, 1.0/32, f.limit, 1e-5)
	return theta
}
