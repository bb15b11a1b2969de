// Package transform holds the moment generating function M(z) = E e^{zL} of the loss L of composed
// steps, and δ as an integral over it:
//
//   - on the real line, with Chernoff's bounds: [Law] is one phase, [MGF] one direction of many;
//   - on a line Re z = c: [Integral], with all its errors, and its [Integral.Root] in ε;
//   - of parts of the law, if the whole decays too slowly: [Participations] and [NewTrim].
//
// Package contour lists what is proved. It asks the questions and chooses the lines.
package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// logM returns K(a) = log M(a) of one step for real a >= 0, and a bound on its error.
//
// With h2(v) = e^v-1-v and E_Q e^l = 1,
//
//	remove: M(a)-1 = E_Q e^{(a+1)l} - 1 = E_P h2(a l)  + a E_P[l]
//	add:    M(a)-1 = E_Q e^{-al} - 1    = E_Q h2(-a l) - a E_Q[l]
//
// where E_P[l] = E_P h2(-l) and -E_Q[l] = E_Q h2(l) are Kullback-Leibler divergences. Every term is
// positive, so K keeps its relative precision at any q. (The other form, E h2(αl) - αE h2(l), loses
// 1/a of it at small a.)
//
// The error has three parts: the trapezoid rule (realError), the ends of the grid (geometric
// tails), and rounding. The rule's error of M is relative to M(a), that of the 1 in h2 to 1. That
// of l, in h2 and in the divergence, is relative to at most E e^l + 1 each. Together they are M + 2
// + 2a times the rule's relative error.
func (w *Law) logM(dir Direction, a float64) (k, errK float64) {
	alpha := dir.order(a)
	from, to, ok := w.cover(w.window(alpha))
	if !ok {
		return w.convexK(a), 0
	}
	top := math.Inf(-1)
	for j := from; j < to; j++ {
		top = max(top, alpha*w.loss[j]+w.logQ[j])
	}
	if top > 500 {
		var sum float64
		for j := from; j < to; j++ {
			sum += math.Exp(alpha*w.loss[j] + w.logQ[j] - top)
		}
		return top + numeric.Log(sum), w.realError(dir, a)*4 + w.endTails(alpha, from, to, top)/sum + w.roundingOf(alpha, to)
	}
	excess := w.excess(dir, a, from, to)
	m := 1 + excess
	errM := w.realError(dir, a)*(m+2+2*a) + w.endTails(alpha, from, to, 0) + w.roundingOf(alpha, to)*excess
	return math.Log1p(excess), errM / m
}

// excess returns M(a) - 1 from the nodes [from, to).
func (w *Law) excess(dir Direction, a float64, from, to int) float64 {
	weights, kl, s, alpha := w.wP, w.klP, a, a+1
	if dir == Add {
		weights, kl, s, alpha = w.wQ, w.klQ, -a, -a
	}
	sum := a * kl
	for j := from; j < to; j++ {
		if u := s * w.loss[j]; u < 30 {
			sum += weights[j] * h2(u)
		} else {
			sum += math.Exp(alpha*w.loss[j]+w.logQ[j]) - weights[j]*(1+u)
		}
	}
	return sum
}

// roundingOf models the relative rounding error of a sum of positive terms e^{αl + logQ}. Each
// exponent is a difference of numbers as large as its parts.
func (w *Law) roundingOf(alpha float64, to int) float64 {
	last := to - 1
	size := math.Abs(alpha*w.loss[last]) + math.Abs(w.logQ[last])
	return Unit * (32 + math.Min(size, 40+2*alpha*alpha/(w.Sigma*w.Sigma)) + math.Sqrt(float64(to)))
}

// endTails bounds the trapezoid sums left out beyond the window, times e^{-shift}.
//
// Proof. For x beyond max(1, α) or min(0, x_c) the logarithms of e^{αl}ρ, e^l ρ and ρ fall with
// slope at least W/σ². So each sum is at most its last term times 1/(1-e^{-hW/σ²}).
func (w *Law) endTails(alpha float64, from, to int, shift float64) float64 {
	var sum float64
	for _, j := range [...]int{from, to - 1} {
		l, lq := w.loss[j], w.logQ[j]
		sum += math.Exp(alpha*l+lq-shift) + (1+math.Abs(alpha))*(math.Exp(lq-shift)+math.Exp(l+lq-shift))
	}
	return sum / -math.Expm1(-w.Step*w.Reach/(w.Sigma*w.Sigma))
}

// realError bounds the trapezoid rule's error on the real line, relative to M(a).
//
// The integrand is analytic in |Im x| <= d < πσ². On Im x = ±d it is at most e^{d²/2σ²} G(d) times
// its value at Re x, with G from growth. So the error is at most
//
//	2 e^{d²/2σ²} G(d) / (e^{2πd/h} - 1)
//
// for every such d; the best of a few is taken.
//
// Reference: Trefethen, Weideman (2014), "The exponentially convergent trapezoidal rule", Theorem
// 5.1.
func (w *Law) realError(dir Direction, a float64) float64 {
	best := math.Inf(1)
	grow := w.growth(dir, a)
	limit := math.Min(0.98*math.Pi*w.Sigma*w.Sigma, 8*w.Sigma)
	for _, f := range [...]float64{1, 0.5, 0.25, 0.12, 0.06, 0.03} {
		d := f * limit
		e := expm1Over(math.Ln2+d*d/(2*w.Sigma*w.Sigma)+grow.at(d), 2*math.Pi*d/w.Step)
		best = math.Min(best, e)
	}
	return best
}

// convexK bounds K(a) from above in closed form.
func (w *Law) convexK(a float64) float64 {
	if w.Replaced {
		return replacedK(w.Q, w.Sigma, a)
	}
	return convexK(w.Q, w.Sigma, a)
}

// convexK bounds K(a) of an added or removed record from above.
//
// Proof. w^α is convex for α outside (0, 1), so (1-q+qw)^α <= 1-q+q w^α. E_Q w^α = e^{α(α-1)/2σ²},
// and α(α-1) = a(a+1) in both directions.
func convexK(q, sigma, a float64) float64 {
	s := a * (a + 1) / (2 * sigma * sigma)
	if s > 500 {
		return s + numeric.Log(q) + math.Log1p((1-q)/q*math.Exp(-s))
	}
	return math.Log1p(q * math.Expm1(s))
}
