package tails

import (
	"cmp"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// A Beta(a, b) variable X is integrated in y = logit X, where its density
//
//	exp(a ln x + b ln(1-x)) / B(a, b),  x = 1/(1+e^-y)
//
// is log-concave for all a, b > 0 and has exponential tails.

// BetaLaw is a Beta law prepared for integration in the logit.
type BetaLaw struct {
	a, b           float64
	lo, mode, hi   float64 // the range kept, and the mode
	belowLo, above float64 // the probabilities cut off
	sd             float64 // about the width of the peak
	constant       float64 // of the log density
}

// NewBetaLaw prepares the law for a, b > 0. The range ends 42 nats below the mode's log density.
func NewBetaLaw(a, b float64) BetaLaw { return NewBetaLawWithin(42, a, b) }

// NewBetaLawWithin is NewBetaLaw with a range that ends so many nats below.
func NewBetaLawWithin(nats, a, b float64) BetaLaw {
	law := BetaLaw{a: a, b: b, mode: numeric.Log(a / b), sd: math.Sqrt(1/a + 1/b), constant: logDensityConstant(a, b)}
	top := law.logDensity(law.mode)
	inside := func(y float64) bool { return law.logDensity(y) > top-nats }
	law.lo = lastInside(inside, law.mode, -law.sd)
	law.hi = lastInside(inside, law.mode, law.sd)
	law.belowLo, _ = Beta(Logistic(law.lo), a, b)
	_, law.above = Beta(Logistic(law.hi), a, b)
	return law
}

// logDensity returns the log density in the logit, up to rounding. It is that of the Beta law plus
// ln x + ln(1-x), with Loader's terms as in [logBinomialTerm].
func (l BetaLaw) logDensity(y float64) float64 {
	x := Logistic(y)
	if x <= 0 || x >= 1 {
		return math.Inf(-1)
	}
	n := l.a + l.b
	return l.constant - deviance(l.a, n*x) - deviance(l.b, n*(1-x))
}

// logDensityConstant returns the part of logDensity that does not depend on y.
func logDensityConstant(a, b float64) float64 {
	n := a + b
	exact := stirlingError(n) - stirlingError(a) - stirlingError(b)
	return numeric.Log(a/n*b) + exact + 0.5*(numeric.Log(n/b)-numeric.Log(a)) - halfLog2Pi
}

// lastInside walks from start by doubling steps until outside, then halves back. It returns a point
// just outside.
func lastInside(inside func(float64) bool, start, step float64) float64 {
	in, out := start, start+8*step
	for inside(out) {
		in, out = out, start+2*(out-start)
	}
	for range 6 {
		if mid := (in + out) / 2; inside(mid) {
			in = mid
		} else {
			out = mid
		}
	}
	return out
}

// breaks returns the ends, points around the peak and the given kinks of the integrand (as
// probabilities) that lie inside, ascending.
func (l BetaLaw) breaks(kinks ...float64) []float64 {
	points := []float64{l.lo, l.hi}
	add := func(y float64) {
		if y > l.lo && y < l.hi {
			points = append(points, y)
		}
	}
	for _, m := range []float64{-3, 0, 3} {
		add(l.mode + m*l.sd)
	}
	for _, x := range kinks {
		if x > 0 && x < 1 {
			add(Logit(x))
		}
	}
	slices.Sort(points)
	return points
}

// Expectation returns an upper bound on E[f(X)] for 0 <= f <= 1. The quadrature's error estimate is
// added; the bound holds up to that estimate.
func (l BetaLaw) Expectation(f func(x float64) float64, tol float64, kinks ...float64) float64 {
	value, err := Integrate(func(y float64) float64 {
		return math.Exp(l.logDensity(y)) * f(Logistic(y))
	}, l.breaks(kinks...), tol, 400)
	return math.Min(1, value+err+l.belowLo+l.above)
}

// SumNodes returns nodes of X = min(M B, sum-1), B ~ Beta(sum, M-sum+1), ascending. Their weights
// add up to 1. They are panels below sum-1, and the mass beyond at sum-1. The mass that the range
// cuts off is at 0, where every chance is 1.
func SumNodes(sum, m, panels int) []Node {
	law := NewBetaLaw(float64(sum), float64(m-sum+1))
	last := float64(sum-1) / float64(m)
	_, beyond := Beta(last, law.a, law.b)
	nodes := []Node{{X: 0, Kronrod: law.belowLo, Gauss: law.belowLo}}
	top := Logit(last)
	edge := func(i int) float64 { // finer towards the top, where the mass is
		return top - (top-law.lo)*math.Pow(float64(panels-i)/float64(panels), 1.5)
	}
	for i := range panels {
		from := len(nodes)
		nodes = Rule(nodes, edge(i), edge(i+1))
		for j := from; j < len(nodes); j++ {
			density := math.Exp(law.logDensity(nodes[j].X))
			nodes[j] = Node{X: float64(m) * Logistic(nodes[j].X), Kronrod: nodes[j].Kronrod * density, Gauss: nodes[j].Gauss * density}
		}
	}
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.X, b.X) })
	return append(nodes, Node{X: float64(sum - 1), Kronrod: beyond, Gauss: beyond})
}
