package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

type I = interval.I

var (
	one      = interval.Of(1)
	half     = interval.Of(0.5)
	logSqrt2 = interval.Pi().Mul(interval.Of(2)).Log().Mul(half) // log √(2π)
)

// Phase is Count runs of a Gaussian with a noise multiplier on a Poisson sample. A Rate of 1 is a
// Gaussian on all records.
type Phase struct{ Rate, Noise, Count float64 }

// direction names the data set that holds the extra example.
type direction int

const (
	remove direction = iota // loss l(x), x drawn with the example: M(z) = F(z+1)
	add                     // loss -l(x), x drawn without it: M(z) = F(-z)
)

func (d direction) String() string { return [...]string{"remove", "add"}[d] }

// order returns the α with M(a) = F(α), which is exact.
func (d direction) order(a float64) I {
	if d == remove {
		return interval.Of(a).Add(one)
	}
	return interval.Of(-a)
}

// law holds the constants of one phase as intervals.
type law struct {
	Phase
	rate, rest     I // q and 1-q
	logRate, ratio I // log q, (1-q)/q
	square         I // σ²
	cut            Cut
	replaced       bool // the law of a replaced record: see replaced.go
}

func newLaw(p Phase) law {
	q, sigma := interval.Of(p.Rate), interval.Of(p.Noise)
	w := law{Phase: p, rate: q, rest: one.Sub(q).Positive(), square: sigma.Mul(sigma)}
	w.logRate, w.ratio = q.Log(), w.rest.Div(q)
	return w
}

// exponent returns v = (2x-1)/(2σ²).
func (w law) exponent(x float64) I {
	return interval.Of(2 * x).Sub(one).Div(w.square.Mul(interval.Of(2)))
}

// logDensity returns log ρ(x), ρ the density of N(0, σ²).
func (w law) logDensity(x float64) I {
	return interval.Of(x).Mul(interval.Of(x)).Div(w.square).Mul(half).Neg().Sub(logSqrt2).Sub(w.square.Log().Mul(half))
}

// From v = far on, the loss is computed as v + log q + log(1 + e^-v (1-q)/q).
const far = 30

// loss returns l = log(1-q + q e^v).
func (w law) loss(v I) I {
	if v.Lo > far {
		return v.Add(w.logRate).Add(w.ratio.Mul(v.Neg().Exp()).Log1p())
	}
	if u := w.rate.Mul(v.Expm1()); u.Lo > -0.5 {
		return u.Log1p()
	}
	return w.rest.Add(w.rate.Mul(v.Exp())).Log()
}

// angle is θ with its sine, cosine, and the sine of θ/2.
type angle struct{ theta, sin, cos, sinHalf I }

func newAngle(theta I) angle {
	return angle{theta, theta.Sin(), theta.Cos(), theta.Mul(half).Sin()}
}

// lossAt returns the two parts of log(1-q + q e^{v+iθ}), for cos θ > 0.
func (w law) lossAt(v I, a angle) (re, im I) {
	if v.Lo > far {
		s := w.ratio.Mul(v.Neg().Exp())
		x, y := s.Mul(a.cos), s.Mul(a.sin)
		re = v.Add(w.logRate).Add(x.Mul(interval.Of(2)).Add(s.Mul(s)).Log1p().Mul(half))
		return re, a.theta.Sub(argument(one.Add(x), y))
	}
	e := v.Expm1()
	x := w.rate.Mul(e.Mul(a.cos).Sub(a.sinHalf.Mul(a.sinHalf).Mul(interval.Of(2)))) // 1 + x is the real part
	y := w.rate.Mul(e.Add(one).Positive()).Mul(a.sin)
	if x.Lo > -0.5 {
		re = x.Mul(x.Add(interval.Of(2))).Add(y.Mul(y)).Log1p().Mul(half)
		return re, argument(one.Add(x), y)
	}
	e = v.Exp()
	x, y = w.rest.Add(w.rate.Mul(e).Mul(a.cos)), w.rate.Mul(e).Mul(a.sin)
	return x.Mul(x).Add(y.Mul(y)).Log().Mul(half), argument(x, y)
}

// argument returns the argument of x + iy, for x > 0.
//
// For a small quotient s = y/x it is between s - s³/3 and s - s³/3 + s⁵/5. Elsewhere a float a is
// guessed. x + iy turned back by a has the argument atan η, which lies between 0 and η.
func argument(x, y I) I {
	s := y.Div(x)
	switch {
	case s.Hi < 0:
		return argument(x, y.Neg()).Neg()
	case s.Lo < 0:
		return s
	case s.Hi < 1e-3:
		square := s.Mul(s)
		third := s.Sub(s.Mul(square).Div(interval.Of(3)))
		return I{Lo: third.Lo, Hi: third.Add(s.Mul(square).Mul(square).Div(interval.Of(5))).Hi}
	}
	guess := interval.Of(math.Atan(s.Lo + (s.Hi-s.Lo)/2))
	sin, cos := guess.Sin(), guess.Cos()
	eta := y.Mul(cos).Sub(x.Mul(sin)).Div(x.Mul(cos).Add(y.Mul(sin)))
	return guess.Add(I{Lo: min(0, eta.Lo), Hi: max(0, eta.Hi)})
}
