package renyi

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// mostNodes bounds the work of one quadrature.
const mostNodes = 40_000

// SampledGaussian returns (α-1) D of a Gaussian mechanism of parameter mu > 0 on a Poisson sample
// of rate q in (0, 1), at a real order alpha > 1. D is the larger of both directions (Mironov,
// Talwar and Zhang 2019, arXiv:1908.10530v1, Theorem 5). Its upper end is tight, its lower end is
// 0.
//
// It is ln A, A = E (1+u)^α, with u = q (e^(µz-µ²/2) - 1) and z normal. As E u = 0,
//
//	A - 1 = ∫ g φ dz,    g = (1+u)^α - 1 - αu = (α-1) k(u) + (1+u) e((α-1) ln(1+u)),
//	k(u) = (1+u) ln(1+u) - u >= 0,    e(v) = e^v - 1 - v >= 0.
//
// The trapezoidal rule with step h takes the nodes from a first to a last one.
//
// Error of the rule. On the line Im z = b with |b| <= a and aµ < π, 1+u is not negative or 0, so g
// is analytic. |1+u| is at most its value at Re z, |u| is at most q(e^(µz-µ²/2)+1) there, and |φ|
// is e^(b²/2) φ(Re z). So ∫|gφ| <= M = e^(a²/2) (A + 1 + 2αq), and the rule errs by at most
// 2M/(e^(2πa/h)
// - 1) (Trefethen and Weideman 2014, SIAM Review 56, Theorem 5.1). A also is at most the sum plus
// that error plus 1.
//
// Nodes left out. Below the first one u < 0, so g <= -αu <= αq, and φ falls from node to node by at
// least e^(-|z|h). Above the last one u > 0 and g <= (1+u)^α. From node to node 1+u grows by at
// most e^(µh), so (1+u)^α φ falls by at least e^((αµ-z)h). Both sums are below geometric ones. ∎
func SampledGaussian(q, mu, alpha float64) (exponent I, nodes int, err error) {
	r, err := ruleFor(q, mu, alpha)
	if err != nil {
		return I{}, 0, err
	}
	// All terms are multiplied by √(2π) e^-scale.
	var sum interval.Sum
	for j := r.first; j <= r.last; j++ {
		sum.Add(r.term(float64(j) * r.h))
	}
	sum.Add(r.below(float64(r.first-1) * r.h))
	sum.Add(r.above(float64(r.last+1) * r.h))
	h := of(r.h)
	logSum := sum.I().Mul(h).Log().Add(of(r.scale)).Sub(logRootTwoPi) // of A - 1, but for the rule's error
	// A - 1 <= S + κ (A - 1 + 2 + 2αq)
	kappa := of(r.a).Mul(of(r.a)).Mul(half).Exp().Mul(two).Div(interval.Pi().Mul(two).Mul(of(r.a)).Div(h).Expm1())
	rest := kappa.Mul(two.Add(two.Mul(of(alpha)).Mul(of(q)))).Log()
	most := max(logSum.Hi, rest.Hi)
	logExcess := of(most).Add(logSum.Sub(of(most)).Exp().Add(rest.Sub(of(most)).Exp()).Log()).Sub(one.Sub(kappa).Log())
	return I{Lo: 0, Hi: log1pExp(logExcess).Hi}, r.last - r.first + 1, nil
}

var logRootTwoPi = interval.Pi().Mul(two).Log().Mul(half)

// rule is a trapezoidal rule and its integrand.
type rule struct {
	q, mu, alpha, c I // c is α-1
	shift           I // µ²/2
	h, a, scale     float64
	first, last     int
}

