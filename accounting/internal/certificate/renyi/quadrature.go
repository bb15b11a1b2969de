package renyi

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// mostNodes bounds the work of one quadrature.
const mostNodes = 40_000

var logRootTwoPi = interval.Pi().Mul(two).Log().Mul(half)

// SampledGaussian returns (α-1) D of a Gaussian mechanism with noise multiplier sigma, on a Poisson
// sample of rate q in (0, 1), at a real order alpha > 1. D is the larger of both directions
// (Mironov, Talwar and Zhang 2019, arXiv:1908.10530v1, Theorem 5). The upper end is tight, the
// lower end is 0.
func SampledGaussian(q, sigma, alpha float64) (exponent I, nodes int, err error) {
	return moment(q, sigma, alpha, false)
}

// ReplacedSum is SampledGaussian for a sum of clipped vectors, if one record is replaced. The pair
// of laws is (1-q) N(0, σ²) + q N(±1, σ²) (package pld, replaceone_sum.go). D is the same in both
// directions.
func ReplacedSum(q, sigma, alpha float64) (exponent I, nodes int, err error) {
	return moment(q, sigma, alpha, true)
}

func moment(q, sigma, alpha float64, replaced bool) (exponent I, nodes int, err error) {
	r, err := ruleFor(q, sigma, alpha, replaced)
	if err != nil {
		return I{}, 0, err
	}
	exponent, err = r.logMoment()
	return exponent, r.last - r.first + 1, err
}

// rule is a trapezoidal rule and its integrand.
//
// Let a = α-1, A(x) = 1-q + q e^v, v = (2x-1)/(2σ²), and ρ be the density of N(0, σ²). B(x) is
// A(-x) if a record is replaced, and 1 otherwise. The laws have the densities ρA and ρB. With the
// loss L = ln A/B, (α-1) D is ln M of
//
//	M = ∫ ρ A^α B^-a dx,   M - 1 = ∫ g ρ A dx,   g = e(aL) + a e(-L) >= 0,
//
// e(v) = e^v - 1 - v, as the mean of e^-L is 1. So g = e^(aL) - 1 + a (e^-L - 1).
//
// Error of the rule. The integrand is analytic for |Im x| < πσ². On Im x = ±y, with θ = y/σ², |ρ|
// is e^(y²/2σ²) ρ(Re x), |A| <= A(Re x) and |B| <= B(Re x). |A(-x)|² is at least A(-Re x)²
// cos²(θ/2), and |A(-x)| >= 1-q if θ <= π/2. The integral of ρ A(x)^α is at most M (package
// lineintegral, replaced.go). So the first term of g contributes at most e^(y²/2σ²) G M. G is the
// lesser of cos(θ/2)^-a and (1-q)^-a if a record is replaced, and 1 otherwise. The integrals of ρA
// and ρB are at most e^(y²/2σ²). The rule errs by at most κ (GM + 1 + 2a), κ = 2
// e^(y²/2σ²)/(e^(2πy/h) - 1) (Trefethen and Weideman 2014, SIAM Review 56, Theorem 5.1).
//
// Nodes left out. Let r = q e^v/A, which rises in x. From z > 1 on, g <= e^(aL), and σ² times the
// slope of ln(ρ A^α B^-a) is at most α + a r(-z) - z, without the second term if B is 1. Below z <
// -1, g <= a (e^-L - 1). There ρB falls from node to node by at least e^(-(|z|-1)h/σ²). Both sums
// are below geometric ones. ∎
type rule struct {
	q, rest, alpha, a, square I // 1-q, α, α-1 and σ²
	replaced                  bool
	h, y, scale               float64
	first, last               int
}

// logMoment returns ln M.
func (r rule) logMoment() (I, error) {
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
		return I{}, fmt.Errorf("the quadrature at order %.6g has no error bound", r.alpha.Lo)
	}
	most := max(logSum.Hi, rest.Hi)
	logExcess := of(most).Add(logSum.Sub(of(most)).Exp().Add(rest.Sub(of(most)).Exp()).Log()).Sub(less.Log())
	return I{Lo: 0, Hi: log1pExp(logExcess).Hi}, nil
}

