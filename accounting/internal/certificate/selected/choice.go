package selected

import "github.com/dplab/dplab/accounting/interval"

// Choice checks the bound of a choice of range ε0 by the exponential mechanism, followed by a
// mechanism with the given profile (auto, choice.go). For all t in [u, v]
//
//	δ_t <= a H(e^(ε-v)) + b H(e^(ε+ε0-u)),
//	a = (1-e^(u-ε0))/(1-e^(u-v-ε0)),   b = (1-e^-v) e^(u-ε0)/(1-e^(u-v-ε0)).
//
// A part of [0, ε0] is halved until its bound is at most delta.
func Choice(range0 float64, rest Run, delta float64) Check {
	return func(epsilon, _ float64) (float64, int) {
		e, r, left := interval.Of(epsilon), interval.Of(range0), MostParts
		rise := func(x interval.I) interval.I { return x.Neg().Expm1().Neg().Positive() } // 1-e^-x
		between := func(u, v float64) float64 {
			low, high := interval.Of(u), interval.Of(v)
			down := low.Sub(r)
			whole := rise(high.Sub(down))
			first := rise(down.Neg()).Div(whole).Mul(interval.Of(rest.Excess(e.Sub(high).Exp().Lo)))
			second := rise(high).Mul(down.Exp()).Div(whole).Mul(interval.Of(rest.Excess(e.Sub(down).Exp().Lo)))
			return first.Add(second).Hi
		}
		var most func(u, v float64) float64
		most = func(u, v float64) float64 {
			left--
			bound, middle := between(u, v), u+(v-u)/2
			switch {
			case bound <= delta:
				return bound
			case left < 0 || !(u < middle && middle < v):
				return 1
			}
			if near := most(u, middle); near > delta {
				return near
			} else {
				return max(near, most(middle, v))
			}
		}
		bound := most(0, range0)
		return bound, MostParts - left
	}
}