// ruleFor chooses the step, the strip and the nodes in plain floats. Any choice with aµ < π, a
// first node below 0 and a last node above αµ is valid.
func ruleFor(q, mu, alpha float64) (rule, error) {
	if !(q > 0 && q < 1) || !(mu > 0) || !(alpha > 1) {
		return rule{}, fmt.Errorf("renyi: sampled Gaussian: q %g, µ %g, order %g: must be 0 < q < 1, µ > 0 and an order above 1", q, mu, alpha)
	}
	// A-1 is about α(α-1)/2 q² (e^µ²-1) if the ratios are near 1, and about (α-1) q near order 1 if
	// not.
	small := 2*numeric.Log(q) + numeric.Log(alpha) + numeric.Log(alpha-1) - math.Ln2 + numeric.Log(math.Expm1(min(mu*mu, 700)))
	small = min(small, numeric.Log(alpha-1)+numeric.Log(q))
	digits := 34 + max(0, -small)
	a := min(3/mu, math.Sqrt(2*digits))
	h := 2 * math.Pi * a / (digits + a*a/2)
	// With 24 bits of h, node numbers times h are exact.
	fraction, exponent := math.Frexp(h)
	h = math.Ldexp(math.Floor(fraction*(1<<24)), exponent-24)
	width := math.Sqrt(2 * (digits + math.Log1p(alpha)))
	r := rule{q: of(q), mu: of(mu), alpha: of(alpha), c: of(alpha).Sub(one), h: h, a: a}
	r.shift = r.mu.Mul(r.mu).Mul(half)
	if nodes := (alpha*mu + 2*width) / h; !(nodes <= mostNodes) {
		return rule{}, fmt.Errorf("the quadrature at order %.6g has %.3g nodes, and at most %d are summed", alpha, nodes, mostNodes)
	}
	r.first, r.last = int(math.Floor(-width/h)), int(math.Ceil((alpha*mu+width)/h))
	for j := r.first; j <= r.last; j++ {
		z := float64(j) * h
		w := mu*z - mu*mu/2
		logRatio := math.Log1p(q * math.Expm1(min(w, 600)))
		if w > 600 {
			logRatio = w + numeric.Log(q)
		}
		r.scale = max(r.scale, alpha*logRatio-z*z/2)
	}
	return r, nil
}

// ratio returns u and ln(1+u) at z.
func (r rule) ratio(z float64) (u, logRatio I) {
	w := r.mu.Mul(of(z)).Sub(r.shift)
	if w.Hi > 600 { // 1+u is e^w (q + (1-q) e^-w)
		return I{Lo: 0, Hi: math.Inf(1)}, w.Add(r.q.Add(one.Sub(r.q).Mul(w.Neg().Exp())).Log())
	}
	u = r.q.Mul(w.Expm1())
	return u, u.Log1p()
}

// term returns g at z, times e^(-z²/2 - scale).
func (r rule) term(z float64) I {
	u, logRatio := r.ratio(z)
	density := of(z).Mul(of(z)).Mul(half).Add(of(r.scale)).Neg()
	v := r.c.Mul(logRatio)
	if v.Hi > 30 { // g <= (1+u)^α
		return I{Lo: 0, Hi: r.alpha.Mul(logRatio).Add(density).Exp().Hi}
	}
	g := r.c.Mul(entropy(u, logRatio)).Add(one.Add(u).Mul(excess(v)))
	return g.Positive().Mul(density.Exp())
}

// entropy returns k(u) = (1+u) ln(1+u) - u, by its power series near 0.
func entropy(u, logRatio I) I {
	const terms, near = 15, 0.1
	size := max(math.Abs(u.Lo), math.Abs(u.Hi))
	if !(size <= near) {
		return one.Add(u).Mul(logRatio).Sub(u).Positive()
	}
	// Σ_{n>=2} (-u)^n/(n(n-1)). The terms after u^15 are at most |u|^16/200.
	sum, minus := of(0), u.Neg()
	for n := terms; n >= 2; n-- {
		sum = one.Div(of(float64(n * (n - 1)))).Add(sum.Mul(minus))
	}
	rest := of(size).PowInt(terms + 1).Div(of(200)).Hi
	return u.PowInt(2).Mul(sum).Add(I{Lo: -rest, Hi: rest}).Positive()
}

// below bounds the terms of all nodes up to z < 0.
func (r rule) below(z float64) I {
	density := of(z).Mul(of(z)).Mul(half).Add(of(r.scale)).Neg().Exp()
	falls := one.Sub(of(z).Mul(of(r.h)).Exp())
	return I{Lo: 0, Hi: r.alpha.Mul(r.q).Mul(density).Div(falls).Hi}
}

// above bounds the terms of all nodes from z > αµ on.
func (r rule) above(z float64) I {
	_, logRatio := r.ratio(z)
	first := r.alpha.Mul(logRatio).Sub(of(z).Mul(of(z)).Mul(half)).Sub(of(r.scale)).Exp()
	falls := one.Sub(r.alpha.Mul(r.mu).Sub(of(z)).Mul(of(r.h)).Exp())
	return I{Lo: 0, Hi: first.Div(falls).Hi}
}