// ruleFor chooses the step, the strip and the nodes in plain floats. Any choice with y <
// πσ², a first node below -1 and a last node beyond the mode is valid.
func ruleFor(q, sigma, alpha float64, replaced bool) (rule, error) {
	if !(q > 0 && q < 1) || !(sigma > 1e-100 && sigma < 1e100) || !(alpha > 1) {
		return rule{}, fmt.Errorf("renyi: sampled Gaussian: q %g, σ %g, order %g: must be 0 < q < 1, noise far from overflow and an order above 1", q, sigma, alpha)
	}
	a, s2 := alpha-1, sigma*sigma
	// M-1 is at least about a(a+1)/2 q² (e^(1/σ²)-1) if the losses are small, and a q if not.
	small := numeric.Log(a/2) + numeric.Log(alpha) + 2*numeric.Log(q) + numeric.Log(math.Expm1(min(1/s2, 600)))
	digits := 36 + max(0, -min(small, numeric.Log(a)+numeric.Log(q)))
	r := rule{replaced: replaced, q: of(q), alpha: of(alpha), a: of(alpha).Sub(one), square: of(sigma).Mul(of(sigma))}
	r.rest = one.Sub(r.q)
	most := min(0.98*math.Pi*s2, sigma*math.Sqrt(2*digits))
	for f := 1.0; f > 1e-3; f *= 0.85 {
		y := f * most
		growth := 0.0
		if replaced {
			growth = -a * numeric.Log(math.Cos(y/s2/2))
		}
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
	low, high := -1-reach, alpha+reach
	if replaced {
		high += a * q
	}
	if nodes := (high - low) / r.h; !(nodes <= mostNodes) {
		return rule{}, fmt.Errorf("the quadrature at order %.6g has %.3g nodes, and at most %d are summed", alpha, nodes, mostNodes)
	}
	r.first, r.last = int(math.Floor(low/r.h)), int(math.Ceil(high/r.h))
	top := math.Inf(-1)
	for j := r.first; j <= r.last; j++ {
		x := float64(j) * r.h
		top = max(top, r.tilted(x).Hi)
	}
	if r.scale = top; math.IsNaN(top) || math.IsInf(top, 0) {
		return rule{}, fmt.Errorf("the quadrature at order %.6g overflows", alpha)
	}
	return r, nil
}

// ruleError returns κG and κ(1+2a): the rule errs by at most the first times M, plus the second.
func (r rule) ruleError() (times, plus I) {
	lift := of(r.y).Mul(of(r.y)).Div(r.square).Mul(half)
	kappa := lift.Exp().Mul(two).Div(interval.Pi().Mul(two).Mul(of(r.y)).Div(of(r.h)).Expm1())
	return kappa.Mul(r.growth()), kappa.Mul(one.Add(two.Mul(r.a)))
}

// growth returns G.
func (r rule) growth() I {
	if !r.replaced {
		return one
	}
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
func (r rule) exponent(x float64) I { return of(x).Sub(half).Div(r.square) }

// logRatio returns ln A(x). From v = 300 on, it is v + ln(q + (1-q) e^-v).
func (r rule) logRatio(x float64) I {
	v := r.exponent(x)
	if v.Hi > 300 {
		return v.Add(r.q.Add(r.rest.Mul(v.Neg().Exp())).Log())
	}
	if u := r.q.Mul(v.Expm1()); u.Lo > -0.5 {
		return u.Log1p()
	}
	return r.rest.Add(r.q.Mul(v.Exp())).Log()
}

// logOther returns ln B(x).
func (r rule) logOther(x float64) I {
	if !r.replaced {
		return of(0)
	}
	return r.logRatio(-x)
}

// loss returns L. It is odd if a record is replaced. For x >= 0 it is then ln(1 + w), w = q e^v (1
// - e^(-2x/σ²))/A(-x).
func (r rule) loss(x float64) I {
	switch {
	case !r.replaced:
		return r.logRatio(x)
	case x < 0:
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
func (r rule) density(x float64) I {
	return of(x).Mul(of(x)).Div(r.square).Mul(half).Add(of(r.scale)).Neg()
}

// tilted returns ln(A^α B^-a) - x²/2σ² - scale.
func (r rule) tilted(x float64) I {
	return r.logRatio(x).Add(r.a.Mul(r.loss(x))).Add(r.density(x))
}

// term returns g A at x, times e^(-x²/2σ² - scale).
func (r rule) term(x float64) I {
	l := r.loss(x)
	v := r.a.Mul(l)
	if v.Hi > 30 { // g <= e^(aL), as L > 0
		return I{Lo: 0, Hi: r.tilted(x).Exp().Hi}
	}
	if l.Neg().Hi > 300 { // e(-L) <= e^-L, and e(aL) <= a|L| <= a e^-L; A e^-L is B
		return I{Lo: 0, Hi: two.Mul(r.a).Mul(r.logOther(x).Add(r.density(x)).Exp()).Hi}
	}
	g := excess(v).Add(r.a.Mul(excess(l.Neg())))
	return g.Positive().Mul(r.logRatio(x).Add(r.density(x)).Exp())
}

// below bounds the terms of all nodes up to z < -1.
func (r rule) below(z float64) I {
	first := r.a.Mul(r.logOther(z).Add(r.density(z)).Exp())
	falls := one.Add(of(z)).Mul(of(r.h)).Div(r.square).Expm1().Neg()
	return I{Lo: 0, Hi: first.Div(falls).Hi}
}

// above bounds the terms of all nodes from z on.
func (r rule) above(z float64) I {
	slope := r.alpha.Sub(of(z))
	if r.replaced {
		posterior := r.q.Mul(r.exponent(-z).Exp()).Div(r.logRatio(-z).Exp())
		slope = slope.Add(r.a.Mul(posterior))
	}
	if !(slope.Hi < 0) {
		return I{Lo: 0, Hi: math.Inf(1)}
	}
	return I{Lo: 0, Hi: r.tilted(z).Exp().Div(slope.Mul(of(r.h)).Div(r.square).Expm1().Neg()).Hi}
}
