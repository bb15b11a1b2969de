package renyi

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// ReplacedSum returns (α-1) D of a sum of clipped vectors with noise multiplier sigma, on a Poisson
// sample of rate q in (0, 1). One record is replaced, and alpha > 1 is a real order. The upper end
// is tight, the lower end is 0.
//
// The pair of laws is (1-q) N(0, σ²) + q N(±1, σ²) (package pld, replaceone_sum.go). D is the same
// in both directions. Let a = α-1, A(x) = 1-q + q e^v, v = (2x-1)/(2σ²), and ρ be the density of
// N(0, σ²). With the loss L = ln A(x)/A(-x), (α-1) D is ln M of
//
//	M = ∫ ρ A(x)^α A(-x)^-a dx,   M - 1 = ∫ g ρ A(x) dx,   g = e(aL) + a e(-L) >= 0,
//
// e(v) = e^v - 1 - v, as E_P e^-L = 1. So g = e^(aL) - 1 + a (e^-L - 1).
//
// Error of the rule. The integrand is analytic for |Im x| < πσ². On Im x = ±y, with θ = y/σ², |ρ|
// is e^(y²/2σ²) ρ(Re x) and |A(x)| <= A(Re x). |A(-x)|² is at least A(-Re x)² cos²(θ/2), and
// |A(-x)| >= 1-q if θ <= π/2. The integral of ρ A(x)^α is at most M (package lineintegral,
// replaced.go). So the first term of g contributes at most e^(y²/2σ²) G M, with G the lesser of
// cos(θ/2)^-a and (1-q)^-a. The integrals of ρA(x) and ρA(-x) are at most e^(y²/2σ²). The rule errs
// by at most κ (GM + 1 + 2a), κ = 2 e^(y²/2σ²)/(e^(2πy/h) - 1) (Trefethen and Weideman 2014, SIAM
// Review 56, Theorem 5.1).
//
// Nodes left out. Let r = q e^v/A, which rises in x. From z > 0 on, g <= e^(aL), and σ² times the
// slope of ln(ρ A^α A(-x)^-a) is at most α + a r(-z) - z. Below z < -1, g <= a (e^-L - 1). There
// ρA(-x) falls from node to node by at least e^(-(|z|-1)h/σ²). Both sums are below geometric
// ones. ∎
func ReplacedSum(q, sigma, alpha float64) (exponent I, nodes int, err error) {
	r, err := replacedRuleFor(q, sigma, alpha)
	if err != nil {
		return I{}, 0, err
	}
	exponent, err = r.logMoment()
	return exponent, r.last - r.first + 1, err
}

// logMoment returns ln M.
func (r replacedRule) logMoment() (I, error) {
	// All terms are multiplied by √(2π) σ e^-scale.
	var sum interval.Sum
	for j := r.first; j <= r.last; j++ {
		sum.Add(r.term(float64(j) * r.h))
	}
	sum.Add(r.below(float64(r.first-1) * r.h))
	sum.Add(r.above(float64(r.last+1) * r.h))
	h := of(r.h)
	logSum := sum.I().Mul(h).Log().Add(of(r.scale)).Sub(logRootTwoPi).Sub(r.square.Log().Mul(half))
	times, plus := r.ruleError()
	rest := times.Add(plus).Log() // M-1 <= S + times (M-1) + times + plus
	less := one.Sub(times)
	if !(less.Lo > 0) {
		return I{}, fmt.Errorf("the quadrature of a replaced record at order %.6g has no error bound", r.alpha.Lo)
	}
	most := max(logSum.Hi, rest.Hi)
	logExcess := of(most).Add(logSum.Sub(of(most)).Exp().Add(rest.Sub(of(most)).Exp()).Log()).Sub(less.Log())
	return I{Lo: 0, Hi: log1pExp(logExcess).Hi}, nil
}

// replacedRule is a trapezoidal rule and its integrand.
type replacedRule struct {
	q, rest, alpha, a, square I // 1-q, α, α-1 and σ²
	h, y, scale               float64
	first, last               int
}

// replacedRuleFor chooses the step, the strip and the nodes in plain floats. Any choice with y <
// πσ², a first node below -1 and a last node beyond the mode is valid.
func replacedRuleFor(q, sigma, alpha float64) (replacedRule, error) {
	if !(q > 0 && q < 1) || !(sigma > 1e-100 && sigma < 1e100) || !(alpha > 1) {
		return replacedRule{}, fmt.Errorf("renyi: replaced record: q %g, σ %g, order %g: must be 0 < q < 1, noise far from overflow and an order above 1", q, sigma, alpha)
	}
	a, s2 := alpha-1, sigma*sigma
	// M-1 is about a(a+1)/2 E L² if the losses are small, and at least about a q if not.
	small := numeric.Log(2*a) + numeric.Log(alpha) + 2*numeric.Log(q) + numeric.Log(math.Sinh(min(1/s2, 600)))
	digits := 36 + max(0, -min(small, numeric.Log(a)+numeric.Log(q)))
	r := replacedRule{q: of(q), alpha: of(alpha), a: of(alpha).Sub(one), square: of(sigma).Mul(of(sigma))}
	r.rest = one.Sub(r.q)
	most := min(0.98*math.Pi*s2, sigma*math.Sqrt(2*digits))
	for f := 1.0; f > 1e-3; f *= 0.85 {
		y := f * most
		growth := -a * numeric.Log(math.Cos(y/s2/2))
		if y/s2 < 1.57 {
			growth = min(growth, -a*math.Log1p(-q))
		}
		if h := 2 * math.Pi * y / (digits + y*y/2/s2 + growth + math.Log1p(2*a)); h > r.h {
			r.h, r.y = h, y
		}
	}
	// With 24 bits of h, node numbers times h are exact.
	fraction, exponent := math.Frexp(r.h)
	r.h = math.Ldexp(math.Floor(fraction*(1<<24)), exponent-24)
	reach := sigma * math.Sqrt(2*(digits+math.Log1p(a)))
	low, high := -1-reach, alpha+a*q+reach
	if nodes := (high - low) / r.h; !(nodes <= mostNodes) {
		return replacedRule{}, fmt.Errorf("the quadrature of a replaced record at order %.6g has %.3g nodes, and at most %d are summed", alpha, nodes, mostNodes)
	}
	r.first, r.last = int(math.Floor(low/r.h)), int(math.Ceil(high/r.h))
	top := math.Inf(-1)
	for j := r.first; j <= r.last; j++ {
		x := float64(j) * r.h
		top = max(top, r.tilted(x).Hi)
	}
	if r.scale = top; math.IsNaN(top) || math.IsInf(top, 0) {
		return replacedRule{}, fmt.Errorf("the quadrature of a replaced record at order %.6g overflows", alpha)
	}
	return r, nil
}

