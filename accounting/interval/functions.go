package interval

import "math"

// Results of package math are widened by ulps units in the last place, or of the least subnormal.
// Those of Erfc, which multiplies two exponentials, are widened by erfcUlps. The largest errors
// that were measured, in the same units:
//
//	        Exp   Expm1  Log   Log1p  Sin   Cos   Erfc
//	amd64   1.61  0.84   0.87  1.04   1.54  1.24  3.62
//	arm64   0.90  0.75   0.87  1.04   1.54  1.33  4.04
//
// Sin and Cos are those on [-1, 1].
const ulps, erfcUlps = 4, 8

func widened(lo, hi float64) I { return I{-raised(-lo, ulps), raised(hi, ulps)} }

// raised returns x, raised by units. -Inf becomes the least float64.
func raised(x, units float64) float64 {
	if math.IsInf(x, -1) {
		return -math.MaxFloat64
	}
	return x + float64(math.Abs(x)*(units*0x1p-52)) + units*0x1p-1074
}

// On amd64 math.Exp is +Inf from 709.44 on, although e^709.78 is a float64. From expOverflows on,
// e^x is above expLarge.
const expOverflows, expLarge = 709.4, 1.2e308

// Exp returns e^a.
func (a I) Exp() I {
	r := widened(math.Exp(a.Lo), math.Exp(a.Hi))
	if a.Lo >= expOverflows {
		r.Lo = expLarge
	}
	r.Lo = max(0, r.Lo)
	return r
}

// Expm1 returns e^a - 1.
func (a I) Expm1() I {
	r := widened(math.Expm1(a.Lo), math.Expm1(a.Hi))
	if a.Lo >= expOverflows {
		r.Lo = expLarge
	}
	r.Lo = max(-1, r.Lo)
	return r
}

// Log returns ln a. Negative members of a are left out.
func (a I) Log() I { return widened(log(max(0, a.Lo)), log(a.Hi)) }

// log is math.Log. On amd64 that is wrong by 5 % for subnormal numbers, so they are scaled first.
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p100) - 100*math.Ln2
	}
	return math.Log(x)
}

// Log1p returns ln(1 + a). Members of a below -1 are left out.
func (a I) Log1p() I { return widened(math.Log1p(max(-1, a.Lo)), math.Log1p(a.Hi)) }

// Erfc returns 1 - erf a, which falls in a.
func (a I) Erfc() I {
	lo, hi := math.Erfc(a.Hi), math.Erfc(a.Lo)
	return I{max(0, -raised(-lo, erfcUlps)), min(2, raised(hi, erfcUlps))}
}

var (
	half    = Of(0.5)
	rootTwo = Of(2).Sqrt()
)

// NormalCDF returns Φ(a) of the standard normal.
func (a I) NormalCDF() I { return a.Neg().Div(rootTwo).Erfc().Mul(half) }
