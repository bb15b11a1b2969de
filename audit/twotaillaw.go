package audit

import (
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// twoTailP returns the p-value of the claim g when the hits of both tails add up to sum. It returns
// an upper bound on it if games are many, or where p is far from any level in use.
func twoTailP(g Curve, n1, n0, k, sum int) float64 {
	p := twoTailHoeffding(g, n1, n0, k, sum)
	if convolves(n1, n0, k, sum) && p > 1e-9 && p < 0.5 {
		return math.Min(p, twoTailExact(g, n1, n0, k, sum, p))
	}
	return p
}

// twoTailHoeffding returns an upper bound on the p-value.
//
// Let V ~ Beta(k+1, n0-k) be the false positive rate of the upper threshold and U ~ Beta(k+1, n1-k)
// the false negative rate of the lower one; they are independent. If G(V) < 1-U the thresholds do
// not cross. Fix U and V. The m1 = n1-k-1 other members above the lower one are then above
// the upper one with chance a = G(V)/(1-U). The m0 = n0-k-1 other non-members below the upper one
// are below the lower one with chance b = G(U)/(1-V). All are independent. So
//
//	p <= E[ 1 if G(V) >= 1-U, else P[Bin(m1, a) + Bin(m0, b) >= sum] ]
//
// With X = m1 a + m0 b, Hoeffding's theorem bounds the last chance by
// P[Bin(M, X/M) >= sum], M = m1+m0, where X <= sum-1; elsewhere it is taken as 1. As
// P[Bin(M, x/M) >= sum] = P[M B <= x] for B ~ Beta(sum, M-sum+1),
//
//	p <= E_{U,B}[ P[V >= v(U, min(M B, sum-1))] ],  v(U, x) = least v with X >= x
//
// which is a double integral of smooth terms whose nodes in B do not depend on g.
//
// Reference for the bound on sums: Hoeffding (1956), Annals of Mathematical Statistics
// 27(3), Theorem 4.
func twoTailHoeffding(g Curve, n1, n0, k, sum int) float64 {
	if sum <= 1 {
		return 1
	}
	t := twoTail{g: g, k: k, n0: n0, m1: float64(n1 - k - 1), m0: float64(n0 - k - 1), tpr: quickTPR(g)}
	if p, ok := g.(piecewise); ok {
		t.lines = p.segments()
	}
	law := tails.NewBetaLaw(float64(k+1), float64(n1-k))
	var kinks []float64
	for _, v := range g.Kinks() {
		kinks = append(kinks, v, 1-g.TPR(v))
	}
	m := n1 + n0 - 2*k - 2
	if sum > m { // only crossed thresholds reach it
		crossed := func(u float64) float64 { return t.atLeast(g.FPR(1 - u)) }
		return law.Expectation(crossed, quadratureTolerance, kinks...)
	}
	nodes := tails.SumNodes(sum, m, 5)
	return law.Expectation(func(u float64) float64 { return t.given(u, nodes) }, quadratureTolerance, kinks...)
}

type twoTail struct {
	g      Curve
	tpr    func(v float64) float64 // g.TPR
	lines  []segment               // of g, if it is piecewise linear
	k, n0  int
	m1, m0 float64
}

// atLeast returns P[V >= v].
func (t twoTail) atLeast(v float64) float64 { return tails.BinomialLower(t.k, t.n0, v) }

// given returns the inner expectation at U = u plus the estimate of its error: the
// difference between the Kronrod and the Gauss rule inside it.
func (t twoTail) given(u float64, nodes []tails.Node) float64 {
	v := t.g.FPR(1 - u) // at this v the thresholds cross
	gu := t.tpr(u)
	var kronrod, gauss float64
	for i := len(nodes) - 1; i >= 0; i-- { // v falls with x: each root bounds the next
		v = t.solve(u, gu, nodes[i].X, v)
		chance := t.atLeast(v)
		if chance > 1-1e-12 { // smaller x have at least this chance
			for _, n := range nodes[:i+1] {
				kronrod += n.Kronrod
				gauss += n.Gauss
			}
			break
		}
		kronrod += nodes[i].Kronrod * chance
		gauss += nodes[i].Gauss * chance
	}
	return math.Min(1, kronrod+math.Abs(kronrod-gauss))
}

// solve returns the least v in [0, hi] with m1 G(v)/(1-u) + m0 gu/(1-v) >= x, rounded down,
// or hi if there is none below it.
func (t twoTail) solve(u, gu, x, hi float64) float64 {
	excess := func(v float64) float64 { return t.m1*t.tpr(v)/(1-u) + t.m0*gu/(1-v) - x }
	if hi <= 0 || excess(0) >= 0 {
		return 0
	}
	hi = math.Min(hi, 1-1e-16)
	if excess(hi) < 0 {
		return hi
	}
	if t.lines != nil {
		return t.solveLines(u, gu, x, hi)
	}
	lo := numeric.Log(hi) - 1
	for excess(math.Exp(lo)) >= 0 {
		lo -= 2
		if lo < -700 {
			return 0
		}
	}
	w, _ := tails.LastBelow(func(w float64) float64 { return excess(math.Exp(w)) }, 0, lo, numeric.Log(hi), 1e-9)
	return math.Exp(w)
}

// solveLines solves the same equation in closed form. On G(v) = c + d v, times (1-v), with
// A = m1/(1-u), it is A d v² - (A(d-c)+x) v + (x - A c - m0 gu) = 0; the smaller root is
// taken in the form without cancellation, 2C/(B + √(B²-4AdC)).
func (t twoTail) solveLines(u, gu, x, hi float64) float64 {
	a := t.m1 / (1 - u)
	line := t.lines[sort.Search(len(t.lines)-1, func(i int) bool {
		l := t.lines[i]
		return l.end >= hi || a*(l.at+l.slope*l.end)+t.m0*gu/(1-l.end) >= x
	})]
	b := a*(line.slope-line.at) + x
	c := x - a*line.at - t.m0*gu
	if c <= 0 {
		return 0
	}
	v := 2 * c / (b + math.Sqrt(math.Max(0, b*b-4*a*line.slope*c)))
	return math.Min(hi, v*(1-1e-12))
}

// convolvedGames is the largest number of games of both classes for convolving the law of the
// two-tail sum.
const convolvedGames = 1000

// convolvedFrom is the least significance for that law. Below it the quadrature has to resolve less
// than float64 does: at 1e-13 it took 13 s of processor time, and at 1e-11 0.6 s.
const convolvedFrom = 1e-11

// convolves reports whether twoTailExact takes the place of twoTailHoeffding. Only crossed
// thresholds reach more hits than m1+m0, and there the latter is exact.
func convolves(n1, n0, k, sum int) bool {
	return n1+n0 <= convolvedGames && sum > 1 && sum <= n1+n0-2*k-2
}

// twoTailExact returns the p-value that [twoTailHoeffding] bounds, in the same terms:
//
//	p = E[ 1 if G(V) >= 1-U, else P[Bin(m1, a) + Bin(m0, b) >= sum] ]
//
// It uses quadrature over two Beta laws around a convolution of two binomial ones. The result is
// from above, to about 1e-4 of scale, the p of interest. Where Hoeffding's bound is 0.05, p is
// 0.040 to 0.049. On N(µ, 1) scores with µ = 1 and k = 2, ε grows by 0.04 for 50 games of each
// class and by 0.03 for 1,000. It grows by less for larger µ.
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

// twoTailBound returns the largest parameter that the two-tail test refutes at the significance, to
// 1e-5, or 0. p refutes everything that the bound on p refutes, so the search for p's root begins
// there. Below convolvedFrom the bound on p is used, which holds too.
func (f family) twoTailBound(n1, n0, k, sum int, significance float64) float64 {
	theta := f.lowerBound(func(g Curve) float64 { return twoTailHoeffding(g, n1, n0, k, sum) }, significance)
	if !convolves(n1, n0, k, sum) || significance < convolvedFrom {
		return theta
	}
	logP := func(theta float64) float64 {
		return numeric.Log(math.Max(1e-300, twoTailExact(f.curve(theta), n1, n0, k, sum, significance)))
	}
	theta, _ = tails.LastBelowFrom(logP, numeric.Log(significance), theta, 1.0/32, f.limit, 1e-5)
	return theta
}