// ruleError returns κG and κ(1+2a): the rule errs by at most the first times M, plus the second.
func (r replacedRule) ruleError() (times, plus I) {
	lift := of(r.y).Mul(of(r.y)).Div(r.square).Mul(half)
	kappa := lift.Exp().Mul(two).Div(interval.Pi().Mul(two).Mul(of(r.y)).Div(of(r.h)).Expm1())
	return kappa.Mul(r.growth()), kappa.Mul(one.Add(two.Mul(r.a)))
}

// growth returns G.
func (r replacedRule) growth() I {
	theta := of(r.y).Div(r.square)
	log := r.a.Mul(theta.Mul(half).Cos().Positive().Log()).Neg()
	if theta.Hi < 1.57 {
		if flat := r.a.Mul(r.rest.Log()).Neg(); flat.Hi < log.Hi {
			log = flat
		}
	}
	return log.Exp()
}

// exponent returns v at x.
func (r replacedRule) exponent(x float64) I { return of(x).Sub(half).Div(r.square) }

// logRatio returns ln A(x). From v = 300 on, it is v + ln(q + (1-q) e^-v).
func (r replacedRule) logRatio(x float64) I {
	v := r.exponent(x)
	if v.Hi > 300 {
		return v.Add(r.q.Add(r.rest.Mul(v.Neg().Exp())).Log())
	}
	if u := r.q.Mul(v.Expm1()); u.Lo > -0.5 {
		return u.Log1p()
	}
	return r.rest.Add(r.q.Mul(v.Exp())).Log()
}

// loss returns L, which is odd. For x >= 0 it is ln(1 + w), w = q e^v (1 - e^(-2x/σ²))/A(-x).
func (r replacedRule) loss(x float64) I {
	if x < 0 {
		return r.loss(-x).Neg()
	}
	v := r.exponent(x)
	if v.Hi > 300 {
		return r.logRatio(x).Sub(r.logRatio(-x))
	}
	w := r.q.Mul(v.Exp()).Mul(of(2 * x).Div(r.square).Neg().Expm1().Neg().Positive())
	return w.Div(r.logRatio(-x).Exp()).Log1p().Positive()
}

// density returns -x²/2σ² - scale.
func (r replacedRule) density(x float64) I {
	return of(x).Mul(of(x)).Div(r.square).Mul(half).Add(of(r.scale)).Neg()
}

// tilted returns ln(A(x)^α A(-x)^-a) - x²/2σ² - scale.
func (r replacedRule) tilted(x float64) I {
	return r.logRatio(x).Add(r.a.Mul(r.loss(x))).Add(r.density(x))
}

// term returns g A at x, times e^(-x²/2σ² - scale).
func (r replacedRule) term(x float64) I {
	l := r.loss(x)
	v := r.a.Mul(l)
	if v.Hi > 30 { // g <= e^(aL), as L > 0
		return I{Lo: 0, Hi: r.tilted(x).Exp().Hi}
	}
	if l.Neg().Hi > 300 { // e(-L) <= e^-L, and e(aL) <= a|L| <= a e^-L; A e^-L is A(-x)
		return I{Lo: 0, Hi: two.Mul(r.a).Mul(r.logRatio(-x).Add(r.density(x)).Exp()).Hi}
	}
	g := excess(v).Add(r.a.Mul(excess(l.Neg())))
	return g.Positive().Mul(r.logRatio(x).Add(r.density(x)).Exp())
}

// below bounds the terms of all nodes up to z < -1.
func (r replacedRule) below(z float64) I {
	first := r.a.Mul(r.logRatio(-z).Add(r.density(z)).Exp())
	falls := one.Add(of(z)).Mul(of(r.h)).Div(r.square).Expm1().Neg()
	return I{Lo: 0, Hi: first.Div(falls).Hi}
}

// above bounds the terms of all nodes from z on.
func (r replacedRule) above(z float64) I {
	v := r.exponent(-z)
	posterior := r.q.Mul(v.Exp()).Div(r.logRatio(-z).Exp())
	slope := r.alpha.Add(r.a.Mul(posterior)).Sub(of(z))
	if !(slope.Hi < 0) {
		return I{Lo: 0, Hi: math.Inf(1)}
	}
	return I{Lo: 0, Hi: r.tilted(z).Exp().Div(slope.Mul(of(r.h)).Div(r.square).Expm1().Neg()).Hi}
}
