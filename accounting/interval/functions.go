package interval

import "math"

// ulps widens results of package math, in units of the last place, or of the least subnormal. The
// largest errors that were measured, in the same units:
//
//	        Exp   Expm1  Log   Log1p  Erfc
//	amd64   1.61  0.83   0.79  0.77   3.50
//	arm64   0.90  0.75   0.74  0.75   3.50
const ulps = 4

func widened(lo, hi float64) I {
	return I{
		lo - float64(math.Abs(lo)*(ulps*0x1p-52)) - ulps*0x1p-1074,
		hi + float64(math.Abs(hi)*(ulps*0x1p-52)) + ulps*0x1p-1074,
	}
}

// Exp returns e^a.
func (a I) Exp() I {
	r := widened(math.Exp(a.Lo), math.Exp(a.Hi))
	r.Lo = math.Max(0, r.Lo)
	if !(r.Lo <= math.MaxFloat64) { // overflow, or NaN from Inf - Inf
		r.Lo = expLarge
		if a.Lo < expOverflows {
			r.Lo = 0
		}
	}
	return r
}

// On amd64 math.Exp is +Inf from 709.44 on, although e^709.78 is a float64. From expOverflows on,
// e^x is above expLarge.
const expOverflows, expLarge = 709.4, 1.2e308

// Expm1 returns e^a - 1.
func (a I) Expm1() I {
	r := widened(math.Expm1(a.Lo), math.Expm1(a.Hi))
	if !(r.Lo <= math.MaxFloat64) {
		r.Lo = expLarge
		if a.Lo < expOverflows {
			r.Lo = -1
		}
	}
	r.Lo = math.Max(-1, r.Lo)
	return r
}

// Log returns ln a, for a >= 0.
func (a I) Log() I { return widened(log(a.Lo), log(a.Hi)) }

// log is math.Log. On amd64 that is wrong by 5 % for subnormal numbers, so they are scaled first.
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p100) - 100*math.Ln2
	}
	return math.Log(x)
}

// Log1p returns ln(1 + a), for a >= -1.
func (a I) Log1p() I { return widened(math.Log1p(a.Lo), math.Log1p(a.Hi)) }

// Erfc returns 1 - erf a, which falls in a.
func (a I) Erfc() I {
	r := widened(math.Erfc(a.Hi), math.Erfc(a.Lo))
	r.Lo = math.Max(0, r.Lo)
	return r
}
