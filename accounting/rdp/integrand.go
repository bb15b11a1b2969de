package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// sampledIntegrand is the integrand of A - 1 = E[g(u)], x ~ N(0, σ²), with
//
//	g(u) = (1+u)^α - 1 - αu,  u = q (e^v - 1),  v = (x - ½)/σ².
//
// g is 0 at u = 0 (x = ½), falls before it and rises after it.
type sampledIntegrand struct {
	q, sigma float64 // q is in (0, 1)
	inv      float64 // 1/σ²
	order    float64
}

// sampledPoint has the values at one x.
type sampledPoint struct {
	x, v, u float64
	l, rest float64 // log(1+u) and e^{-l} - 1
	square  float64 // x²/(2σ²), less its possible rounding
}

func (f sampledIntegrand) point(x float64) sampledPoint {
	return f.pointAt(x, f.q*math.Expm1((x-0.5)*f.inv))
}

// pointAt is point with a u of another x.
func (f sampledIntegrand) pointAt(x, u float64) sampledPoint {
	square := x * x / 2 * f.inv
	p := sampledPoint{x: x, v: (x - 0.5) * f.inv, u: u, square: square - 4*unit*square}
	if p.v > 700 { // e^v overflows
		p.l = p.v + numeric.Log(f.q+(1-f.q)*math.Exp(-p.v))
		p.rest = math.Expm1(-p.l)
	} else {
		p.l, p.rest = math.Log1p(u), -u/(1+u)
	}
	return p
}

// logAt returns log g(u(x)) - x²/(2σ²): the integrand without the density's constant.
func (f sampledIntegrand) logAt(p sampledPoint) float64 { return f.logG(p) - p.square }

// slack is added to log g. Large values of g are raised by the possible rounding: log(1+u) is near
// v + log q, errs by units of v, and is multiplied by α.
func (f sampledIntegrand) slack(p *sampledPoint) float64 {
	if p.u*f.order < 0.1 {
		return 0
	}
	return 4 * unit * f.order * p.v
}

// small reports whether the series of g converges fast.
func (f sampledIntegrand) small(p *sampledPoint) bool { return math.Abs(p.u)*f.order < 0.1 }

// logG returns log g(u(x)), with a relative error of g of about 100 eps.
func (f sampledIntegrand) logG(p sampledPoint) float64 {
	if f.small(&p) {
		return f.logGSmall(p.u)
	}
	return f.logGLarge(p.l, p.rest) + f.slack(&p)
}

// g returns g(u(x)), with the same error. α log(1+u) must be below 700.
func (f sampledIntegrand) g(p *sampledPoint) float64 {
	if f.small(p) {
		return f.order * (f.order - 1) / 2 * (p.u * p.u) * f.series(p.u)
	}
	a := f.order - 1
	return (1 + p.u) * (math.Expm1(a*p.l) + a*p.rest) * (1 + f.slack(p))
}

// logGLarge returns log g in terms of l = log(1+u) and e^{-l} - 1, with a = α-1:
//
//	g = e^l ( (e^{al} - 1) + a (e^{-l} - 1) ).
//
// With |αu| >= 0.1 the two parts cancel to at least a twentieth.
func (f sampledIntegrand) logGLarge(l, expm1MinusL float64) float64 {
	a := f.order - 1
	if a*l > 60 { // the rest is below a e^-60; without its minus sign g is overstated
		return f.order * l
	}
	return l + numeric.Log(math.Expm1(a*l)+a*expm1MinusL)
}

// logGSmall returns log g by its series in u for |αu| < 0.1:
//
//	g = α(α-1)/2 u² (1 + (α-2)/3 u (1 + (α-3)/4 u (1 + ...))).
func (f sampledIntegrand) logGSmall(u float64) float64 {
	if u == 0 {
		return math.Inf(-1)
	}
	return numeric.Log(f.order) + numeric.Log((f.order-1)/2) + 2*numeric.Log(math.Abs(u)) + numeric.Log(f.series(u))
}

// series returns the series of logGSmall without its first factors. Each term is less than a tenth
// of the one before it.
func (f sampledIntegrand) series(u float64) float64 {
	sum, term := 1.0, 1.0
	for k := 3.0; math.Abs(term) > 1e-18; k++ {
		term *= (f.order - k + 1) / k * u
		sum += term
	}
	return sum
}

// risingBound returns an upper bound of logAt on [lo, hi], ½ <= lo < hi, from the values of log g
// at the ends.
//
// Proof. For u > 0
//
//	α r <= σ² d(log g)/dx <= max(α,2)/(1 - e^{-v}),  r = q e^v / (1 - q + q e^v).
//
// The left inequality holds because (1+u) g' - αg = α(α-1)u >= 0, the right one because u g' <=
// max(α,2) g. Both sides are monotone in x, so log g lies under a line through either end. The
// slope of a line determines the maximum of the line minus x²/(2σ²).
func (f sampledIntegrand) risingBound(lo, hi, logGLo, logGHi float64) float64 {
	under := func(from, value, slope float64) float64 { // slope is σ² times the line's
		x := math.Min(math.Max(slope, lo), hi)
		return value + (slope*(x-from)-x*x/2)*f.inv
	}
	vLo := (lo - 0.5) * f.inv
	best := under(hi, logGHi, f.order*f.posterior(vLo))
	if steepest := math.Max(f.order, 2) / -math.Expm1(-vLo); !math.IsInf(steepest, 1) && !math.IsInf(logGLo, -1) {
		best = math.Min(best, under(lo, logGLo, steepest))
	}
	return best
}

// posterior returns r = q e^v / (1 - q + q e^v).
func (f sampledIntegrand) posterior(v float64) float64 {
	return f.q / (f.q + (1-f.q)*math.Exp(-v))
}
