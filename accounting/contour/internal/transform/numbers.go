package transform

import "math"

// Unit is the unit roundoff of float64, 2^-53.
const Unit = 0x1p-53

// Sqrt2Pi is √(2π).
const Sqrt2Pi = 2.50662827463100050241576528481104525

// h2 returns e^v - 1 - v, which is never negative, to a few units of the last place.
//
// Below |v| = 1/2 it sums the series v² (1/2! + v/3! + v²/4! + ...), even and odd powers apart. Its
// first omitted term is below 3e-16 of the sum, three units.
func h2(v float64) float64 {
	if math.Abs(v) > 0.5 {
		return math.Expm1(v) - v
	}
	s := v * v
	even := 1./2 + s*(1./24+s*(1./720+s*(1./40320+s*(1./3628800+s*(1./479001600+s*(1./87178291200))))))
	odd := 1./6 + s*(1./120+s*(1./5040+s*(1./362880+s*(1./39916800+s*(1./6227020800)))))
	return s * (even + v*odd)
}

// expm1H2 returns e^v - 1 and h2(v).
func expm1H2(v float64) (e, h float64) {
	if math.Abs(v) > 0.5 {
		e = math.Expm1(v)
		return e, e - v
	}
	h = h2(v)
	return v + h, h
}

// expm1Over returns exp(a)/(exp(b)-1) for b > 0, +Inf for b <= 0, without overflow on the way.
func expm1Over(a, b float64) float64 {
	switch {
	case !(b > 0):
		return math.Inf(1)
	case b > 1:
		return math.Exp(a-b) / -math.Expm1(-b)
	default:
		return math.Exp(a) / math.Expm1(b)
	}
}
